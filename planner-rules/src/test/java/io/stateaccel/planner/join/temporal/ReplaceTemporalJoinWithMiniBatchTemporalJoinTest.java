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
package io.stateaccel.planner.join.temporal;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.CompiledPlans;
import io.stateaccel.planner.Session;
import io.stateaccel.planner.reasons.Reason;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.table.api.Expressions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplaceTemporalJoinWithMiniBatchTemporalJoinTest {

    private static final String INNER_JOIN =
            "SELECT A.v, V.w FROM A JOIN V FOR SYSTEM_TIME AS OF A.ts ON A.id = V.id";

    @ParameterizedTest
    @ValueSource(
            strings = {
                INNER_JOIN,
                "SELECT A.v, V.w FROM A LEFT JOIN V FOR SYSTEM_TIME AS OF A.ts ON A.id = V.id",
                "SELECT A.v, V.w FROM A LEFT JOIN V FOR SYSTEM_TIME AS OF A.ts ON A.id = V.id AND"
                        + " A.v < V.w AND V.w > 3",
            })
    void replacesTheJoinAndKeepsAllThatStockExplains(String query) {
        final String stock = versioned(Session.installed()).physicalPlan(query);
        final String ours = versioned(Session.accelerated()).physicalPlan(query);

        assertThat(stock).contains(" TemporalJoin(joinType=[");
        assertThat(joinOf(ours))
                .isEqualTo(
                        joinOf(stock)
                                .replaceAll(
                                        "TemporalJoin\\((.*)\\)",
                                        "MiniBatchTemporalJoin($1, bundle=[size 20000, latency"
                                                + " 1000 ms, max 16 mb])"));
    }

    @Test
    void letsTheUsersMiniBatchSettingsRule() {
        assertThat(
                        versioned(Session.accelerated())
                                .set("table.exec.mini-batch.enabled", "true")
                                .set("table.exec.mini-batch.size", "500")
                                .set("table.exec.mini-batch.allow-latency", "2 s")
                                .physicalPlan(INNER_JOIN))
                .containsPattern(
                        "MiniBatchTemporalJoin\\(.*bundle=\\[size 500, latency 2000 ms, max 16"
                                + " mb\\]");
    }

    @Test
    void operatorHasTheParallelismOfStocks() {
        final StreamNode stock = joinNode(versioned(Session.stock()));
        final StreamNode ours = joinNode(versioned(Session.accelerated()));

        assertThat(ours.getParallelism()).isEqualTo(4).isEqualTo(stock.getParallelism());
        assertThat(ours.getOperatorFactory().getStreamOperatorClass(getClass().getClassLoader()))
                .isNotEqualTo(
                        stock.getOperatorFactory()
                                .getStreamOperatorClass(getClass().getClassLoader()));
    }

    /** A bundle of a deduplication, a node of its own in Flink 1.20, would leave versions out. */
    @Test
    void keepsWhatMakesTheVersions() {
        final Session session = versioned(Session.accelerated());
        try (CapturedLog log = new CapturedLog()) {
            assertThat(session.physicalPlan(INNER_JOIN)).containsPattern(" (Rank|Deduplicate)\\(");
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("Stays stock: "))
                    .singleElement()
                    .asString()
                    .contains(Reason.VERSIONS_OF_TEMPORAL_JOIN.toString());
        }
        assertThat(session.physicalPlan("SELECT * FROM V"))
                .containsPattern("MiniBatch(Rank|Deduplicate)\\(");
    }

    @Test
    void acceleratesWhatMakesTheRowsThatAreJoined() {
        assertThat(
                        versioned(Session.accelerated())
                                .physicalPlan(
                                        "SELECT L.w, V.w FROM V AS L JOIN V FOR SYSTEM_TIME AS OF"
                                                + " L.ts ON L.id = V.id"))
                .contains("MiniBatchTemporalJoin(");
    }

    @Test
    void keepsTemporalTableFunctions() {
        final Session session = Session.accelerated();
        session.tables()
                .createTemporarySystemFunction(
                        "versions_at",
                        session.tables()
                                .from("B")
                                .createTemporalTableFunction(
                                        Expressions.$("ts"), Expressions.$("id")));
        assertStays(
                session,
                "SELECT v, w FROM A, LATERAL TABLE (versions_at(ts)) AS B (b_id, w, b_ts) WHERE id ="
                        + " b_id",
                Reason.TEMPORAL_TABLE_FUNCTION);
    }

    @Test
    void isPartOfACompiledPlan() throws Exception {
        assertThat(
                        CompiledPlans.types(
                                CompiledPlans.run(
                                        versioned(Session.accelerated()),
                                        "INSERT INTO sink_of_pairs " + INNER_JOIN)))
                .contains("state-accel-temporal-join_1");
    }

    private static Session versioned(Session session) {
        session.tables()
                .executeSql(
                        "CREATE VIEW V AS SELECT id, w, ts FROM (SELECT *, ROW_NUMBER() OVER"
                                + " (PARTITION BY id ORDER BY ts DESC) AS n FROM B) WHERE n = 1");
        return session;
    }

    private static String joinOf(String plan) {
        return plan.lines()
                .filter(line -> line.contains("TemporalJoin("))
                .findFirst()
                .orElseThrow()
                .strip();
    }

    private static void assertStays(Session session, String query, Reason reason) {
        try (CapturedLog log = new CapturedLog()) {
            assertThat(session.physicalPlan(query))
                    .contains(" TemporalJoin(")
                    .doesNotContain("MiniBatchTemporalJoin");
            session.physicalPlan(query);
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("Stays stock: TemporalJoin("))
                    .singleElement()
                    .asString()
                    .startsWith("INFO [state-accel] ")
                    .contains(reason.toString());
        }
    }

    private static StreamNode joinNode(Session session) {
        session.environment().setParallelism(4);
        session.tables().toChangelogStream(session.tables().sqlQuery(INNER_JOIN)).print();
        final StreamGraph graph = session.environment().getStreamGraph();
        return graph.getStreamNodes().stream()
                .filter(node -> node.getOperatorName().contains("TemporalJoin"))
                .findFirst()
                .orElseThrow();
    }
}
