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
package io.stateaccel.planner.window.join;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.operators.window.WindowedRows;
import io.stateaccel.operators.window.join.HeapWindowJoin;
import io.stateaccel.operators.window.join.HeapWindowJoinSpec;
import io.stateaccel.planner.compiled.CompiledNode;
import io.stateaccel.planner.window.WindowedInput;
import java.util.List;
import org.apache.flink.FlinkVersion;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonCreator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.streaming.api.transformations.TwoInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.logical.WindowingStrategy;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.spec.JoinSpec;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecWindowJoin;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.planner.plan.utils.JoinUtil;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * {@link StreamExecWindowJoin} that makes a {@link HeapWindowJoin}. The transformation has the
 * inputs, parallelism, keys and identifiers of the stock one.
 */
@ExecNodeMetadata(
        name = "state-accel-window-join",
        version = 1,
        producedTransformations = StreamExecWindowJoin.WINDOW_JOIN_TRANSFORMATION,
        minPlanVersion = FlinkVersion.v1_20,
        minStateVersion = FlinkVersion.v1_20)
public final class StreamExecHeapWindowJoin extends StreamExecWindowJoin {

    private final JoinSpec joined;
    private final WindowingStrategy leftWindows;
    private final WindowingStrategy rightWindows;

    public StreamExecHeapWindowJoin(
            ReadableConfig tableConfig,
            JoinSpec joinSpec,
            WindowingStrategy leftWindowing,
            WindowingStrategy rightWindowing,
            RowType outputType,
            String description) {
        this(
                ExecNodeContext.newNodeId(),
                CompiledNode.context(StreamExecHeapWindowJoin.class, StreamExecWindowJoin.class),
                CompiledNode.config(
                        StreamExecWindowJoin.class,
                        tableConfig,
                        List.of(StateAccelOptions.WINDOW_HEAP_SIZE)),
                joinSpec,
                leftWindowing,
                rightWindowing,
                List.of(InputProperty.DEFAULT, InputProperty.DEFAULT),
                outputType,
                description);
    }

    @JsonCreator
    public StreamExecHeapWindowJoin(
            @JsonProperty(FIELD_NAME_ID) int id,
            @JsonProperty(FIELD_NAME_TYPE) ExecNodeContext context,
            @JsonProperty(FIELD_NAME_CONFIGURATION) ReadableConfig persistedConfig,
            @JsonProperty(FIELD_NAME_JOIN_SPEC) JoinSpec joinSpec,
            @JsonProperty(FIELD_NAME_LEFT_WINDOWING) WindowingStrategy leftWindowing,
            @JsonProperty(FIELD_NAME_RIGHT_WINDOWING) WindowingStrategy rightWindowing,
            @JsonProperty(FIELD_NAME_INPUT_PROPERTIES) List<InputProperty> inputProperties,
            @JsonProperty(FIELD_NAME_OUTPUT_TYPE) RowType outputType,
            @JsonProperty(FIELD_NAME_DESCRIPTION) String description) {
        super(
                id,
                context,
                persistedConfig,
                joinSpec,
                leftWindowing,
                rightWindowing,
                inputProperties,
                outputType,
                description);
        this.joined = joinSpec;
        this.leftWindows = leftWindowing;
        this.rightWindows = rightWindowing;
    }

    @Override
    @SuppressWarnings("unchecked")
    protected Transformation<RowData> translateToPlanInternal(
            PlannerBase planner, ExecNodeConfig config) {
        CompiledNode.translating(planner, config);
        final ExecEdge leftEdge = getInputEdges().get(0);
        final ExecEdge rightEdge = getInputEdges().get(1);
        final Transformation<RowData> left =
                (Transformation<RowData>) leftEdge.translateToPlan(planner);
        final Transformation<RowData> right =
                (Transformation<RowData>) rightEdge.translateToPlan(planner);
        final RowType leftType = (RowType) leftEdge.getOutputType();
        final RowType rightType = (RowType) rightEdge.getOutputType();
        JoinUtil.validateJoinSpec(joined, leftType, rightType, true);
        final ClassLoader classLoader = planner.getFlinkContext().getClassLoader();
        final WindowedRows leftRows = WindowedInput.rows(leftType, leftWindows, config);
        final WindowedRows rightRows = WindowedInput.rows(rightType, rightWindows, config);
        final HeapWindowJoin operator =
                new HeapWindowJoin(
                        new HeapWindowJoinSpec(
                                joined.getJoinType(),
                                leftRows,
                                rightRows,
                                JoinUtil.generateConditionFunction(
                                        config, classLoader, joined, leftType, rightType),
                                joined.getFilterNulls()));

        final TwoInputTransformation<RowData, RowData, RowData> join =
                ExecNodeUtil.createTwoInputTransformation(
                        left,
                        right,
                        createTransformationMeta(WINDOW_JOIN_TRANSFORMATION, config),
                        operator,
                        InternalTypeInfo.of(getOutputType()),
                        left.getParallelism(),
                        false);
        final RowDataKeySelector leftKeySelector =
                KeySelectorUtil.getRowDataSelector(
                        classLoader, joined.getLeftKeys(), leftRows.type());
        final RowDataKeySelector rightKeySelector =
                KeySelectorUtil.getRowDataSelector(
                        classLoader, joined.getRightKeys(), rightRows.type());
        join.setStateKeySelectors(leftKeySelector, rightKeySelector);
        join.setStateKeyType(leftKeySelector.getProducedType());
        return join;
    }
}
