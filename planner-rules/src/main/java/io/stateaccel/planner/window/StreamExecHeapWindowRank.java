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

import io.stateaccel.operators.window.HeapWindowRank;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.codegen.sort.ComparatorCodeGenerator;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.logical.WindowingStrategy;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.spec.PartitionSpec;
import org.apache.flink.table.planner.plan.nodes.exec.spec.SortSpec;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecWindowRank;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.operators.rank.ConstantRankRange;
import org.apache.flink.table.runtime.operators.rank.RankType;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * {@link StreamExecWindowRank} that makes a {@link HeapWindowRank}. The transformation has the
 * input, parallelism, key, managed memory and identifiers of the stock one. Never part of a
 * compiled plan.
 */
final class StreamExecHeapWindowRank extends StreamExecWindowRank {

    private final PartitionSpec partitionSpec;
    private final SortSpec sortSpec;
    private final ConstantRankRange rankRange;
    private final boolean outputRankNumber;
    private final WindowingStrategy windowing;
    private final MemorySize heap;

    StreamExecHeapWindowRank(
            ReadableConfig tableConfig,
            RankType rankType,
            PartitionSpec partitionSpec,
            SortSpec sortSpec,
            ConstantRankRange rankRange,
            boolean outputRankNumber,
            WindowingStrategy windowing,
            MemorySize heap,
            InputProperty inputProperty,
            RowType outputType,
            String description) {
        super(
                tableConfig,
                rankType,
                partitionSpec,
                sortSpec,
                rankRange,
                outputRankNumber,
                windowing,
                inputProperty,
                outputType,
                description);
        this.partitionSpec = partitionSpec;
        this.sortSpec = sortSpec;
        this.rankRange = rankRange;
        this.outputRankNumber = outputRankNumber;
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
        final ClassLoader classLoader = planner.getFlinkContext().getClassLoader();
        final HeapWindowRank operator =
                new HeapWindowRank(
                        WindowedInput.rows(inputType, windowing, config, heap),
                        ComparatorCodeGenerator.gen(
                                config, classLoader, "WindowRankComparator", inputType, sortSpec),
                        KeySelectorUtil.getRowDataSelector(
                                classLoader,
                                sortSpec.getFieldIndices(),
                                InternalTypeInfo.of(inputType)),
                        rankRange.getRankStart(),
                        rankRange.getRankEnd(),
                        outputRankNumber);

        final OneInputTransformation<RowData, RowData> rank =
                ExecNodeUtil.createOneInputTransformation(
                        input,
                        createTransformationMeta(WINDOW_RANK_TRANSFORMATION, config),
                        SimpleOperatorFactory.of(operator.operator()),
                        InternalTypeInfo.of(getOutputType()),
                        input.getParallelism(),
                        WindowedInput.MEMORY_RATIO,
                        false);
        final RowDataKeySelector keySelector =
                KeySelectorUtil.getRowDataSelector(
                        classLoader,
                        partitionSpec.getFieldIndices(),
                        InternalTypeInfo.of(inputType));
        rank.setStateKeySelector(keySelector);
        rank.setStateKeyType(keySelector.getProducedType());
        return rank;
    }
}
