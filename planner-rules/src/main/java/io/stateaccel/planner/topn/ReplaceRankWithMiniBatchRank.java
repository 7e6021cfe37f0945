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

import io.stateaccel.planner.fused.topn.FuseRankWithJoin;
import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.rule.AccelerationRule;
import io.stateaccel.planner.rule.Decision;
import io.stateaccel.planner.rule.NodePattern;
import io.stateaccel.planner.rule.RuleContext;
import org.apache.calcite.rel.RelNode;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalRank;
import org.apache.flink.table.runtime.operators.rank.VariableRankRange;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;

/** Swaps a top-N, or a deduplication, for one that works on bundles. */
public final class ReplaceRankWithMiniBatchRank implements AccelerationRule<StreamPhysicalRank> {

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
        if (rank.rankRange() instanceof VariableRankRange upToColumn) {
            if (!isRank(typeOf(upToColumn, rank.getInput()))) {
                return Decision.stays(Reason.RANK_END_TYPE);
            }
            if (context.stateTtlMillis() > 0) {
                return Decision.stays(Reason.RANK_END_EXPIRES);
            }
        }
        return Decision.replaceBy(
                FuseRankWithJoin.fuse(rank, context)
                        .orElseGet(() -> new StreamPhysicalMiniBatchRank(rank, context)));
    }

    private static LogicalType typeOf(VariableRankRange ranks, RelNode ranked) {
        return FlinkTypeFactory.toLogicalRowType(ranked.getRowType())
                .getTypeAt(ranks.getRankEndIndex());
    }

    /** Whether Flink takes it for the last rank, which it checks when it runs. */
    private static boolean isRank(LogicalType type) {
        return type.isAnyOf(
                LogicalTypeRoot.BIGINT, LogicalTypeRoot.INTEGER, LogicalTypeRoot.SMALLINT);
    }
}
