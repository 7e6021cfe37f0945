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
package io.stateaccel.planner.window.topn;

import io.stateaccel.flink.planner.WindowDeduplicateRel;
import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.rule.AccelerationRule;
import io.stateaccel.planner.rule.Decision;
import io.stateaccel.planner.rule.NodePattern;
import io.stateaccel.planner.rule.RuleContext;
import io.stateaccel.planner.window.WindowedInput;
import org.apache.flink.table.planner.plan.logical.WindowingStrategy;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalWindowDeduplicate;

/**
 * Keeps the first or the last rows of windows on the heap, which get to the state only where they
 * have to. Flink has no asynchronous state for them.
 *
 * <pre>
 *   WindowDeduplicate(window=[TUMBLE])       HeapWindowDeduplicate(window=[TUMBLE])
 *   +- Exchange                     to   +- Exchange
 *      +- input                             +- input
 * </pre>
 */
public final class ReplaceWindowDeduplicateWithHeapWindowDeduplicate
        implements AccelerationRule<StreamPhysicalWindowDeduplicate> {

    private static final NodePattern<StreamPhysicalWindowDeduplicate> PATTERN =
            NodePattern.exactly(StreamPhysicalWindowDeduplicate.class);

    @Override
    public NodePattern<StreamPhysicalWindowDeduplicate> pattern() {
        return PATTERN;
    }

    @Override
    public Decision decide(StreamPhysicalWindowDeduplicate deduplicate, RuleContext context) {
        final WindowingStrategy windowing = WindowDeduplicateRel.windowingOf(deduplicate);
        if (windowing == null) {
            return Decision.stays(Reason.UNKNOWN_PLAN);
        }
        if (!WindowedInput.isOfRowTime(windowing)) {
            return Decision.stays(Reason.WINDOW_WITHOUT_OPERATOR);
        }
        return Decision.replaceBy(
                new StreamPhysicalHeapWindowDeduplicate(deduplicate, windowing, context));
    }
}
