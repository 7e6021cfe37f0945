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

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.CompiledPlans;
import io.stateaccel.planner.Session;
import io.stateaccel.planner.reasons.Reason;
import java.util.concurrent.TimeUnit;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.StatementSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FuseJoinWithNormalizeTest {

    private static final String JOINED = "SELECT UK.id, u, r FROM UK %s JOIN R ON UK.id = R.id";

    @ParameterizedTest
    @ValueSource(strings = {"", "LEFT", "RIGHT", "FULL"})
    void makesOneOfTheTwo(String type) {
        assertThat(fusing().physicalPlan(JOINED.formatted(type)))
                .contains("leftView=[single row]", "normalized=[left]")
                .doesNotContain("ChangelogNormalize");
    }

    @Test
    void makesOneOfAllThree() {
        assertThat(
                        fusing().physicalPlan(
                                        "SELECT UK.id, COUNT(*) FROM UK JOIN R ON UK.id = R.id GROUP"
                                                + " BY UK.id"))
                .contains("MiniBatchJoinAggregate(", "normalized=[left]")
                .doesNotContain("ChangelogNormalize");
    }

    @Test
    void keepsAConditionThatFlinkHasPushedDown() {
        Lines.assumeAtLeast("2.1", "Conditions within the normalisation");
        assertThat(fusing().physicalPlan(JOINED.formatted("") + " WHERE u > 2"))
                .contains("normalized=[left]", "leftFilter=[>(")
                .doesNotContain("ChangelogNormalize");
    }

    @Test
    void isOffUnlessAskedFor() {
        assertThat(Session.accelerated().physicalPlan(JOINED.formatted("")))
                .contains("MiniBatchChangelogNormalize(")
                .doesNotContain("normalized=");
    }

    @Test
    void readsByTheJoinKeyInItsOrder() {
        final Session session = withTwoKeys(fusing());
        assertThat(
                        session.physicalPlan(
                                "SELECT a, b, c, ts FROM T JOIN A ON T.b = A.v AND T.a = A.id"))
                .contains("normalized=[left]")
                .doesNotContain("ChangelogNormalize")
                .containsPattern(
                        "normalized=\\[left](.|\n)*Exchange\\(distribution=\\[hash\\[(b, a|a, b)]]\\)"
                                + "(.|\n)*Exchange\\(distribution=\\[hash\\[(v, id|id, v)]]\\)");
    }

    @Test
    void normalizesBothInputs() {
        final Session session = withTwoKeys(fusing());
        session.tables().executeSql("CREATE TABLE S LIKE T");
        assertThat(session.physicalPlan("SELECT T.a, S.c FROM T JOIN S ON T.a = S.a AND T.b = S.b"))
                .contains("normalized=[left, right]")
                .doesNotContain("ChangelogNormalize");
    }

    @Test
    void hasTheChangesThatTheNormalisationHad() {
        final String joined = JOINED.formatted("");
        assertThat(fusing().explain(joined, ExplainDetail.CHANGELOG_MODE))
                .containsPattern("MiniBatchJoin\\(.*changelogMode=\\[I,UB,UA,D]");
    }

    @Test
    void saysWhyNot() {
        assertStays(
                fusing(),
                "SELECT UK.id, u, r FROM UK JOIN R ON UK.u = R.id",
                Reason.NORMALIZED_BY_ANOTHER_KEY);
        assertStays(
                fusing(),
                "SELECT L.id, n, r FROM (SELECT id, u + 1 AS n FROM UK) L JOIN R ON L.id = R.id",
                Reason.NORMALIZED_FURTHER_BELOW);
        assertStays(
                withTwoKeys(fusing()),
                "SELECT L.c, R.c AS d FROM T L JOIN T R ON L.a = R.a AND L.b = R.b",
                Reason.NORMALIZED_AS_SHARED);
    }

    @Test
    void leavesRowsThatExpireAlone() {
        assertStays(
                fusing().set("table.exec.state.ttl", "1 d"),
                JOINED.formatted(""),
                Reason.NORMALIZED_ROWS_EXPIRE);
        assertStays(
                fusing(),
                "SELECT /*+ STATE_TTL('R' = '1 d') */ UK.id, u, r FROM UK JOIN R ON UK.id = R.id",
                Reason.NORMALIZED_ROWS_EXPIRE);
    }

    private static void assertStays(Session session, String query, Reason reason) {
        try (CapturedLog log = new CapturedLog()) {
            assertThat(session.physicalPlan(query))
                    .contains("MiniBatchChangelogNormalize(", "MiniBatchJoin(")
                    .doesNotContain("normalized=");
            assertThat(log.lines())
                    .anyMatch(
                            line ->
                                    line.contains("Not fused with the join above it: ")
                                            && line.contains(reason.toString()));
        }
    }

    @Test
    void leavesWhatOthersReadAlone() {
        final Session session = fusing();
        final StatementSet set = session.tables().createStatementSet();
        session.tables().executeSql("CREATE VIEW V AS SELECT id, u FROM UK WHERE u > 1");
        set.addInsertSql("INSERT INTO sink_of_pairs SELECT u, r FROM V JOIN R ON V.id = R.id");
        set.addInsertSql("INSERT INTO sink_of_counts SELECT u, COUNT(*) FROM V GROUP BY u");
        assertThat(set.explain()).contains("ChangelogNormalize(").doesNotContain("normalized=");
    }

    @Test
    void isPartOfACompiledPlan() throws Exception {
        final Session session = withTwoKeys(fusing());
        final String insert =
                "INSERT INTO sink_of_pairs SELECT c, v FROM T JOIN A ON T.b = A.v AND T.a = A.id";
        assertThat(CompiledPlans.run(session, insert))
                .contains("\"leftNormalized\"")
                .doesNotContain("changelog-normalize");
        session.tables().executeSql(insert).await(60, TimeUnit.SECONDS);
    }

    private static Session withTwoKeys(Session session) {
        session.set("table.exec.source.cdc-events-duplicate", "true")
                .tables()
                .executeSql(
                        "CREATE TABLE T (c BIGINT, a BIGINT, b BIGINT, PRIMARY KEY (a, b) NOT"
                                + " ENFORCED) WITH ('connector' = 'in-memory')");
        return session;
    }

    private static Session fusing() {
        return Session.accelerated()
                .set("table.exec.state-accel.join-normalize-fusion.enabled", "true");
    }
}
