/*
 * Copyright the flink-state-accel authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.stateaccel.planner.window.session;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.operators.window.session.HeapSessionRows;
import io.stateaccel.operators.window.session.SessionWindows;
import io.stateaccel.planner.bundle.WindowHeap;
import io.stateaccel.planner.compiled.CompiledNode;
import java.time.ZoneId;
import java.util.List;
import org.apache.flink.FlinkVersion;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonCreator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.logical.SessionWindowSpec;
import org.apache.flink.table.planner.plan.logical.TimeAttributeWindowingStrategy;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecWindowTableFunction;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.planner.utils.TableConfigUtils;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.runtime.util.TimeWindowUtil;
import org.apache.flink.table.types.logical.RowType;

/**
 * {@link StreamExecWindowTableFunction} of sessions that makes a {@link HeapSessionRows}. The
 * transformation has the input, parallelism, key and identifiers of the stock one.
 */
@ExecNodeMetadata(
        name = "state-accel-window-table-function",
        version = 1,
        producedTransformations = StreamExecWindowTableFunction.WINDOW_TRANSFORMATION,
        minPlanVersion = FlinkVersion.v1_20,
        minStateVersion = FlinkVersion.v1_20)
public final class StreamExecHeapWindowTableFunction extends StreamExecWindowTableFunction {

    public StreamExecHeapWindowTableFunction(
            ReadableConfig tableConfig,
            TimeAttributeWindowingStrategy windows,
            RowType outputType,
            String description) {
        this(
                ExecNodeContext.newNodeId(),
                CompiledNode.context(
                        StreamExecHeapWindowTableFunction.class,
                        StreamExecWindowTableFunction.class),
                CompiledNode.config(
                        StreamExecWindowTableFunction.class,
                        tableConfig,
                        List.of(StateAccelOptions.WINDOW_HEAP_SIZE)),
                windows,
                List.of(InputProperty.DEFAULT),
                outputType,
                description);
    }

    @JsonCreator
    public StreamExecHeapWindowTableFunction(
            @JsonProperty(FIELD_NAME_ID) int id,
            @JsonProperty(FIELD_NAME_TYPE) ExecNodeContext context,
            @JsonProperty(FIELD_NAME_CONFIGURATION) ReadableConfig persistedConfig,
            @JsonProperty(FIELD_NAME_WINDOWING) TimeAttributeWindowingStrategy windows,
            @JsonProperty(FIELD_NAME_INPUT_PROPERTIES) List<InputProperty> inputProperties,
            @JsonProperty(FIELD_NAME_OUTPUT_TYPE) RowType outputType,
            @JsonProperty(FIELD_NAME_DESCRIPTION) String description) {
        super(id, context, persistedConfig, windows, inputProperties, outputType, description);
    }

    @Override
    protected Transformation<RowData> translateWithUnalignedWindow(
            PlannerBase planner,
            ExecNodeConfig config,
            RowType inputType,
            Transformation<RowData> input) {
        CompiledNode.translating(planner, config);
        final SessionWindowSpec window = (SessionWindowSpec) windowingStrategy.getWindow();
        final OneInputTransformation<RowData, RowData> transformation =
                ExecNodeUtil.createOneInputTransformation(
                        input,
                        createTransformationMeta(WINDOW_TRANSFORMATION, config),
                        new HeapSessionRows(
                                sessions(window, config),
                                new RowDataSerializer(inputType),
                                WindowHeap.of(config).bytes()),
                        InternalTypeInfo.of(getOutputType()),
                        input.getParallelism(),
                        false);
        final RowDataKeySelector key =
                KeySelectorUtil.getRowDataSelector(
                        planner.getFlinkContext().getClassLoader(),
                        window.getPartitionKeyIndices(),
                        InternalTypeInfo.of(inputType));
        transformation.setStateKeySelector(key);
        transformation.setStateKeyType(key.getProducedType());
        return transformation;
    }

    private SessionWindows sessions(SessionWindowSpec window, ExecNodeConfig config) {
        final long gap = window.getGap().toMillis();
        final ZoneId zone =
                TimeWindowUtil.getShiftTimeZone(
                        windowingStrategy.getTimeAttributeType(),
                        TableConfigUtils.getLocalTimeZone(config));
        return windowingStrategy.isRowtime()
                ? SessionWindows.ofRowTime(windowingStrategy.getTimeAttributeIndex(), gap, zone)
                : SessionWindows.ofProcessingTime(gap, zone);
    }
}
