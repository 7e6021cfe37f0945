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
package io.stateaccel.planner.window.group;

import io.stateaccel.planner.rule.AccelerationRule;
import io.stateaccel.planner.rule.Decision;
import io.stateaccel.planner.rule.NodePattern;
import io.stateaccel.planner.rule.RuleContext;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGroupWindowTableAggregate;

/**
 * Has the accumulators of {@code flatAggregate} in windows on the heap, as those of aggregates of
 * windows.
 */
public final class ReplaceGroupWindowTableAggregateWithHeapGroupWindowTableAggregate
        implements AccelerationRule<StreamPhysicalGroupWindowTableAggregate> {

    private static final NodePattern<StreamPhysicalGroupWindowTableAggregate> PATTERN =
            NodePattern.exactly(StreamPhysicalGroupWindowTableAggregate.class);

    @Override
    public NodePattern<StreamPhysicalGroupWindowTableAggregate> pattern() {
        return PATTERN;
    }

    @Override
    public Decision decide(StreamPhysicalGroupWindowTableAggregate aggregate, RuleContext context) {
        return GroupWindows.whyStock(aggregate.window(), context)
                .map(Decision::stays)
                .orElseGet(
                        () ->
                                Decision.replaceBy(
                                        new StreamPhysicalHeapGroupWindowTableAggregate(
                                                aggregate, context)));
    }
}
