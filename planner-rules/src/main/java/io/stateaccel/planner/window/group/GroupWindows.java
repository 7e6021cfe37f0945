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

import io.stateaccel.operators.window.group.FixedWindows;
import io.stateaccel.operators.window.session.SessionWindows;
import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.rule.RuleContext;
import java.time.ZoneId;
import java.util.Optional;
import org.apache.flink.table.expressions.ValueLiteralExpression;
import org.apache.flink.table.planner.plan.logical.LogicalWindow;
import org.apache.flink.table.planner.plan.logical.SessionGroupWindow;
import org.apache.flink.table.planner.plan.logical.SlidingGroupWindow;
import org.apache.flink.table.planner.plan.logical.TumblingGroupWindow;
import org.apache.flink.table.planner.plan.utils.AggregateUtil;

/** The windows of {@code GROUP BY}, as operators know them. */
final class GroupWindows {

    private GroupWindows() {}

    /** Why Flink's operator has to aggregate them, if it has. */
    static Optional<Reason> whyStock(LogicalWindow window, RuleContext context) {
        if (areOfRows(window)) {
            return Optional.of(Reason.WINDOW_OF_ROWS);
        }
        return context.mayTimersBeInterrupted() && !(window instanceof SessionGroupWindow)
                ? Optional.of(Reason.INTERRUPTED_TIMERS)
                : Optional.empty();
    }

    /** Whether they are as long as so many rows, and not as a time. */
    private static boolean areOfRows(LogicalWindow window) {
        return !(window instanceof SessionGroupWindow)
                && AggregateUtil.hasRowIntervalType(size(window));
    }

    private static ValueLiteralExpression size(LogicalWindow window) {
        return window instanceof SlidingGroupWindow hop
                ? hop.size()
                : ((TumblingGroupWindow) window).size();
    }

    static boolean areOfRowTime(LogicalWindow window) {
        return AggregateUtil.isRowtimeAttribute(window.timeAttribute());
    }

    static SessionWindows sessions(SessionGroupWindow window, ZoneId zone) {
        final long gap = AggregateUtil.toDuration(window.gap()).toMillis();
        return areOfRowTime(window)
                ? SessionWindows.ofRowTime(window.timeAttribute().getFieldIndex(), gap, zone)
                : SessionWindows.ofProcessingTime(gap, zone);
    }

    /**
     * @param window neither of rows nor of sessions
     */
    static FixedWindows fixed(LogicalWindow window) {
        return window instanceof SlidingGroupWindow hop
                ? FixedWindows.hopping(
                        areOfRowTime(window),
                        AggregateUtil.toDuration(hop.size()),
                        AggregateUtil.toDuration(hop.slide()))
                : FixedWindows.tumbling(
                        areOfRowTime(window), AggregateUtil.toDuration(size(window)));
    }
}
