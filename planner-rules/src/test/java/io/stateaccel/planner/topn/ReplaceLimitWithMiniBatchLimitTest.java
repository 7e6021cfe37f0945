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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.CompiledPlans;
import io.stateaccel.planner.Session;
import io.stateaccel.planner.reasons.Reason;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplaceLimitWithMiniBatchLimitTest {

    private static final String STOCK = "[\\s+-]Limit\\(";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "A LIMIT 3",
                "A LIMIT 1",
                "A LIMIT 100000 OFFSET 2",
                "R LIMIT 3",
                "(SELECT id, COUNT(*) AS n FROM A GROUP BY id) LIMIT 3",
            })
    void replacesItAndKeepsAllThatStockExplains(String limited) {
        final String query = "SELECT * FROM " + limited;
        final String stock = Session.installed().physicalPlan(query);
        final String node = stock.substring(stock.indexOf("Limit("), stock.indexOf(")\n"));
        for (String ttl : new String[] {"0", "1 d"}) {
            assertThat(Session.accelerated().set("table.exec.state.ttl", ttl).physicalPlan(query))
                    .contains(
                            "MiniBatch"
                                    + node
                                    + ", bundle=[size 20000, latency 1000 ms, max 16 mb])")
                    .doesNotContainPattern(STOCK);
        }
    }

    @Test
    void keepsOneThatFlinkDoesNotRun() {
        try (CapturedLog log = new CapturedLog()) {
            assertThatThrownBy(() -> Session.accelerated().explain("SELECT * FROM A OFFSET 3"))
                    .hasMessageContaining("FETCH is missed");
            assertSaid(log, Reason.OFFSET_WITHOUT_LIMIT);
        }
    }

    @Test
    void keepsOneOnAsynchronousState() {
        Lines.assumeAtLeast("2.0", "Asynchronous state");
        final Session session = Session.accelerated().set("table.exec.async-state.enabled", "true");
        try (CapturedLog log = new CapturedLog()) {
            assertThat(session.physicalPlan("SELECT * FROM A LIMIT 3")).containsPattern(STOCK);
            assertSaid(log, Reason.ASYNC_STATE);
        }
    }

    @Test
    void isPartOfACompiledPlan() throws Exception {
        final String insert =
                "INSERT INTO firsts SELECT id, n FROM"
                        + " (SELECT id, COUNT(*) AS n FROM A GROUP BY id) LIMIT 1000";
        final Session session = Session.accelerated();
        session.tables()
                .executeSql(
                        "CREATE TABLE firsts (id BIGINT, n BIGINT) WITH ('connector' = 'in-memory')");
        session.tables().executeSql(insert).await(60, TimeUnit.SECONDS);
        assertThat(CompiledPlans.types(CompiledPlans.run(session, insert)))
                .contains("state-accel-limit_1");
    }

    private static void assertSaid(CapturedLog log, Reason reason) {
        assertThat(log.lines())
                .anyMatch(
                        line ->
                                line.contains("Stays stock: Limit(")
                                        && line.contains(reason.toString()));
    }
}
