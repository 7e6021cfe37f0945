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
package io.stateaccel.planner.topn;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.rank.MiniBatchRankOperator;
import io.stateaccel.operators.rank.MiniBatchRankSpec;
import io.stateaccel.operators.rank.RankInput;
import io.stateaccel.views.time.TimeToLive;
import java.util.stream.IntStream;
import javax.annotation.Nullable;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.codegen.sort.ComparatorCodeGenerator;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.spec.PartitionSpec;
import org.apache.flink.table.planner.plan.nodes.exec.spec.SortSpec;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecRank;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.planner.plan.nodes.exec.utils.TransformationMetadata;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.planner.plan.utils.RankProcessStrategy;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.operators.rank.ComparableRecordComparator;
import org.apache.flink.table.runtime.operators.rank.ConstantRankRange;
import org.apache.flink.table.runtime.operators.rank.RankRange;
import org.apache.flink.table.runtime.operators.rank.VariableRankRange;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.typeutils.TypeCheckUtils;
import org.apache.flink.table.types.logical.RowType;

/**
 * What is known of a top-N on bundles when it is planned, by the columns of what is ranked.
 * Compiled plans have it where a top-N is one with a join.
 */
public record Ranking(
        @JsonProperty(StreamExecRank.FIELD_NAME_PARTITION_SPEC) PartitionSpec partitionSpec,
        @JsonProperty(StreamExecRank.FIELD_NAME_SORT_SPEC) SortSpec sortSpec,
        @JsonProperty(StreamExecRank.FIELD_NAME_RANK_RANG) RankRange rankRange,
        @JsonProperty(StreamExecRank.FIELD_NAME_RANK_STRATEGY) RankProcessStrategy rankStrategy,
        @JsonProperty(StreamExecRank.FIELD_NAME_OUTPUT_RANK_NUMBER) boolean outputRankNumber,
        @JsonProperty(StreamExecRank.FIELD_NAME_GENERATE_UPDATE_BEFORE)
                boolean generateUpdateBefore,
        @JsonProperty(FIELD_NAME_NEVER_TAKES_BACK) boolean neverTakesBack) {

    static final String FIELD_NAME_NEVER_TAKES_BACK = "neverTakesBack";

    /** Up to a column there may be any number of ranks. */
    private static final ConstantRankRange UP_TO_COLUMN = new ConstantRankRange(1, Long.MAX_VALUE);

    /** A flush that changes one of them writes all. */
    private static final long MOST_ROWS_IN_ONE_VALUE = 1_000;

    /**
     * @param inputType what is ranked
     */
    public MiniBatchRankSpec operatorSpec(
            RowType inputType,
            TimeToLive ttl,
            ExecNodeConfig config,
            ClassLoader classLoader,
            BundleSettings bundle) {
        final InternalTypeInfo<RowData> rowType = InternalTypeInfo.of(inputType);
        return new MiniBatchRankSpec(
                input(inputType),
                rowType,
                KeySelectorUtil.getRowDataSelector(
                        classLoader, partitionSpec.getFieldIndices(), rowType),
                ComparatorCodeGenerator.gen(
                        config, classLoader, "RankRowComparator", inputType, sortSpec),
                KeySelectorUtil.getRowDataSelector(
                        classLoader, sortSpec.getFieldIndices(), rowType),
                sortKeyComparator(inputType, config, classLoader),
                rowKeySelector(rowType, classLoader),
                ranks().getRankStart(),
                ranks().getRankEnd(),
                rankEndColumn(),
                outputRankNumber,
                generateUpdateBefore,
                neverTakesBack,
                storesRowsApart(),
                config.get(ExecutionConfigOptions.TABLE_EXEC_RANK_TOPN_CACHE_SIZE),
                ttl,
                bundle);
    }

    /**
     * The operator, within the plan.
     *
     * @param inputEdge brings what is ranked
     * @param meta the name and more
     */
    @SuppressWarnings("unchecked")
    Transformation<RowData> translate(
            ExecEdge inputEdge,
            PlannerBase planner,
            ExecNodeConfig config,
            TimeToLive ttl,
            BundleSettings bundle,
            TransformationMetadata meta,
            RowType outputType) {
        final Transformation<RowData> input =
                (Transformation<RowData>) inputEdge.translateToPlan(planner);
        final MiniBatchRankSpec spec =
                operatorSpec(
                        (RowType) inputEdge.getOutputType(),
                        ttl,
                        config,
                        planner.getFlinkContext().getClassLoader(),
                        bundle);
        final OneInputTransformation<RowData, RowData> rank =
                ExecNodeUtil.createOneInputTransformation(
                        input,
                        meta,
                        new MiniBatchRankOperator(spec),
                        InternalTypeInfo.of(outputType),
                        input.getParallelism(),
                        false);
        rank.setStateKeySelector(spec.partitionKeySelector());
        rank.setStateKeyType(spec.partitionKeySelector().getProducedType());
        return rank;
    }

    private ConstantRankRange ranks() {
        return rankRange instanceof ConstantRankRange constant ? constant : UP_TO_COLUMN;
    }

    @Nullable
    private Integer rankEndColumn() {
        return rankRange instanceof VariableRankRange variable ? variable.getRankEndIndex() : null;
    }

    /**
     * Whether there may be so many rows that a change should not write them all, or the order is
     * none, so that they are one value in Flink too.
     */
    private boolean storesRowsApart() {
        return ranks().getRankEnd() > MOST_ROWS_IN_ONE_VALUE || sortSpec.getFieldSize() == 0;
    }

    private RankInput input(RowType inputType) {
        if (rankStrategy instanceof RankProcessStrategy.AppendFastStrategy) {
            return isByArrival(inputType) ? RankInput.ARRIVAL : RankInput.APPEND;
        }
        return rankStrategy instanceof RankProcessStrategy.UpdateFastStrategy
                ? RankInput.UPDATE
                : RankInput.RETRACT;
    }

    /** Where Flink counts rows. By any other order with a processing time all are equal in that. */
    private boolean isByArrival(RowType inputType) {
        return sortSpec.getFieldSize() == 1
                && sortSpec.getFieldSpec(0).getIsAscendingOrder()
                && TypeCheckUtils.isProcTime(sortSpec.getFieldTypes(inputType)[0]);
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
