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
package io.stateaccel.planner.stock;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.Session;
import io.stateaccel.planner.reasons.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeepStatefulNodesThatAreNotCoveredTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "WindowTableFunction|OPERATOR_NOT_COVERED|SELECT id, window_start FROM"
                        + " SESSION(TABLE A PARTITION BY id, DESCRIPTOR(ts), INTERVAL '1' HOUR)",
                "LookupJoin|LOOKUP_MATERIALIZER|SELECT R.id, L.x FROM (SELECT *, PROCTIME() AS p FROM"
                        + " R) R JOIN L FOR SYSTEM_TIME AS OF R.p ON R.id = L.id",
                "Limit|OPERATOR_NOT_COVERED|SELECT v FROM A LIMIT 3",
            })
    void saysSoOncePerNode(String node, Reason reason, String query) {
        if (query.contains("(TABLE A")) {
            Lines.assumeAtLeast("2.0", "Functions of tables without a TABLE() around them");
        }
        final Session session =
                Session.accelerated()
                        .set("table.optimizer.non-deterministic-update.strategy", "TRY_RESOLVE");
        createLookedUp(session);
        try (CapturedLog log = new CapturedLog()) {
            final String plan = session.physicalPlan(query);
            session.physicalPlan(query);

            assertThat(plan).contains(node + "(");
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("Stays stock: "))
                    .isNotEmpty()
                    .doesNotHaveDuplicates()
                    .anyMatch(
                            line -> line.contains(node + "(") && line.contains(reason.toString()));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "false, GlobalGroupAggregate",
        "true, GlobalGroupAggregate",
        "true, IncrementalGroupAggregate",
    })
    void keepsTwoPhaseAggregates(String splitDistinct, String node) {
        final Session session =
                Session.accelerated()
                        .set("table.exec.mini-batch.enabled", "true")
                        .set("table.exec.mini-batch.size", "500")
                        .set("table.exec.mini-batch.allow-latency", "2 s")
                        .set("table.optimizer.distinct-agg.split.enabled", splitDistinct);
        try (CapturedLog log = new CapturedLog()) {
            assertThat(session.physicalPlan("SELECT id, COUNT(DISTINCT v) FROM A GROUP BY id"))
                    .contains(node + "(");
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("Stays stock: " + node + "("))
                    .singleElement()
                    .asString()
                    .contains(Reason.BUNDLED_BY_FLINK.toString());
        }
    }

    @Test
    void keepsMultiJoinsAndSaysWhatToDo() {
        Lines.assumeAtLeast("2.1", "Multi-joins");
        final Session session =
                Session.accelerated().set("table.optimizer.multi-join.enabled", "true");
        final String query =
                "SELECT A.v, B.w, K.k FROM A JOIN B ON A.id = B.id JOIN K ON A.id = K.id";
        try (CapturedLog log = new CapturedLog()) {
            assertThat(session.physicalPlan(query)).contains("MultiJoin(");
            session.physicalPlan(query);

            assertThat(log.lines())
                    .filteredOn(line -> line.contains("Stays stock: MultiJoin("))
                    .singleElement()
                    .asString()
                    .startsWith("INFO [state-accel] ")
                    .contains(Reason.MULTI_JOIN.toString());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT v + 1 FROM A WHERE v > 2",
                "INSERT INTO sink_of_pairs SELECT v, id FROM A",
                "SELECT id, window_start FROM TUMBLE(TABLE A, DESCRIPTOR(ts), INTERVAL '1' HOUR)",
                "SELECT A.id, L.x FROM (SELECT *, PROCTIME() AS p FROM A) A JOIN L FOR SYSTEM_TIME AS"
                        + " OF A.p ON A.id = L.id",
                "SELECT R.id, L.x FROM (SELECT *, PROCTIME() AS p FROM R) R JOIN L FOR SYSTEM_TIME AS"
                        + " OF R.p ON R.id = L.id",
            })
    void saysNothingOfStatelessNodes(String query) {
        if (query.contains("(TABLE A")) {
            Lines.assumeAtLeast("2.0", "Functions of tables without a TABLE() around them");
        }
        final Session session = Session.accelerated();
        createLookedUp(session);
        try (CapturedLog log = new CapturedLog()) {
            session.physicalPlan(query);
            assertThat(log.lines()).noneMatch(line -> line.contains("Stays stock"));
        }
    }

    private static void createLookedUp(Session session) {
        session.tables()
                .executeSql(
                        "CREATE TABLE L (id BIGINT, x BIGINT) WITH ('connector' = 'in-memory')");
    }
}
