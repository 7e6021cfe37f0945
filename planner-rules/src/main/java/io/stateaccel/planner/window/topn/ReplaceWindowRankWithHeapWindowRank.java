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

import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.rule.AccelerationRule;
import io.stateaccel.planner.rule.Decision;
import io.stateaccel.planner.rule.NodePattern;
import io.stateaccel.planner.rule.RuleContext;
import io.stateaccel.planner.window.WindowedInput;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalWindowRank;
import org.apache.flink.table.runtime.operators.rank.ConstantRankRange;
import org.apache.flink.table.runtime.operators.rank.RankType;

/**
 * Ranks the rows of windows on the heap, which get to the state only where they have to. Flink has
 * no asynchronous state for them.
 *
 * <pre>
 *   WindowRank(window=[TUMBLE])       HeapWindowRank(window=[TUMBLE])
 *   +- Exchange              to   +- Exchange
 *      +- input                      +- input
 * </pre>
 */
public final class ReplaceWindowRankWithHeapWindowRank
        implements AccelerationRule<StreamPhysicalWindowRank> {

    private static final NodePattern<StreamPhysicalWindowRank> PATTERN =
            NodePattern.exactly(StreamPhysicalWindowRank.class);

    @Override
    public NodePattern<StreamPhysicalWindowRank> pattern() {
        return PATTERN;
    }

    @Override
    public Decision decide(StreamPhysicalWindowRank rank, RuleContext context) {
        if (!WindowedInput.isOfRowTime(rank.windowing())
                || rank.rankType() != RankType.ROW_NUMBER
                || !(rank.rankRange() instanceof ConstantRankRange)) {
            return Decision.stays(Reason.WINDOW_WITHOUT_OPERATOR);
        }
        return Decision.replaceBy(new StreamPhysicalHeapWindowRank(rank, context));
    }
}
