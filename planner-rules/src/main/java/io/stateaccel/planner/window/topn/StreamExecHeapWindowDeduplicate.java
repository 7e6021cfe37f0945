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
package io.stateaccel.planner.window.topn;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.operators.window.topn.HeapWindowDeduplicate;
import io.stateaccel.planner.compiled.CompiledNode;
import io.stateaccel.planner.window.WindowedInput;
import java.util.List;
import org.apache.flink.FlinkVersion;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonCreator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.logical.WindowingStrategy;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecWindowDeduplicate;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * {@link StreamExecWindowDeduplicate} that makes a {@link HeapWindowDeduplicate}. The
 * transformation has the input, parallelism, key, managed memory and identifiers of the stock one.
 */
@ExecNodeMetadata(
        name = "state-accel-window-deduplicate",
        version = 1,
        producedTransformations = StreamExecWindowDeduplicate.WINDOW_DEDUPLICATE_TRANSFORMATION,
        minPlanVersion = FlinkVersion.v1_20,
        minStateVersion = FlinkVersion.v1_20)
public final class StreamExecHeapWindowDeduplicate extends StreamExecWindowDeduplicate {

    private final int[] keys;
    private final int order;
    private final boolean keepsLast;
    private final WindowingStrategy windows;

    public StreamExecHeapWindowDeduplicate(
            ReadableConfig tableConfig,
            int[] partitionKeys,
            int orderKey,
            boolean keepLastRow,
            WindowingStrategy windowing,
            RowType outputType,
            String description) {
        this(
                ExecNodeContext.newNodeId(),
                CompiledNode.context(
                        StreamExecHeapWindowDeduplicate.class, StreamExecWindowDeduplicate.class),
                CompiledNode.config(
                        StreamExecWindowDeduplicate.class,
                        tableConfig,
                        List.of(StateAccelOptions.WINDOW_HEAP_SIZE)),
                partitionKeys,
                orderKey,
                keepLastRow,
                windowing,
                List.of(InputProperty.DEFAULT),
                outputType,
                description);
    }

    @JsonCreator
    public StreamExecHeapWindowDeduplicate(
            @JsonProperty(FIELD_NAME_ID) int id,
            @JsonProperty(FIELD_NAME_TYPE) ExecNodeContext context,
            @JsonProperty(FIELD_NAME_CONFIGURATION) ReadableConfig persistedConfig,
            @JsonProperty(FIELD_NAME_PARTITION_KEYS) int[] partitionKeys,
            @JsonProperty(FIELD_NAME_ORDER_KEY) int orderKey,
            @JsonProperty(FIELD_NAME_KEEP_LAST_ROW) boolean keepLastRow,
            @JsonProperty(FIELD_NAME_WINDOWING) WindowingStrategy windowing,
            @JsonProperty(FIELD_NAME_INPUT_PROPERTIES) List<InputProperty> inputProperties,
            @JsonProperty(FIELD_NAME_OUTPUT_TYPE) RowType outputType,
            @JsonProperty(FIELD_NAME_DESCRIPTION) String description) {
        super(
                id,
                context,
                persistedConfig,
                partitionKeys,
                orderKey,
                keepLastRow,
                windowing,
                inputProperties,
                outputType,
                description);
        this.keys = partitionKeys;
        this.order = orderKey;
        this.keepsLast = keepLastRow;
        this.windows = windowing;
    }

    @Override
    @SuppressWarnings("unchecked")
    protected Transformation<RowData> translateToPlanInternal(
            PlannerBase planner, ExecNodeConfig config) {
        CompiledNode.translating(planner, config);
        final ExecEdge inputEdge = getInputEdges().get(0);
        final Transformation<RowData> input =
                (Transformation<RowData>) inputEdge.translateToPlan(planner);
        final RowType inputType = (RowType) inputEdge.getOutputType();
        final HeapWindowDeduplicate operator =
                new HeapWindowDeduplicate(
                        WindowedInput.rows(inputType, windows, config), order, keepsLast);

        final OneInputTransformation<RowData, RowData> deduplicate =
                ExecNodeUtil.createOneInputTransformation(
                        input,
                        createTransformationMeta(WINDOW_DEDUPLICATE_TRANSFORMATION, config),
                        SimpleOperatorFactory.of(operator.operator()),
                        InternalTypeInfo.of(getOutputType()),
                        input.getParallelism(),
                        WindowedInput.MEMORY_RATIO,
                        false);
        final RowDataKeySelector keySelector =
                KeySelectorUtil.getRowDataSelector(
                        planner.getFlinkContext().getClassLoader(),
                        keys,
                        InternalTypeInfo.of(inputType));
        deduplicate.setStateKeySelector(keySelector);
        deduplicate.setStateKeyType(keySelector.getProducedType());
        return deduplicate;
    }
}
