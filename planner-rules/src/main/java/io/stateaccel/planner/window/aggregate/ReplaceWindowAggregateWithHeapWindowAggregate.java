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
package io.stateaccel.planner.window.aggregate;

import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.rule.AccelerationRule;
import io.stateaccel.planner.rule.Decision;
import io.stateaccel.planner.rule.NodePattern;
import io.stateaccel.planner.rule.RuleContext;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalWindowAggregate;

/**
 * Aggregates the slices of windows, and session windows, on the heap, which get to the state only
 * where they have to. Of session windows Flink has no aggregate on asynchronous state.
 *
 * <pre>
 *   WindowAggregate(window=[TUMBLE])       HeapWindowAggregate(window=[TUMBLE])
 *   +- Exchange                       to   +- Exchange
 *      +- input                               +- input
 * </pre>
 */
public final class ReplaceWindowAggregateWithHeapWindowAggregate
        implements AccelerationRule<StreamPhysicalWindowAggregate> {

    private static final NodePattern<StreamPhysicalWindowAggregate> PATTERN =
            NodePattern.exactly(StreamPhysicalWindowAggregate.class);

    @Override
    public NodePattern<StreamPhysicalWindowAggregate> pattern() {
        return PATTERN;
    }

    @Override
    public Decision decide(StreamPhysicalWindowAggregate aggregate, RuleContext context) {
        if (context.isAsyncStateEnabled() && aggregate.windowing().getWindow().isAlignedWindow()) {
            return Decision.stays(Reason.ASYNC_STATE);
        }
        if (context.mayTimersBeInterrupted()
                && aggregate.windowing().getWindow().isAlignedWindow()) {
            return Decision.stays(Reason.INTERRUPTED_TIMERS);
        }
        return Decision.replaceBy(new StreamPhysicalHeapWindowAggregate(aggregate, context));
    }
}
