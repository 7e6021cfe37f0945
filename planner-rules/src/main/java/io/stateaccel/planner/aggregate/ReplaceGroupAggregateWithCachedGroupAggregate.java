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
package io.stateaccel.planner.aggregate;

import io.stateaccel.planner.fused.aggregate.FuseAggregateWithJoin;
import io.stateaccel.planner.fused.aggregate.SplitAggregateAboveJoin;
import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.rule.AccelerationRule;
import io.stateaccel.planner.rule.Decision;
import io.stateaccel.planner.rule.NodePattern;
import io.stateaccel.planner.rule.RuleContext;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGroupAggregate;

/**
 * Aggregates a bundle of rows at a time over accumulators kept in a cache.
 *
 * <pre>
 *   GroupAggregate(groupBy=[a])       CachedGroupAggregate(groupBy=[a])
 *   +- Exchange(hash[a])        to    +- Exchange(hash[a])
 *      +- input                          +- input
 * </pre>
 *
 * <p>Every function Flink's one-phase aggregate has is covered, also those that keep state of their
 * own (DISTINCT, MIN and MAX with retractions).
 */
public final class ReplaceGroupAggregateWithCachedGroupAggregate
        implements AccelerationRule<StreamPhysicalGroupAggregate> {

    private static final NodePattern<StreamPhysicalGroupAggregate> PATTERN =
            NodePattern.exactly(StreamPhysicalGroupAggregate.class);

    @Override
    public NodePattern<StreamPhysicalGroupAggregate> pattern() {
        return PATTERN;
    }

    @Override
    public Decision decide(StreamPhysicalGroupAggregate aggregate, RuleContext context) {
        if (context.isAsyncStateEnabled()) {
            return Decision.stays(Reason.ASYNC_STATE);
        }
        return Decision.replaceBy(
                FuseAggregateWithJoin.fuse(aggregate, context)
                        .or(() -> SplitAggregateAboveJoin.split(aggregate, context))
                        .orElseGet(
                                () -> new StreamPhysicalCachedGroupAggregate(aggregate, context)));
    }
}
