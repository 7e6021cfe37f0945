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
import io.stateaccel.planner.fused.JoinKeyColumns;
import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.rule.RuleContext;
import java.util.Optional;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGroupAggregate;
import org.apache.flink.table.planner.plan.utils.AggregateInfoList;

/**
 * Makes one node of a group aggregate and the accelerated join below it.
 *
 * <pre>
 *   GroupAggregate(groupBy=[a, c])            MiniBatchJoinAggregate(join=[a = b], groupBy=[a, c])
 *   +- Exchange(hash[a, c])             to    +- Exchange(hash[a])
 *      +- Calc(select=[a, c, x])              |  +- left
 *         +- MiniBatchJoin(a = b)             +- Exchange(hash[b])
 *            +- Exchange(hash[a])                +- right
 *            |  +- left
 *            +- Exchange(hash[b])
 *               +- right
 * </pre>
 *
 * <p>Why the result is the same: each pair of equal join columns has one of its two among the
 * grouping columns, taken over unchanged by the calc, from a side that is not padded with NULL. So
 * two results of the join that agree in the grouping columns agree in the join key, and are made by
 * the same sub-task with the same current key. The aggregate sees the changes that it would see
 * behind the exchange, in an order that an exchange could have given them.
 */
public final class FuseAggregateWithJoin {

    private final StreamPhysicalGroupAggregate aggregate;
    private final JoinBelow below;

    private FuseAggregateWithJoin(StreamPhysicalGroupAggregate aggregate, JoinBelow below) {
        this.aggregate = aggregate;
        this.below = below;
    }

    /**
     * @return the one node; empty where no accelerated join is below, or, which is then said in the
     *     log, where groups span join keys
     */
    public static Optional<RelNode> fuse(
            StreamPhysicalGroupAggregate aggregate, RuleContext context) {
        return JoinBelow.of(aggregate)
                .flatMap(below -> new FuseAggregateWithJoin(aggregate, below).fuse(context));
    }

    private Optional<RelNode> fuse(RuleContext context) {
        final Optional<Reason> obstacle = obstacle(context);
        if (obstacle.isPresent()) {
            context.reasons().say(aggregate.getRelDetailedDescription(), obstacle.get());
            return Optional.empty();
        }
        return Optional.of(new StreamPhysicalMiniBatchJoinAggregate(aggregate, below));
    }

    private Optional<Reason> obstacle(RuleContext context) {
        if (!context.tableConfig().get(StateAccelOptions.JOIN_AGGREGATE_FUSION_ENABLED)) {
            return Optional.of(Reason.AGGREGATE_FUSION_SWITCHED_OFF);
        }
        if (!context.isOneWay(below.upTo(aggregate))) {
            return Optional.of(Reason.UNFUSED_AS_SHARED);
        }
        final JoinKeyColumns joinKey = new JoinKeyColumns(below.join());
        final Set<Integer> grouped = below.joinColumns(aggregate.grouping());
        final Optional<Reason> obstacle = joinKey.whyNotDeterminedBy(grouped);
        if (obstacle.isPresent()) {
            return obstacle;
        }
        return !joinKey.determines(grouped) && hasDataViews()
                ? Optional.of(Reason.VIEWS_OF_SEVERAL_GROUPS)
                : Optional.empty();
    }

    private boolean hasDataViews() {
        final AggregateInfoList aggregates = AggregateFunctions.of(aggregate);
        if (aggregates.distinctInfos().length > 0) {
            return true;
        }
        for (var info : aggregates.aggInfos()) {
            if (info.viewSpecs().length > 0) {
                return true;
            }
        }
        return false;
    }
}
