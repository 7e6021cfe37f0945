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
package io.stateaccel.planner.beforejoin;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.Session;
import io.stateaccel.planner.reasons.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AggregateBeforeJoinTest {

    private static final String PER_ROW_OF_K =
            "SELECT K.id, K.k, COUNT(*) AS c, MAX(B.w) AS m FROM K JOIN B ON K.id = B.id"
                    + " GROUP BY K.id, K.k";

    @Test
    void joinsWhatTheRowsComeTo() {
        final String plan = switchedOn().physicalPlan(PER_ROW_OF_K);
        assertThat(plan)
                .contains("\nCalc(select=[id, k, c, m])\n+- MiniBatchJoin(joinType=[InnerJoin],")
                .contains(
                        "\n      +- CachedGroupAggregate(groupBy=[id], select=[id, COUNT(*) AS c,"
                                + " MAX(w) AS m],")
                .contains("\n         +- Exchange(distribution=[hash[id]])")
                .contains("leftInputSpec=[JoinKeyContainsUniqueKey]")
                .contains("rightInputSpec=[JoinKeyContainsUniqueKey]")
                .doesNotContain("MiniBatchJoinAggregate");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // The aggregated side on the left.
                "SELECT K.id, K.k, SUM(B.w) FROM B JOIN K ON K.id = B.id GROUP BY K.id, K.k",
                // By the key's column of the aggregated side.
                "SELECT B.id, SUM(B.w) FROM B JOIN K ON K.id = B.id GROUP BY B.id",
                "SELECT K.k, B.id, SUM(B.w) FROM B JOIN K ON K.id = B.id GROUP BY K.k, B.id",
                // Expressions, filters, distinct values, conditions on one side or on the result.
                "SELECT K.id, SUM(B.w * 2), COUNT(DISTINCT B.w), MIN(B.w) FILTER (WHERE B.w > 3)"
                        + " FROM K JOIN B ON K.id = B.id WHERE K.k > 1 AND B.w < 100"
                        + " GROUP BY K.id HAVING COUNT(*) > 2",
                // Retractions and upserts.
                "SELECT RK.id, RK.r, MAX(R.r) FROM RK JOIN R ON RK.id = R.id GROUP BY RK.id, RK.r",
                "SELECT UK.id, UK.u, SUM(D.d) FROM UK JOIN D ON UK.id = D.id GROUP BY UK.id, UK.u",
                // Unique, but not in the join key: several rows of one side share an aggregate.
                "SELECT K.id, SUM(B.w) FROM K JOIN B ON K.k = B.id GROUP BY K.id",
                "SELECT S.id, S.s, COUNT(*) FROM (SELECT id, SUM(v) AS s FROM A GROUP BY id) S"
                        + " JOIN B ON S.s = B.id GROUP BY S.id, S.s",
                // NULLs that are equal.
                "SELECT K.id, SUM(B.w) FROM K JOIN B ON K.k IS NOT DISTINCT FROM B.w GROUP BY K.id",
            })
    void aggregatesOneSideFirst(String query) {
        final String plan = switchedOn().physicalPlan(query);
        assertThat(plan)
                .containsSubsequence("MiniBatchJoin(", "CachedGroupAggregate(")
                .doesNotContain("MiniBatchJoinAggregate");
        assertThat(Session.installed().physicalPlan(query))
                .containsSubsequence("GroupAggregate(", "Join(");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "NOT_INNER | SELECT K.id, SUM(B.w) FROM K LEFT JOIN B ON K.id = B.id GROUP BY K.id",
                "NO_JOIN_KEY | SELECT K.id, SUM(B.w) FROM K JOIN B ON K.id < B.id GROUP BY K.id",
                "CONDITION_BESIDE_KEY | SELECT K.id, SUM(B.w) FROM K JOIN B ON K.id = B.id"
                        + " AND B.w < K.k GROUP BY K.id",
                "SEVERAL_GROUPINGS | SELECT SUM(B.w) FROM K JOIN B ON K.id = B.id",
                "BOTH_SIDES | SELECT K.id, SUM(B.w + K.k) FROM K JOIN B ON K.id = B.id GROUP BY K.id",
                "BOTH_SIDES | SELECT K.id + 1, COUNT(*) FROM K JOIN B ON K.id = B.id"
                        + " GROUP BY K.id + 1",
                "NOT_UNIQUE | SELECT K.k, SUM(B.w) FROM K JOIN B ON K.id = B.id GROUP BY K.k",
                "NOT_UNIQUE | SELECT A.id, SUM(B.w) FROM A JOIN B ON A.id = B.id GROUP BY A.id",
                "NOT_DETERMINISTIC | SELECT K.id, SUM(B.w * RAND_INTEGER(3)) FROM K JOIN B"
                        + " ON K.id = B.id GROUP BY K.id",
                "HINT_ABOUT_OTHER_STATES | SELECT /*+ STATE_TTL('K' = '1d') */ K.id, SUM(B.w)"
                        + " FROM K JOIN B ON K.id = B.id GROUP BY K.id",
                "JOIN_BY_TIME | SELECT A.id, A.ts, SUM(B.w) FROM (SELECT id, ts FROM (SELECT *,"
                        + " ROW_NUMBER() OVER (PARTITION BY id, ts ORDER BY ts) AS n FROM A)"
                        + " WHERE n = 1) A JOIN B ON A.ts = B.ts GROUP BY A.id, A.ts",
            })
    void saysWhyNot(Reason reason, String query) {
        if (reason == Reason.JOIN_BY_TIME) {
            Lines.assumeAtLeast("2.1", "First rows by row time that are never taken back");
        }
        assertJoinedFirst(switchedOn(), query, reason);
    }

    @Test
    void staysWithStateTtlOfTheSession() {
        assertJoinedFirst(
                switchedOn().set("table.exec.state.ttl", "1 d"),
                PER_ROW_OF_K,
                Reason.HINT_ABOUT_OTHER_STATES);
    }

    @Test
    void isOffUntilSwitchedOn() {
        try (CapturedLog log = new CapturedLog()) {
            assertThat(Session.accelerated().physicalPlan(PER_ROW_OF_K))
                    .contains("MiniBatchJoinAggregate");
            assertThat(log.lines()).noneMatch(line -> line.contains("Not aggregated before"));
        }
    }

    private static Session switchedOn() {
        return Session.accelerated()
                .set("table.exec.state-accel.aggregate-before-join.enabled", "true");
    }

    private static void assertJoinedFirst(Session session, String query, Reason reason) {
        try (CapturedLog log = new CapturedLog()) {
            session.physicalPlan(query);
            session.physicalPlan(query);
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("Not aggregated before the join below it: "))
                    .singleElement()
                    .asString()
                    .startsWith("INFO [state-accel] ")
                    .contains(reason.toString());
        }
    }
}
