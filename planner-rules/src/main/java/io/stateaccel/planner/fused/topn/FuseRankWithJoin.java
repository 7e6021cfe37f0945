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
package io.stateaccel.planner.fused.topn;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.flink.planner.RankNode;
import io.stateaccel.planner.fused.JoinBelow;
import io.stateaccel.planner.fused.JoinKeyColumns;
import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.rule.RuleContext;
import java.util.Optional;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalRank;
import org.apache.flink.table.runtime.operators.rank.ConstantRankRange;

/**
 * Makes one node of an accelerated join and the top-N above it, where the partition key is the join
 * key.
 *
 * <p>Why that gives the same: the partition key determines the join key, so all rows of a partition
 * are results of one join key and come from one task, in the order in which that task would send
 * them; the join key determines the partition key, so there is one partition per join key, whose
 * state is that of the current key.
 */
public final class FuseRankWithJoin {

    private FuseRankWithJoin() {}

    /**
     * @param rank accelerated as such
     * @return the one node; empty where no accelerated join is below, or, which is then said in the
     *     log, where the two cannot be one
     */
    public static Optional<RelNode> fuse(StreamPhysicalRank rank, RuleContext context) {
        return JoinBelow.of(rank).flatMap(below -> fuse(rank, below, context));
    }

    private static Optional<RelNode> fuse(
            StreamPhysicalRank rank, JoinBelow below, RuleContext context) {
        final Optional<Reason> obstacle = obstacle(rank, below, context);
        if (obstacle.isPresent()) {
            context.reasons().say(rank.getRelDetailedDescription(), obstacle.get());
            return Optional.empty();
        }
        return Optional.of(new StreamPhysicalMiniBatchJoinRank(rank, below));
    }

    private static Optional<Reason> obstacle(
            StreamPhysicalRank rank, JoinBelow below, RuleContext context) {
        if (!context.tableConfig().get(StateAccelOptions.JOIN_RANK_FUSION_ENABLED)) {
            return Optional.of(Reason.RANK_FUSION_SWITCHED_OFF);
        }
        if (!context.isOneWay(below.upTo(rank))) {
            return Optional.of(Reason.UNFUSED_AS_SHARED);
        }
        if (RankNode.isDeduplication(rank)) {
            return Optional.of(Reason.DEDUPLICATION);
        }
        if (!(rank.rankRange() instanceof ConstantRankRange)) {
            return Optional.of(Reason.RANK_END_IN_COLUMN);
        }
        final JoinKeyColumns joinKey = new JoinKeyColumns(below.join());
        final Set<Integer> partitionColumns = below.joinColumns(rank.partitionKey().toArray());
        final Optional<Reason> obstacle = joinKey.whyNotDeterminedBy(partitionColumns);
        if (obstacle.isPresent()) {
            return obstacle;
        }
        return joinKey.determines(partitionColumns)
                ? Optional.empty()
                : Optional.of(Reason.SEVERAL_PARTITIONS);
    }
}
