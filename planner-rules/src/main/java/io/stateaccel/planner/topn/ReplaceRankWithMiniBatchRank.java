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

import io.stateaccel.flink.planner.RankNode;
import io.stateaccel.planner.fused.topn.FuseRankWithJoin;
import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.rule.AccelerationRule;
import io.stateaccel.planner.rule.Decision;
import io.stateaccel.planner.rule.NodePattern;
import io.stateaccel.planner.rule.RuleContext;
import java.util.List;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalRank;
import org.apache.flink.table.planner.plan.utils.RankProcessStrategy;
import org.apache.flink.table.runtime.operators.rank.ConstantRankRange;

/** Swaps a top-N, or a deduplication, for one that works on bundles. */
public final class ReplaceRankWithMiniBatchRank implements AccelerationRule<StreamPhysicalRank> {

    /** Rows that are stored as one value; a flush that changes one writes all. */
    private static final long MOST_STORED_ROWS = 1_000;

    private static final NodePattern<StreamPhysicalRank> PATTERN =
            NodePattern.exactly(StreamPhysicalRank.class);

    @Override
    public NodePattern<StreamPhysicalRank> pattern() {
        return PATTERN;
    }

    @Override
    public Decision decide(StreamPhysicalRank rank, RuleContext context) {
        if (context.isAsyncStateEnabled()) {
            return Decision.stays(Reason.ASYNC_STATE);
        }
        if (!(rank.rankRange() instanceof ConstantRankRange range)) {
            return Decision.stays(Reason.VARIABLE_RANK_END);
        }
        final boolean deduplicates = RankNode.isDeduplication(rank);
        if (!deduplicates && isByProcessingTime(rank.getInput(), rank.orderKey())) {
            return Decision.stays(Reason.RANK_BY_PROCESSING_TIME);
        }
        if (isTooLong(rank.rankStrategy(), range.getRankEnd())) {
            return Decision.stays(Reason.LONG_TOP_N);
        }
        return Decision.replaceBy(
                FuseRankWithJoin.fuse(rank, context)
                        .orElseGet(() -> new StreamPhysicalMiniBatchRank(rank, context)));
    }

    /** Whether there are more rows than are stored as one value. */
    static boolean isTooLong(RankProcessStrategy strategy, long end) {
        return !(strategy instanceof RankProcessStrategy.RetractStrategy) && end > MOST_STORED_ROWS;
    }

    /** Whether the order is, in a part of it, one of rows that carry nothing to be ordered by. */
    static boolean isByProcessingTime(RelNode input, RelCollation order) {
        final List<RelDataTypeField> fields = input.getRowType().getFieldList();
        return order.getFieldCollations().stream()
                .map(sorted -> fields.get(sorted.getFieldIndex()).getType())
                .anyMatch(FlinkTypeFactory::isProctimeIndicatorType);
    }
}
