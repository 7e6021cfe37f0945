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
package io.stateaccel.planner.window;

import io.stateaccel.operators.window.HeapWindowJoin;
import io.stateaccel.operators.window.HeapWindowJoinSpec;
import io.stateaccel.operators.window.WindowedRows;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.transformations.TwoInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.logical.WindowingStrategy;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
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
 * inputs, parallelism, keys and identifiers of the stock one. Never part of a compiled plan.
 */
final class StreamExecHeapWindowJoin extends StreamExecWindowJoin {

    private final JoinSpec joinSpec;
    private final WindowingStrategy leftWindowing;
    private final WindowingStrategy rightWindowing;
    private final MemorySize heap;

    StreamExecHeapWindowJoin(
            ReadableConfig tableConfig,
            JoinSpec joinSpec,
            WindowingStrategy leftWindowing,
            WindowingStrategy rightWindowing,
            MemorySize heap,
            InputProperty leftInputProperty,
            InputProperty rightInputProperty,
            RowType outputType,
            String description) {
        super(
                tableConfig,
                joinSpec,
                leftWindowing,
                rightWindowing,
                leftInputProperty,
                rightInputProperty,
                outputType,
                description);
        this.joinSpec = joinSpec;
        this.leftWindowing = leftWindowing;
        this.rightWindowing = rightWindowing;
        this.heap = heap;
    }

    @Override
    @SuppressWarnings("unchecked")
    protected Transformation<RowData> translateToPlanInternal(
            PlannerBase planner, ExecNodeConfig config) {
        final ExecEdge leftEdge = getInputEdges().get(0);
        final ExecEdge rightEdge = getInputEdges().get(1);
        final Transformation<RowData> left =
                (Transformation<RowData>) leftEdge.translateToPlan(planner);
        final Transformation<RowData> right =
                (Transformation<RowData>) rightEdge.translateToPlan(planner);
        final RowType leftType = (RowType) leftEdge.getOutputType();
        final RowType rightType = (RowType) rightEdge.getOutputType();
        JoinUtil.validateJoinSpec(joinSpec, leftType, rightType, true);
        final ClassLoader classLoader = planner.getFlinkContext().getClassLoader();
        final WindowedRows leftRows = WindowedInput.rows(leftType, leftWindowing, config, heap);
        final WindowedRows rightRows = WindowedInput.rows(rightType, rightWindowing, config, heap);
        final HeapWindowJoin operator =
                new HeapWindowJoin(
                        new HeapWindowJoinSpec(
                                joinSpec.getJoinType(),
                                leftRows,
                                rightRows,
                                JoinUtil.generateConditionFunction(
                                        config, classLoader, joinSpec, leftType, rightType),
                                joinSpec.getFilterNulls()));

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
                        classLoader, joinSpec.getLeftKeys(), leftRows.type());
        final RowDataKeySelector rightKeySelector =
                KeySelectorUtil.getRowDataSelector(
                        classLoader, joinSpec.getRightKeys(), rightRows.type());
        join.setStateKeySelectors(leftKeySelector, rightKeySelector);
        join.setStateKeyType(leftKeySelector.getProducedType());
        return join;
    }
}
