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
package io.stateaccel.planner.window.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.Session;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplaceWindowTableFunctionWithHeapWindowTableFunctionTest {

    private static final String SESSIONS =
            "SELECT id, v, window_start, window_end FROM TABLE(SESSION(TABLE %s PARTITION BY id,"
                    + " DESCRIPTOR(%s), INTERVAL '1' HOUR))";

    @ParameterizedTest
    @ValueSource(strings = {"ts", "p"})
    void replacesSessions(String time) {
        final String plan = accelerated().physicalPlan(SESSIONS.formatted("AP", time));

        assertThat(plan).contains("HeapWindowTableFunction(").contains("heap=[5 mb]");
        assertThat(plan.replace("HeapWindow", "Window").replace(", heap=[5 mb]", ""))
                .isEqualTo(withView(Session.stock()).physicalPlan(SESSIONS.formatted("AP", time)));
    }

    /** Their rows are sent on as they come. */
    @Test
    void saysNothingOfOtherWindows() {
        try (CapturedLog log = new CapturedLog()) {
            assertThat(
                            accelerated()
                                    .physicalPlan(
                                            "SELECT id, window_start FROM TABLE(TUMBLE(TABLE A,"
                                                    + " DESCRIPTOR(ts), INTERVAL '1' HOUR))"))
                    .contains("WindowTableFunction(")
                    .doesNotContain("HeapWindowTableFunction(");
            assertThat(log.lines()).noneMatch(line -> line.contains("WindowTableFunction("));
        }
    }

    private static Session accelerated() {
        return withView(
                Session.accelerated().set("table.exec.state-accel.window.heap-size", "5 mb"));
    }

    private static Session withView(Session session) {
        session.tables().executeSql("CREATE VIEW AP AS SELECT *, PROCTIME() AS p FROM A");
        return session;
    }
}
