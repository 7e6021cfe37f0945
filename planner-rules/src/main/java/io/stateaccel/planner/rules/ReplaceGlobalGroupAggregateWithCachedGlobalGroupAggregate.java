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
package io.stateaccel.planner.rules;

import io.stateaccel.planner.nodes.physical.StreamPhysicalCachedGlobalGroupAggregate;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGlobalGroupAggregate;

/** Swaps the second phase of a group aggregate for one that keeps its accumulators in a cache. */
public final class ReplaceGlobalGroupAggregateWithCachedGlobalGroupAggregate
        implements AccelerationRule<StreamPhysicalGlobalGroupAggregate> {

    private static final NodePattern<StreamPhysicalGlobalGroupAggregate> PATTERN =
            NodePattern.exactly(StreamPhysicalGlobalGroupAggregate.class);

    @Override
    public NodePattern<StreamPhysicalGlobalGroupAggregate> pattern() {
        return PATTERN;
    }

    @Override
    public Decision decide(StreamPhysicalGlobalGroupAggregate aggregate, RuleContext context) {
        if (context.isAsyncStateEnabled()) {
            return Decision.stays(StockReason.ASYNC_STATE);
        }
        if (context.hasStateTtl(aggregate.hints())) {
            return Decision.stays(StockReason.STATE_TTL);
        }
        return Decision.replaceBy(new StreamPhysicalCachedGlobalGroupAggregate(aggregate, context));
    }
}
