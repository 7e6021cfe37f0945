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

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.CompiledPlans;
import io.stateaccel.planner.Session;
import io.stateaccel.planner.reasons.Reason;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplaceWindowJoinWithHeapWindowJoinTest {

    private static final String STOCK = "[\\s+-]WindowJoin\\(";
    private static final String ON =
            "ON L.id = R.id AND L.window_start = R.window_start AND L.window_end = R.window_end";

    @ParameterizedTest
    @ValueSource(strings = {"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"})
    void replacesIt(String join) {
        for (String condition : new String[] {"", " AND L.v < R.w"}) {
            final String query = query(join, condition);
            assertThat(Session.accelerated().physicalPlan(query))
                    .contains("- HeapWindowJoin(leftWindow=[")
                    .contains("heap=[shared]")
                    .doesNotContainPattern(STOCK);
            assertThat(
                            Session.accelerated()
                                    .set("table.exec.state-accel.window.heap-size", "1 mb")
                                    .physicalPlan(query)
                                    .replace("HeapWindow", "Window")
                                    .replace(", heap=[1 mb]", ""))
                    .isEqualTo(Session.installed().physicalPlan(query));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "NOT "})
    void replacesOneThatFilters(String not) {
        assertThat(
                        Session.accelerated()
                                .physicalPlan(
                                        "SELECT id FROM %s L WHERE %sEXISTS (SELECT * FROM %s R WHERE %s)"
                                                .formatted(
                                                        windows("A"),
                                                        not,
                                                        windows("B"),
                                                        ON.replace("ON ", ""))))
                .contains("- HeapWindowJoin(leftWindow=[")
                .doesNotContainPattern(STOCK);
    }

    @Test
    void leavesAsynchronousStateAsItIs() {
        Lines.assumeAtLeast("2.0", "Asynchronous state");
        try (CapturedLog log = new CapturedLog()) {
            assertThat(
                            Session.accelerated()
                                    .set("table.exec.async-state.enabled", "true")
                                    .physicalPlan(query("JOIN", "")))
                    .containsPattern(STOCK);
            assertThat(log.lines()).anyMatch(line -> line.contains(Reason.ASYNC_STATE.toString()));
        }
    }

    @Test
    void isPartOfACompiledPlan() throws Exception {
        final String insert = "INSERT INTO sink_of_pairs " + query("JOIN", "");

        assertThat(CompiledPlans.types(CompiledPlans.run(Session.accelerated(), insert)))
                .contains("state-accel-window-join_1");
        Session.accelerated().tables().executeSql(insert).await(60, TimeUnit.SECONDS);
    }

    private static String query(String join, String condition) {
        return "SELECT L.id, R.w FROM %s L %s %s R %s%s"
                .formatted(windows("A"), join, windows("B"), ON, condition);
    }

    private static String windows(String table) {
        return "(SELECT * FROM TABLE(TUMBLE(TABLE %s, DESCRIPTOR(ts), INTERVAL '1' HOUR)))"
                .formatted(table);
    }
}
