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
package io.stateaccel.planner.over;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.Session;
import io.stateaccel.planner.reasons.Reason;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReplaceOverAggregateWithMiniBatchOverAggregateTest {

    private static final String OVER =
            "SELECT id, SUM(v) OVER (PARTITION BY id ORDER BY ts %s) FROM A";

    private static final String BY_PROCESSING_TIME =
            "SELECT id, SUM(v) OVER (PARTITION BY id ORDER BY p %s) FROM"
                    + " (SELECT *, PROCTIME() AS p FROM A)";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
                "ROWS BETWEEN 9 PRECEDING AND CURRENT ROW",
                "RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW",
            })
    void replacesThoseByRowTime(String frame) {
        final String query = OVER.formatted(frame);
        final String plan =
                Session.accelerated()
                        .set("table.exec.state-accel.window.heap-size", "5 mb")
                        .physicalPlan(query);

        assertThat(plan).contains("MiniBatchOverAggregate(").contains("heap=[5 mb]");
        assertThat(plan.replace("MiniBatchOver", "Over").replace(", heap=[5 mb]", ""))
                .isEqualTo(Session.stock().physicalPlan(query));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
                "ROWS BETWEEN 9 PRECEDING AND CURRENT ROW",
                "RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW",
            })
    void replacesThoseByProcessingTime(String frame) {
        final String query = BY_PROCESSING_TIME.formatted(frame);
        final String plan =
                Session.accelerated()
                        .set("table.exec.state-accel.mini-batch.size", "7")
                        .physicalPlan(query);

        assertThat(plan)
                .contains("MiniBatchProcessingTimeOverAggregate(")
                .contains("bundle=[size 7, ");
        assertThat(
                        plan.replace("MiniBatchProcessingTimeOver", "Over")
                                .replaceFirst(", bundle=\\[[^]]*]", ""))
                .isEqualTo(Session.stock().physicalPlan(query));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "OVER_0_PRECEDING|SELECT SUM(v) OVER (PARTITION BY id ORDER BY p ROWS BETWEEN 0"
                        + " PRECEDING AND CURRENT ROW) FROM (SELECT *, PROCTIME() AS p FROM A)",
                "OVER_0_PRECEDING|SELECT SUM(v) OVER (PARTITION BY id ORDER BY p RANGE BETWEEN"
                        + " INTERVAL '0' SECOND PRECEDING AND CURRENT ROW) FROM (SELECT *, PROCTIME()"
                        + " AS p FROM A)",
                "ASYNC_STATE|SELECT SUM(v) OVER (PARTITION BY id ORDER BY ts) FROM A",
            })
    void saysWhyOthersStay(Reason reason, String query) {
        final Session session = Session.accelerated();
        if (reason == Reason.ASYNC_STATE) {
            Lines.assumeAtLeast("2.0", "Asynchronous state");
            session.set("table.exec.async-state.enabled", "true");
        }
        try (CapturedLog log = new CapturedLog()) {
            assertThat(session.physicalPlan(query))
                    .contains("OverAggregate(")
                    .doesNotContain("MiniBatch");
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("Stays stock: OverAggregate("))
                    .singleElement()
                    .asString()
                    .contains(reason.toString());
        }
    }

    @Test
    void refusesWhatFlinkRefuses() {
        for (String query :
                List.of(
                        OVER.replace("ORDER BY ts", "ORDER BY ts DESC"),
                        BY_PROCESSING_TIME.replace("ORDER BY p", "ORDER BY p DESC"))) {
            for (Session session : new Session[] {Session.stock(), Session.accelerated()}) {
                assertThatThrownBy(() -> session.tables().explainSql(query.formatted("")))
                        .hasStackTraceContaining("ordered in ASCENDING mode");
            }
        }
    }
}
