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

import io.stateaccel.operators.window.HeapWindowDeduplicate;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.logical.WindowingStrategy;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
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
 * Never part of a compiled plan.
 */
final class StreamExecHeapWindowDeduplicate extends StreamExecWindowDeduplicate {

    private final int[] partitionKeys;
    private final int orderKey;
    private final boolean keepLastRow;
    private final WindowingStrategy windowing;
    private final MemorySize heap;

    StreamExecHeapWindowDeduplicate(
            ReadableConfig tableConfig,
            int[] partitionKeys,
            int orderKey,
            boolean keepLastRow,
            WindowingStrategy windowing,
            MemorySize heap,
            InputProperty inputProperty,
            RowType outputType,
            String description) {
        super(
                tableConfig,
                partitionKeys,
                orderKey,
                keepLastRow,
                windowing,
                inputProperty,
                outputType,
                description);
        this.partitionKeys = partitionKeys;
        this.orderKey = orderKey;
        this.keepLastRow = keepLastRow;
        this.windowing = windowing;
        this.heap = heap;
    }

    @Override
    @SuppressWarnings("unchecked")
    protected Transformation<RowData> translateToPlanInternal(
            PlannerBase planner, ExecNodeConfig config) {
        final ExecEdge inputEdge = getInputEdges().get(0);
        final Transformation<RowData> input =
                (Transformation<RowData>) inputEdge.translateToPlan(planner);
        final RowType inputType = (RowType) inputEdge.getOutputType();
        final HeapWindowDeduplicate operator =
                new HeapWindowDeduplicate(
                        WindowedInput.rows(inputType, windowing, config, heap),
                        orderKey,
                        keepLastRow);

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
                        partitionKeys,
                        InternalTypeInfo.of(inputType));
        deduplicate.setStateKeySelector(keySelector);
        deduplicate.setStateKeyType(keySelector.getProducedType());
        return deduplicate;
    }
}
