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
package io.stateaccel.planner.nodes.exec;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.rank.MiniBatchRankOperator;
import io.stateaccel.operators.rank.MiniBatchRankSpec;
import io.stateaccel.operators.rank.RankInput;
import java.util.stream.IntStream;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.codegen.sort.ComparatorCodeGenerator;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.spec.PartitionSpec;
import org.apache.flink.table.planner.plan.nodes.exec.spec.SortSpec;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecRank;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.planner.plan.utils.RankProcessStrategy;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.operators.rank.ComparableRecordComparator;
import org.apache.flink.table.runtime.operators.rank.ConstantRankRange;
import org.apache.flink.table.runtime.operators.rank.RankType;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/** Translates a top-N on bundles; stands in for Flink's {@link StreamExecRank}. */
public final class StreamExecMiniBatchRank extends StreamExecRank {

    private final PartitionSpec partitionSpec;
    private final SortSpec sortSpec;
    private final ConstantRankRange rankRange;
    private final RankProcessStrategy rankStrategy;
    private final boolean outputRankNumber;
    private final boolean generateUpdateBefore;
    private final BundleSettings bundle;

    public StreamExecMiniBatchRank(
            ReadableConfig tableConfig,
            RankType rankType,
            PartitionSpec partitionSpec,
            SortSpec sortSpec,
            ConstantRankRange rankRange,
            RankProcessStrategy rankStrategy,
            boolean outputRankNumber,
            boolean generateUpdateBefore,
            BundleSettings bundle,
            InputProperty inputProperty,
            RowType outputType,
            String description) {
        super(
                tableConfig,
                rankType,
                partitionSpec,
                sortSpec,
                rankRange,
                rankStrategy,
                outputRankNumber,
                generateUpdateBefore,
                inputProperty,
                outputType,
                description);
        this.partitionSpec = partitionSpec;
        this.sortSpec = sortSpec;
        this.rankRange = rankRange;
        this.rankStrategy = rankStrategy;
        this.outputRankNumber = outputRankNumber;
        this.generateUpdateBefore = generateUpdateBefore;
        this.bundle = bundle;
    }

    @Override
    @SuppressWarnings("unchecked")
    protected Transformation<RowData> translateToPlanInternal(
            PlannerBase planner, ExecNodeConfig config) {
        final ExecEdge inputEdge = getInputEdges().get(0);
        final Transformation<RowData> input =
                (Transformation<RowData>) inputEdge.translateToPlan(planner);
        final MiniBatchRankSpec spec =
                spec(
                        (RowType) inputEdge.getOutputType(),
                        config,
                        planner.getFlinkContext().getClassLoader());

        final OneInputTransformation<RowData, RowData> rank =
                ExecNodeUtil.createOneInputTransformation(
                        input,
                        createTransformationMeta(RANK_TRANSFORMATION, config),
                        new MiniBatchRankOperator(spec),
                        InternalTypeInfo.of((RowType) getOutputType()),
                        input.getParallelism(),
                        false);
        rank.setStateKeySelector(spec.partitionKeySelector());
        rank.setStateKeyType(spec.partitionKeySelector().getProducedType());
        return rank;
    }

    private MiniBatchRankSpec spec(
            RowType inputType, ExecNodeConfig config, ClassLoader classLoader) {
        final InternalTypeInfo<RowData> rowType = InternalTypeInfo.of(inputType);
        return new MiniBatchRankSpec(
                input(),
                rowType,
                KeySelectorUtil.getRowDataSelector(
                        classLoader, partitionSpec.getFieldIndices(), rowType),
                ComparatorCodeGenerator.gen(
                        config, classLoader, "RankRowComparator", inputType, sortSpec),
                KeySelectorUtil.getRowDataSelector(
                        classLoader, sortSpec.getFieldIndices(), rowType),
                sortKeyComparator(inputType, config, classLoader),
                rowKeySelector(rowType, classLoader),
                rankRange.getRankStart(),
                rankRange.getRankEnd(),
                outputRankNumber,
                generateUpdateBefore,
                bundle);
    }

    private RankInput input() {
        if (rankStrategy instanceof RankProcessStrategy.AppendFastStrategy) {
            return RankInput.APPEND;
        }
        return rankStrategy instanceof RankProcessStrategy.UpdateFastStrategy
                ? RankInput.UPDATE
                : RankInput.RETRACT;
    }

    /** Equal to the one that Flink makes, since it is part of the state's serializer. */
    private ComparableRecordComparator sortKeyComparator(
            RowType inputType, ExecNodeConfig config, ClassLoader classLoader) {
        final int[] positions = IntStream.range(0, sortSpec.getFieldSize()).toArray();
        final SortSpec.SortSpecBuilder ofSortKey = SortSpec.builder();
        for (int position : positions) {
            ofSortKey.addField(
                    position,
                    sortSpec.getFieldSpec(position).getIsAscendingOrder(),
                    sortSpec.getFieldSpec(position).getNullIsLast());
        }
        return new ComparableRecordComparator(
                ComparatorCodeGenerator.gen(
                        config,
                        classLoader,
                        "StreamExecSortComparator",
                        RowType.of(sortSpec.getFieldTypes(inputType)),
                        ofSortKey.build()),
                positions,
                sortSpec.getFieldTypes(inputType),
                sortSpec.getAscendingOrders(),
                sortSpec.getNullsIsLast());
    }

    private RowDataKeySelector rowKeySelector(
            InternalTypeInfo<RowData> rowType, ClassLoader classLoader) {
        return rankStrategy instanceof RankProcessStrategy.UpdateFastStrategy byKey
                ? KeySelectorUtil.getRowDataSelector(classLoader, byKey.getPrimaryKeys(), rowType)
                : null;
    }
}
