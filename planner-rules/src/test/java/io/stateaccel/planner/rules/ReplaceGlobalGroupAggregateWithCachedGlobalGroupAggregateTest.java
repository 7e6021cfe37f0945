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

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.Session;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplaceGlobalGroupAggregateWithCachedGlobalGroupAggregateTest {

    private static final String COUNT = "SELECT id, COUNT(*) AS n FROM A GROUP BY id";

    @Test
    void replacesTheSecondPhaseAndKeepsAllThatStockExplains() {
        assertThat(twoPhases(Session.installed()).physicalPlan(COUNT))
                .contains(
                        "\nGlobalGroupAggregate(groupBy=[id], select=[id, COUNT(count1$0) AS n])");
        assertThat(twoPhases(Session.accelerated()).physicalPlan(COUNT))
                .contains(
                        "\nCachedGlobalGroupAggregate(groupBy=[id], select=[id, COUNT(count1$0) AS n],"
                                + " bundle=[size 500, latency 2000 ms], cache=[16 mb])")
                .contains(" LocalGroupAggregate(")
                .contains("MiniBatchAssigner(");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT COUNT(*) FROM A",
                "SELECT id, COUNT(DISTINCT v), SUM(v) FILTER (WHERE v > 3) FROM A GROUP BY id",
                "SELECT id, MAX(r), MIN(r) FROM R GROUP BY id",
                "SELECT id, COUNT(*), MAX(r) FROM R GROUP BY id",
            })
    void replacesWhateverTheFunctions(String query) {
        assertThat(twoPhases(Session.accelerated()).physicalPlan(query))
                .contains("CachedGlobalGroupAggregate(")
                .doesNotContain(" GlobalGroupAggregate(")
                .doesNotContain("\nGlobalGroupAggregate(");
    }

    @Test
    void keepsAggregatesWithStateTtl() {
        assertStays(
                twoPhases(Session.accelerated()).set("table.exec.state.ttl", "1 h"),
                StockReason.STATE_TTL);
    }

    @Test
    void keepsAggregatesOnAsynchronousState() {
        assertStays(
                twoPhases(Session.accelerated()).set("table.exec.async-state.enabled", "true"),
                StockReason.ASYNC_STATE);
    }

    private static Session twoPhases(Session session) {
        return session.set("table.exec.mini-batch.enabled", "true")
                .set("table.exec.mini-batch.size", "500")
                .set("table.exec.mini-batch.allow-latency", "2 s")
                .set("table.optimizer.agg-phase-strategy", "TWO_PHASE");
    }

    private static void assertStays(Session session, StockReason reason) {
        try (CapturedLog log = new CapturedLog()) {
            assertThat(session.physicalPlan(COUNT)).contains("\nGlobalGroupAggregate(");
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("Stays stock: GlobalGroupAggregate("))
                    .singleElement()
                    .asString()
                    .contains(reason.toString());
        }
    }
}
