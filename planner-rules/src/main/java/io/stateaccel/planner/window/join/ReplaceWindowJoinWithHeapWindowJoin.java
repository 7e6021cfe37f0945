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
package io.stateaccel.planner.window.join;

import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.rule.AccelerationRule;
import io.stateaccel.planner.rule.Decision;
import io.stateaccel.planner.rule.NodePattern;
import io.stateaccel.planner.rule.RuleContext;
import io.stateaccel.planner.window.WindowedInput;
import io.stateaccel.planner.window.aggregate.JoinWithBestOfWindow;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalWindowJoin;

/**
 * Gathers the rows that windows join on the heap, which get to the state only where they have to.
 *
 * <pre>
 *   WindowJoin(leftWindow=[TUMBLE], rightWindow=[TUMBLE])       HeapWindowJoin(leftWindow=[TUMBLE], ...)
 *   :- left                                               to   :- left
 *   +- right                                                   +- right
 * </pre>
 */
public final class ReplaceWindowJoinWithHeapWindowJoin
        implements AccelerationRule<StreamPhysicalWindowJoin> {

    private static final NodePattern<StreamPhysicalWindowJoin> PATTERN =
            NodePattern.exactly(StreamPhysicalWindowJoin.class);

    @Override
    public NodePattern<StreamPhysicalWindowJoin> pattern() {
        return PATTERN;
    }

    @Override
    public Decision decide(StreamPhysicalWindowJoin join, RuleContext context) {
        if (!WindowedInput.isOfRowTime(join.leftWindowing())
                || !WindowedInput.isOfRowTime(join.rightWindowing())) {
            return Decision.stays(Reason.WINDOW_WITHOUT_OPERATOR);
        }
        if (context.isAsyncStateEnabled()) {
            return Decision.stays(Reason.ASYNC_STATE);
        }
        return Decision.replaceBy(
                new StreamPhysicalHeapWindowJoin(
                        JoinWithBestOfWindow.rewrite(join, context), context));
    }
}
