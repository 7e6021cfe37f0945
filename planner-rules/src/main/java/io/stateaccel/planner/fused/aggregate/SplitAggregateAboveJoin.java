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
package io.stateaccel.planner.fused.aggregate;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.planner.aggregate.AggregateFunctions;
import io.stateaccel.planner.fused.JoinBelow;
import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.rule.RuleContext;
import java.util.Optional;
import org.apache.calcite.rel.RelNode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGroupAggregate;
import org.apache.flink.table.planner.plan.utils.AggregateUtil;

/**
 * Aggregates the results of a bundle in the operator of an accelerated join, where the aggregate
 * above cannot be fused with it as a whole, and merges what they come to behind the exchange.
 *
 * <pre>
 *   GroupAggregate(groupBy=[c])            GroupAggregateOfPartials(groupBy=[c])
 *   +- Exchange(hash[c])                   +- Exchange(hash[c])
 *      +- Calc(select=[c, x])        to       +- MiniBatchJoinLocalAggregate(a = b, groupBy=[c])
 *         +- MiniBatchJoin(a = b)                +- Exchange(hash[a])
 *            +- Exchange(hash[a])                |  +- left
 *            |  +- left                          +- Exchange(hash[b])
 *            +- Exchange(hash[b])                   +- right
 *               +- right
 * </pre>
 *
 * <p>Why the result is the same: an accumulator stands for the changes that went into it, and
 * {@code merge} of two stands for those of both, in any order, also where one takes back what only
 * the other has (Flink's own two-phase aggregates rest on the same, as {@code
 * TwoStageOptimizedAggregateRule} says, and need the user's mini-batch). The exchange gives all
 * accumulators of a group to one task, none of them stays behind when a snapshot is taken, and the
 * aggregate emits what it would for the changes themselves. The order in which results of a join
 * reach an aggregate is not defined in stock either, so functions that depend on it (a sum of
 * DOUBLE, LISTAGG) are as defined as before.
 */
public final class SplitAggregateAboveJoin {

    private SplitAggregateAboveJoin() {}

    /**
     * @param aggregate not fused with the join below it
     * @return the one node for both phases; empty where the option is off, no accelerated join is
     *     below or, which is then said in the log, it cannot be done
     */
    public static Optional<RelNode> split(
            StreamPhysicalGroupAggregate aggregate, RuleContext context) {
        return context.tableConfig().get(StateAccelOptions.JOIN_LOCAL_AGGREGATE_ENABLED)
                ? JoinBelow.of(aggregate)
                        // Without one nothing is saved.
                        .filter(below -> below.exchange() != null)
                        .flatMap(below -> split(aggregate, below, context))
                : Optional.empty();
    }

    private static Optional<RelNode> split(
            StreamPhysicalGroupAggregate aggregate, JoinBelow below, RuleContext context) {
        if (!context.isOneWay(below.upTo(aggregate))) {
            context.reasons()
                    .say(aggregate.getRelDetailedDescription(), Reason.ONE_PHASE_AS_SHARED);
            return Optional.empty();
        }
        if (!AggregateUtil.doAllSupportPartialMerge(AggregateFunctions.of(aggregate).aggInfos())) {
            context.reasons().say(aggregate.getRelDetailedDescription(), Reason.NO_MERGE);
            return Optional.empty();
        }
        return Optional.of(
                new StreamPhysicalMiniBatchJoinTwoPhaseAggregate(aggregate, below, context));
    }
}
