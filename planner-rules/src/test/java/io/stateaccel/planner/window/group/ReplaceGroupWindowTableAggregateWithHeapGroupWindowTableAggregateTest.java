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

import static org.apache.flink.table.api.Expressions.$;
import static org.apache.flink.table.api.Expressions.call;
import static org.apache.flink.table.api.Expressions.lit;
import static org.apache.flink.table.api.Expressions.rowInterval;
import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.Session;
import io.stateaccel.planner.SumAndNext;
import io.stateaccel.planner.reasons.Reason;
import java.util.List;
import org.apache.flink.table.api.GroupWindow;
import org.apache.flink.table.api.Slide;
import org.apache.flink.table.api.Tumble;
import org.junit.jupiter.api.Test;

class ReplaceGroupWindowTableAggregateWithHeapGroupWindowTableAggregateTest {

    private static final String STOCK = "[\\s+-]GroupWindowTableAggregate\\(";

    @Test
    void replacesItOnBothTimes() {
        final Session session = withProcessingTime(Session.accelerated());
        for (String time : List.of("ts", "p")) {
            for (GroupWindow window : windows(time)) {
                assertThat(plans(session, window))
                        .contains("HeapGroupWindowTableAggregate(groupBy=[id], window=[")
                        .contains("heap=[shared]")
                        .doesNotContainPattern(STOCK);
            }
        }
    }

    private static List<GroupWindow> windows(String time) {
        return List.of(
                tumble(time),
                Slide.over(lit(1).hours()).every(lit(5).minutes()).on($(time)).as("w"),
                session(time));
    }

    private static GroupWindow tumble(String time) {
        return Tumble.over(lit(1).hours()).on($(time)).as("w");
    }

    private static GroupWindow session(String time) {
        return org.apache.flink.table.api.Session.withGap(lit(5).minutes()).on($(time)).as("w");
    }

    @Test
    void showsAllThatStockExplains() {
        for (GroupWindow window : windows("ts")) {
            assertThat(
                            plans(
                                            withProcessingTime(Session.accelerated())
                                                    .set(
                                                            "table.exec.state-accel.window.heap-size",
                                                            "1 mb"),
                                            window)
                                    .replace("HeapGroupWindow", "GroupWindow")
                                    .replace(", heap=[1 mb]", ""))
                    .containsPattern(STOCK)
                    .isEqualTo(plans(withProcessingTime(Session.installed()), window));
        }
    }

    @Test
    void leavesWindowsOfRowsAsTheyAre() {
        try (CapturedLog log = new CapturedLog()) {
            assertThat(
                            plans(
                                    withProcessingTime(Session.accelerated()),
                                    Tumble.over(rowInterval(2L)).on($("p")).as("w")))
                    .containsPattern(STOCK);
            assertThat(log.lines())
                    .anyMatch(line -> line.contains(Reason.WINDOW_OF_ROWS.toString()));
        }
    }

    @Test
    void leavesThoseThatShareSlicesWhereTimersMayBeInterrupted() {
        final Session session =
                withProcessingTime(Session.accelerated())
                        .set(
                                "execution.checkpointing.unaligned.interruptible-timers.enabled",
                                "true");
        try (CapturedLog log = new CapturedLog()) {
            assertThat(plans(session, tumble("ts"))).containsPattern(STOCK);
            assertThat(log.lines())
                    .anyMatch(line -> line.contains(Reason.INTERRUPTED_TIMERS.toString()));
            assertThat(plans(session, session("ts"))).doesNotContainPattern(STOCK);
        }
    }

    private static String plans(Session session, GroupWindow window) {
        return session.tables()
                .from("P")
                .window(window)
                .groupBy($("id"), $("w"))
                .flatAggregate(call(SumAndNext.class, $("v")).as("x"))
                .select($("id"), $("x"))
                .explain();
    }

    private static Session withProcessingTime(Session session) {
        session.tables().executeSql("CREATE TEMPORARY VIEW P AS SELECT *, PROCTIME() AS p FROM A");
        return session;
    }
}
