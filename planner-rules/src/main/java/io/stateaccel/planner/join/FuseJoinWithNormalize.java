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
package io.stateaccel.planner.join;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.planner.normalize.StreamPhysicalMiniBatchChangelogNormalize;
import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.rule.RuleContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.flink.table.planner.hint.StateTtlHint;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalCalcBase;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalExchange;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalJoin;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalWatermarkAssigner;
import org.apache.flink.table.planner.plan.utils.ChangelogPlanUtils;

/**
 * Has a join normalise an input whose primary key is the join key, as the row of each key that is
 * needed for that is the one that the join has anyway.
 *
 * <pre>
 *   MiniBatchJoin(a = b)                        MiniBatchJoin(a = b, normalized=[left])
 *   +- Exchange(hash[a])                  to    +- Exchange(hash[a])
 *   |  +- ChangelogNormalize(key=[a])           |  +- left
 *   |     +- Exchange(hash[a])                  +- Exchange(hash[b])
 *   |        +- left                               +- right
 *   +- Exchange(hash[b])
 *      +- right
 * </pre>
 *
 * <p>Why that gives the same: all changes of a key come to one task of the join, in their order, as
 * they come to one of the normalisation; the join has one row per key on that side, the last one
 * that was let through.
 */
final class FuseJoinWithNormalize {

    private FuseJoinWithNormalize() {}

    /**
     * @param accelerated the join, accelerated as such
     * @param join as it was planned
     * @return the join that normalises what it may, about the rest of which the log says why not
     */
    static StreamPhysicalMiniBatchJoin fuse(
            StreamPhysicalMiniBatchJoin accelerated, StreamPhysicalJoin join, RuleContext context) {
        if (!context.tableConfig().get(StateAccelOptions.JOIN_NORMALIZE_FUSION_ENABLED)) {
            return accelerated;
        }
        return fuse(false, fuse(true, accelerated, join, context), join, context);
    }

    private static StreamPhysicalMiniBatchJoin fuse(
            boolean isLeft,
            StreamPhysicalMiniBatchJoin accelerated,
            StreamPhysicalJoin join,
            RuleContext context) {
        final List<RelNode> way = new ArrayList<>(List.of(join));
        RelNode input = isLeft ? join.getLeft() : join.getRight();
        while (isPassedBy(input)) {
            way.add(0, input);
            input = input.getInput(0);
        }
        if (!(input instanceof StreamPhysicalMiniBatchChangelogNormalize normalize)) {
            return accelerated;
        }
        way.add(0, normalize);
        final Optional<Reason> obstacle = obstacle(isLeft, normalize, way, join, context);
        if (obstacle.isPresent()) {
            context.reasons().say(normalize.getRelDetailedDescription(), obstacle.get());
            return accelerated;
        }
        return accelerated.normalizing(
                isLeft,
                new NormalizedSide(
                        ChangelogPlanUtils.generateUpdateBefore(normalize),
                        normalize.filterCondition()),
                input(normalize, way.get(1)));
    }

    /** Whether it makes of each row one at most and remembers none. */
    private static boolean isPassedBy(RelNode node) {
        return node instanceof StreamPhysicalExchange
                || node instanceof StreamPhysicalCalcBase
                || node instanceof StreamPhysicalWatermarkAssigner;
    }

    /**
     * What is normalised, by the hash of the join key, whose columns may come in another order.
     *
     * @param above what is above the normalisation
     */
    private static RelNode input(
            StreamPhysicalMiniBatchChangelogNormalize normalize, RelNode above) {
        if (!(above instanceof StreamPhysicalExchange byJoinKey
                        && normalize.getInput() instanceof StreamPhysicalExchange byKey)
                || byKey.getDistribution().equals(byJoinKey.getDistribution())) {
            return normalize.getInput();
        }
        return byKey.copy(
                byKey.getTraitSet().replace(byJoinKey.getDistribution()),
                byKey.getInput(),
                byJoinKey.getDistribution());
    }

    private static boolean leavesRowsAlone(RelNode node) {
        return !isPassedBy(node) || node instanceof StreamPhysicalExchange;
    }

    private static Optional<Reason> obstacle(
            boolean isLeft,
            StreamPhysicalMiniBatchChangelogNormalize normalize,
            List<RelNode> way,
            StreamPhysicalJoin join,
            RuleContext context) {
        if (!way.stream().allMatch(FuseJoinWithNormalize::leavesRowsAlone)) {
            return Optional.of(Reason.NORMALIZED_FURTHER_BELOW);
        }
        final int[] joinKey =
                isLeft ? join.joinSpec().getLeftKeys() : join.joinSpec().getRightKeys();
        if (!ImmutableBitSet.of(joinKey).equals(ImmutableBitSet.of(normalize.uniqueKeys()))) {
            return Optional.of(Reason.NORMALIZED_BY_ANOTHER_KEY);
        }
        if (context.stateTtlMillis() > 0
                || !StateTtlHint.getStateTtlFromHintOnBiRel(join.getHints()).isEmpty()) {
            return Optional.of(Reason.NORMALIZED_ROWS_EXPIRE);
        }
        return context.isOneWay(way) ? Optional.empty() : Optional.of(Reason.NORMALIZED_AS_SHARED);
    }
}
