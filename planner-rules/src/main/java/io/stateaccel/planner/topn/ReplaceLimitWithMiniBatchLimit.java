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
package io.stateaccel.planner.topn;

import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.rule.AccelerationRule;
import io.stateaccel.planner.rule.Decision;
import io.stateaccel.planner.rule.NodePattern;
import io.stateaccel.planner.rule.RuleContext;
import org.apache.calcite.rel.core.Sort;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalLimit;

/** Swaps the first rows that come, {@code LIMIT}, for a top-N without an order, on bundles. */
public final class ReplaceLimitWithMiniBatchLimit implements AccelerationRule<StreamPhysicalLimit> {

    private static final NodePattern<StreamPhysicalLimit> PATTERN =
            NodePattern.exactly(StreamPhysicalLimit.class);

    @Override
    public NodePattern<StreamPhysicalLimit> pattern() {
        return PATTERN;
    }

    @Override
    public Decision decide(StreamPhysicalLimit limit, RuleContext context) {
        if (context.isAsyncStateEnabled()) {
            return Decision.stays(Reason.ASYNC_STATE);
        }
        if (((Sort) limit).fetch == null) {
            return Decision.stays(Reason.OFFSET_WITHOUT_LIMIT);
        }
        return Decision.replaceBy(new StreamPhysicalMiniBatchLimit(limit, context));
    }
}
