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
package io.stateaccel.planner.join;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.Session;
import io.stateaccel.planner.reasons.Reason;
import org.apache.flink.table.api.ValidationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReplaceJoinWithMiniBatchJoinTest {

    private static final String INNER_JOIN = "SELECT A.v, B.w FROM A JOIN B ON A.id = B.id";

    private static final String UPSERT_JOIN =
            "INSERT INTO sink_of_counts SELECT UK.id, k FROM UK JOIN K ON UK.id = K.id";

    @Test
    void replacesAnInnerJoinAndKeepsAllThatStockExplains() {
        assertThat(Session.installed().physicalPlan(INNER_JOIN))
                .contains(
                        "+- Join(joinType=[InnerJoin], where=[=(id, id0)], select=[id, v, id0, w],"
                                + " leftInputSpec=[NoUniqueKey], rightInputSpec=[NoUniqueKey])");
        assertThat(Session.accelerated().physicalPlan(INNER_JOIN))
                .contains(
                        "+- MiniBatchJoin(joinType=[InnerJoin], where=[=(id, id0)], select=[id, v,"
                                + " id0, w], leftInputSpec=[NoUniqueKey],"
                                + " rightInputSpec=[NoUniqueKey], leftView=[appended list],"
                                + " rightView=[appended list], bundle=[size 20000, latency 1000"
                                + " ms, max 16 mb])");
    }

    @ParameterizedTest
    @CsvSource({
        "A.id = B.id AND A.v > B.w",
        "A.id = B.id AND A.v = B.w",
        "A.id IS NOT DISTINCT FROM B.id",
        "A.v > B.w",
        "TRUE",
    })
    void replacesWhateverTheCondition(String condition) {
        assertThat(Session.accelerated().physicalPlan("SELECT v, w FROM A JOIN B ON " + condition))
                .contains("MiniBatchJoin(joinType=[InnerJoin]")
                .doesNotContain(" Join(");
    }

    @ParameterizedTest
    @CsvSource({
        // Insert-only, without and with a unique key in the join key.
        "A, appended list",
        "K, single row",
        // Retractions, without a unique key, with one in the join key.
        "R, counted list",
        "D, counted list",
        "RK, single row",
        // Upserts by a unique key that is more than the join key.
        "U, unique-key list",
    })
    void choosesTheViewByUniqueKeyAndChangelog(String table, String view) {
        assertThat(
                        Session.accelerated()
                                .physicalPlan(
                                        "SELECT * FROM B JOIN "
                                                + table
                                                + " ON B.id = "
                                                + table
                                                + ".id"))
                .contains("leftView=[appended list], rightView=[" + view + "]");
    }

    @Test
    void readsTheChangelogOfAnInputOfTheSameQuery() {
        assertThat(
                        Session.accelerated()
                                .physicalPlan(
                                        "SELECT * FROM B JOIN (SELECT v, COUNT(*) AS n FROM A GROUP"
                                                + " BY v) C ON B.w = C.n"))
                .contains("rightView=[unique-key list]")
                .contains("CachedGroupAggregate(");
    }

    @Test
    void replacesEveryJoinOfAPlanWithSeveralSinks() {
        final Session session = Session.accelerated();
        final String plan =
                session.tables()
                        .createStatementSet()
                        .addInsertSql("INSERT INTO sink_of_pairs " + INNER_JOIN)
                        .addInsertSql(
                                "INSERT INTO sink_of_pairs SELECT v, w FROM ("
                                        + INNER_JOIN
                                        + ") WHERE v > 5")
                        .explain();

        assertThat(plan).contains("MiniBatchJoin(").doesNotContain(" Join(");
    }

    @Test
    void takesTheBundleFromOurOptions() {
        assertThat(
                        Session.accelerated()
                                .set("table.exec.state-accel.mini-batch.size", "7")
                                .set("table.exec.state-accel.mini-batch.allow-latency", "3 s")
                                .physicalPlan(INNER_JOIN))
                .contains("bundle=[size 7, latency 3000 ms, max 16 mb]");
    }

    @Test
    void letsTheUsersMiniBatchSettingsRule() {
        assertThat(
                        Session.accelerated()
                                .set("table.exec.state-accel.mini-batch.size", "7")
                                .set("table.exec.mini-batch.enabled", "true")
                                .set("table.exec.mini-batch.size", "500")
                                .set("table.exec.mini-batch.allow-latency", "2 s")
                                .physicalPlan(INNER_JOIN))
                .contains("miniBatch=[true]")
                .contains("bundle=[size 500, latency 2000 ms, max 16 mb]");
    }

    @Test
    void namesTheKeyWhenTheUsersMiniBatchSizeIsMissing() {
        final Session session =
                Session.accelerated()
                        .set("table.exec.mini-batch.enabled", "true")
                        .set("table.exec.mini-batch.allow-latency", "2 s");

        assertThatThrownBy(() -> session.physicalPlan(INNER_JOIN))
                .hasStackTraceContaining(ValidationException.class.getName())
                .hasStackTraceContaining("'table.exec.mini-batch.size' is -1");
    }

    @ParameterizedTest
    @CsvSource({
        "LEFT JOIN, LeftOuterJoin",
        "RIGHT JOIN, RightOuterJoin",
        "FULL OUTER JOIN, FullOuterJoin",
    })
    void replacesOuterJoins(String join, String joinType) {
        assertThat(
                        Session.accelerated()
                                .physicalPlan("SELECT v, w FROM A " + join + " B ON A.id = B.id"))
                .contains("MiniBatchJoin(joinType=[" + joinType + "]")
                .doesNotContain(" Join(");
    }

    @ParameterizedTest
    @CsvSource({"IN, LeftSemiJoin", "NOT IN, LeftAntiJoin"})
    void replacesSemiAndAntiJoins(String in, String joinType) {
        assertThat(
                        Session.accelerated()
                                .physicalPlan(
                                        "SELECT v FROM A WHERE id " + in + " (SELECT id FROM B)"))
                .contains("MiniBatchJoin(joinType=[" + joinType + "]");
    }

    @Test
    void keepsOuterJoinsWhoseMatchesAreUpserts() {
        assertStays(
                Session.accelerated(),
                "INSERT INTO sink_of_counts SELECT K.id, u FROM K LEFT JOIN UK ON UK.id = K.id",
                "Join(joinType=[LeftOuterJoin]",
                Reason.UPSERT_DECIDES_MATCH);
        assertThat(
                        Session.accelerated()
                                .physicalPlan(
                                        "INSERT INTO sink_of_counts SELECT UK.id, k FROM UK LEFT"
                                                + " JOIN K ON UK.id = K.id"))
                .contains("MiniBatchJoin(joinType=[LeftOuterJoin]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                INNER_JOIN,
                "SELECT v, w FROM A LEFT JOIN B ON A.id = B.id",
                "SELECT v, w FROM A RIGHT JOIN B ON A.id = B.id",
                "SELECT v, w FROM A FULL JOIN B ON A.id = B.id",
                "SELECT v FROM A WHERE A.id IN (SELECT id FROM B)",
                "SELECT v FROM A WHERE NOT EXISTS (SELECT 1 FROM B WHERE A.id = B.id)"
            })
    void replacesJoinsWithStateTtl(String query) {
        assertThat(Session.accelerated().set("table.exec.state.ttl", "1 h").physicalPlan(query))
                .contains("MiniBatchJoin(");
    }

    @Test
    void replacesOuterJoinsWithAStateTtlHintOnOneSide() {
        assertThat(
                        Session.accelerated()
                                .physicalPlan(
                                        "SELECT /*+ STATE_TTL('B' = '1h') */ A.v, B.w"
                                                + " FROM A LEFT JOIN B ON A.id = B.id"))
                .contains("MiniBatchJoin(");
    }

    @Test
    void replacesAJoinOfUpserts() {
        Lines.assumeAtLeast("2.1", "Joins of upserts that are not normalized first");
        assertThat(Session.accelerated().physicalPlan(UPSERT_JOIN))
                .contains("MiniBatchJoin(")
                .doesNotContain("ChangelogNormalize");
    }

    @Test
    void keepsJoinsOfUpsertsUnderACondition() {
        assertStays(
                Session.accelerated(),
                UPSERT_JOIN + " AND UK.u < K.k",
                "Join(joinType=[InnerJoin]",
                Reason.UPSERT_WITH_CONDITION);
    }

    @Test
    void keepsJoinsOnAsynchronousState() {
        Lines.assumeAtLeast("2.0", "Asynchronous state");
        assertStays(
                Session.accelerated().set("table.exec.async-state.enabled", "true"),
                INNER_JOIN,
                "Join(joinType=[InnerJoin]",
                Reason.ASYNC_STATE);
    }

    private static void assertStays(Session session, String query, String node, Reason reason) {
        try (CapturedLog log = new CapturedLog()) {
            assertThat(session.physicalPlan(query))
                    .contains(" " + node)
                    .doesNotContain("MiniBatchJoin");
            session.physicalPlan(query);
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("Stays stock: " + node))
                    .singleElement()
                    .asString()
                    .startsWith("INFO [state-accel] ")
                    .contains(reason.toString());
        }
    }
}
