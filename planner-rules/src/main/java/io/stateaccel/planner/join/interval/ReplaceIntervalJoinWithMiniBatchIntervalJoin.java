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
package io.stateaccel.planner.join.interval;

import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.rule.AccelerationRule;
import io.stateaccel.planner.rule.Decision;
import io.stateaccel.planner.rule.NodePattern;
import io.stateaccel.planner.rule.RuleContext;
import java.util.Optional;
import org.apache.flink.table.planner.plan.nodes.exec.spec.IntervalJoinSpec.WindowBounds;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalIntervalJoin;
import org.apache.flink.table.planner.plan.utils.IntervalJoinUtil$;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import org.apache.flink.table.planner.utils.ShortcutUtils;

/**
 * Joins a bundle of rows at a time over buckets of time.
 *
 * <pre>
 *   IntervalJoin(a = b, bounds)       MiniBatchIntervalJoin(a = b, bounds)
 *   +- Exchange(hash[a])        to    +- Exchange(hash[a])
 *   |  +- left                        |  +- left
 *   +- Exchange(hash[b])              +- Exchange(hash[b])
 *      +- right                          +- right
 * </pre>
 *
 * <p>INNER and outer joins on row time and processing time, with and without equi keys and further
 * conditions. Flink plans no other interval joins, plans them of insert-only inputs only, and gives
 * them neither state TTL nor asynchronous state.
 */
public final class ReplaceIntervalJoinWithMiniBatchIntervalJoin
        implements AccelerationRule<StreamPhysicalIntervalJoin> {

    private static final NodePattern<StreamPhysicalIntervalJoin> PATTERN =
            NodePattern.exactly(StreamPhysicalIntervalJoin.class);

    @Override
    public NodePattern<StreamPhysicalIntervalJoin> pattern() {
        return PATTERN;
    }

    @Override
    public Decision decide(StreamPhysicalIntervalJoin join, RuleContext context) {
        final Optional<WindowBounds> bounds = boundsOf(join);
        if (bounds.isEmpty()) {
            return Decision.stays(Reason.UNKNOWN_PLAN);
        }
        if (bounds.get().getLeftLowerBound() > bounds.get().getLeftUpperBound()) {
            return Decision.stays(Reason.EMPTY_INTERVAL);
        }
        return Decision.replaceBy(
                new StreamPhysicalMiniBatchIntervalJoin(join, bounds.get(), context));
    }

    /** Extracted from the condition once more, as the stock node keeps them to itself. */
    private static Optional<WindowBounds> boundsOf(StreamPhysicalIntervalJoin join) {
        return JavaScalaConversionUtil.toJava(
                IntervalJoinUtil$.MODULE$.extractWindowBoundsFromPredicate(
                                join.originalCondition(),
                                join.getLeft().getRowType().getFieldCount(),
                                join.getRowType(),
                                join.getCluster().getRexBuilder(),
                                ShortcutUtils.unwrapTableConfig(join),
                                ShortcutUtils.unwrapClassLoader(join))
                        ._1);
    }
}
