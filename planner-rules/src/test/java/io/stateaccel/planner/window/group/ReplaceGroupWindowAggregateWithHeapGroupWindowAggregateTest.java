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
import static org.apache.flink.table.api.Expressions.rowInterval;
import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.Session;
import io.stateaccel.planner.reasons.Reason;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.Tumble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplaceGroupWindowAggregateWithHeapGroupWindowAggregateTest {

    private static final String STOCK = "[\\s+-]GroupWindowAggregate\\(";
    private static final String TUMBLE = "TUMBLE(%s, INTERVAL '1' HOUR)";

    @ParameterizedTest
    @ValueSource(
            strings = {
                TUMBLE,
                "HOP(%s, INTERVAL '5' MINUTE, INTERVAL '1' HOUR)",
                "SESSION(%s, INTERVAL '5' MINUTE)"
            })
    void replacesItOnBothTimes(String window) {
        final Session session = withProcessingTime(Session.accelerated());
        for (String time : new String[] {"ts", "p"}) {
            for (String functions : new String[] {"COUNT(*), MAX(v)", "COUNT(DISTINCT v)"}) {
                assertThat(session.physicalPlan(query(functions, window, time)))
                        .contains("HeapGroupWindowAggregate(groupBy=[id], window=[")
                        .contains("heap=[shared]")
                        .doesNotContainPattern(STOCK);
            }
        }
    }

    @Test
    void showsAllThatStockExplains() {
        final String query = query("COUNT(*)", TUMBLE, "ts");
        assertThat(
                        withEarlyResults(Session.accelerated())
                                .set("table.exec.state-accel.window.heap-size", "1 mb")
                                .physicalPlan(query)
                                .replace("HeapGroupWindow", "GroupWindow")
                                .replace(", heap=[1 mb]", ""))
                .contains("emit=[early delay 10 millisecond]")
                .isEqualTo(withEarlyResults(Session.installed()).physicalPlan(query));
    }

    private static Session withEarlyResults(Session session) {
        return session.set("table.exec.emit.early-fire.enabled", "true")
                .set("table.exec.emit.early-fire.delay", "10 ms");
    }

    @Test
    void leavesWindowsOfRowsAsTheyAre() {
        try (CapturedLog log = new CapturedLog()) {
            final Table ofRows =
                    withProcessingTime(Session.accelerated())
                            .tables()
                            .from("P")
                            .window(Tumble.over(rowInterval(2L)).on($("p")).as("w"))
                            .groupBy($("w"), $("id"))
                            .select($("id"), $("v").sum());
            assertThat(ofRows.explain()).containsPattern(STOCK);
            assertThat(log.lines())
                    .anyMatch(line -> line.contains(Reason.WINDOW_OF_ROWS.toString()));
        }
    }

    @Test
    void leavesThoseThatShareSlicesWhereTimersMayBeInterrupted() {
        try (CapturedLog log = new CapturedLog()) {
            assertThat(
                            interruptible(Session.accelerated())
                                    .physicalPlan(
                                            query(
                                                    "COUNT(*)",
                                                    "TUMBLE(%s, INTERVAL '1' HOUR)",
                                                    "ts")))
                    .containsPattern(STOCK);
            assertThat(log.lines())
                    .anyMatch(line -> line.contains(Reason.INTERRUPTED_TIMERS.toString()));
            assertThat(
                            interruptible(Session.accelerated())
                                    .physicalPlan(
                                            query(
                                                    "COUNT(*)",
                                                    "SESSION(%s, INTERVAL '1' HOUR)",
                                                    "ts")))
                    .doesNotContainPattern(STOCK);
        }
    }

    private static Session interruptible(Session session) {
        return session.set(
                "execution.checkpointing.unaligned.interruptible-timers.enabled", "true");
    }

    private static Session withProcessingTime(Session session) {
        session.tables().executeSql("CREATE TEMPORARY VIEW P AS SELECT *, PROCTIME() AS p FROM A");
        return session;
    }

    private static String query(String functions, String window, String time) {
        return "SELECT id, %s FROM %s GROUP BY id, %s"
                .formatted(functions, time.equals("p") ? "P" : "A", window.formatted(time));
    }
}
