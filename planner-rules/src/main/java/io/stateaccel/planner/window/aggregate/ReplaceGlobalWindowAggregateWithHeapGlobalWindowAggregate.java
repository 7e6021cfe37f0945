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
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGlobalWindowAggregate;

/**
 * Merges what local aggregates send of the slices of windows on the heap. There are no session
 * windows among these, and Flink has no asynchronous state for them.
 */
public final class ReplaceGlobalWindowAggregateWithHeapGlobalWindowAggregate
        implements AccelerationRule<StreamPhysicalGlobalWindowAggregate> {

    private static final NodePattern<StreamPhysicalGlobalWindowAggregate> PATTERN =
            NodePattern.exactly(StreamPhysicalGlobalWindowAggregate.class);

    @Override
    public NodePattern<StreamPhysicalGlobalWindowAggregate> pattern() {
        return PATTERN;
    }

    @Override
    public Decision decide(StreamPhysicalGlobalWindowAggregate aggregate, RuleContext context) {
        if (context.mayTimersBeInterrupted()) {
            return Decision.stays(Reason.INTERRUPTED_TIMERS);
        }
        return Decision.replaceBy(new StreamPhysicalHeapGlobalWindowAggregate(aggregate, context));
    }
}
