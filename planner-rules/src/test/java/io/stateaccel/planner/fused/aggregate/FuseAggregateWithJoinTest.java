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
package io.stateaccel.planner.fused.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.Session;
import io.stateaccel.planner.reasons.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FuseAggregateWithJoinTest {

    private static final String MAX_OF_JOIN =
            "SELECT A.id, A.v, MAX(B.w) AS m FROM A JOIN B ON A.id = B.id GROUP BY A.id, A.v";

    @Test
    void makesOneNodeThatShowsBoth() {
        final String plan = Session.accelerated().physicalPlan(MAX_OF_JOIN);
        assertThat(plan)
                .contains("\nMiniBatchJoinAggregate(join=[MiniBatchJoin(joinType=[InnerJoin],")
                .contains("calc=[Calc(select=[id, v, w])]")
                .contains(
                        "aggregate=[GroupAggregate(groupBy=[id, v], select=[id, v, MAX(w) AS m])]")
                .contains("\n:- Exchange(distribution=[hash[id]])")
                .contains("\n+- Exchange(distribution=[hash[id]])")
                .doesNotContain("hash[id, v]")
                .doesNotContain("CachedGroupAggregate");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT B.id, COUNT(*) FROM A JOIN B ON A.id = B.id GROUP BY B.id",
                "SELECT A.id, A.v, COUNT(B.w) FROM A LEFT JOIN B ON A.id = B.id GROUP BY A.id, A.v",
                "SELECT B.id, COUNT(A.v) FROM A RIGHT JOIN B ON A.id = B.id GROUP BY B.id",
                "SELECT id, SUM(v) FROM A WHERE id IN (SELECT id FROM B) GROUP BY id",
                "SELECT id, v, COUNT(*) FROM A WHERE NOT EXISTS"
                        + " (SELECT * FROM B WHERE B.id = A.id) GROUP BY id, v",
                // All values are those of the join key.
                "SELECT A.id, COUNT(DISTINCT B.w) FROM A JOIN B ON A.id = B.id GROUP BY A.id",
                "SELECT A.id, MAX(R.r) FROM A JOIN R ON A.id = R.id GROUP BY A.id",
                "SELECT A.id, COUNT(DISTINCT B.w) FROM A LEFT JOIN B ON A.id = B.id GROUP BY A.id",
                "SELECT id, COUNT(DISTINCT v) FROM A WHERE id IN (SELECT id FROM B) GROUP BY id",
                // One column of each pair.
                "SELECT A.id, B.w, COUNT(*) FROM A JOIN B ON A.id = B.id AND A.v = B.w"
                        + " GROUP BY A.id, B.w",
                "SELECT A.id, COUNT(*) FROM A JOIN B ON A.id = B.id AND A.v < B.w"
                        + " WHERE A.v + B.w > 3 GROUP BY A.id HAVING COUNT(*) > 2",
            })
    void fusesWhateverTheJoinAndTheFunctions(String query) {
        assertThat(Session.accelerated().physicalPlan(query)).contains("MiniBatchJoinAggregate(");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GROUP_SPANS_JOIN_KEYS | SELECT A.v, COUNT(*) FROM A JOIN B ON A.id = B.id GROUP BY A.v",
                "GROUP_SPANS_JOIN_KEYS | SELECT A.id + 1, COUNT(*) FROM A JOIN B ON A.id = B.id"
                        + " GROUP BY A.id + 1",
                "GROUP_SPANS_JOIN_KEYS | SELECT COUNT(*) FROM A JOIN B ON A.id = B.id",
                "GROUP_SPANS_JOIN_KEYS | SELECT A.id, COUNT(*) FROM A JOIN B ON A.id = B.id"
                        + " AND A.v = B.w GROUP BY A.id",
                "NO_EXCHANGE_TO_SAVE | SELECT A.id, COUNT(*) FROM A JOIN B ON A.v < B.w GROUP BY A.id",
                "PADDED_JOIN_KEY | SELECT B.id, COUNT(*) FROM A LEFT JOIN B ON A.id = B.id"
                        + " GROUP BY B.id",
                "PADDED_JOIN_KEY | SELECT A.id, COUNT(*) FROM A FULL JOIN B ON A.id = B.id"
                        + " GROUP BY A.id",
                "VIEWS_OF_SEVERAL_GROUPS | SELECT A.id, A.v, COUNT(DISTINCT B.w) FROM A JOIN B"
                        + " ON A.id = B.id GROUP BY A.id, A.v",
                "VIEWS_OF_SEVERAL_GROUPS | SELECT A.id, B.id, COUNT(DISTINCT B.w) FROM A LEFT JOIN B"
                        + " ON A.id = B.id GROUP BY A.id, B.id",
                "VIEWS_OF_SEVERAL_GROUPS | SELECT A.id, A.v, MAX(R.r) FROM A JOIN R"
                        + " ON A.id = R.id GROUP BY A.id, A.v",
            })
    void saysWhyNot(Reason reason, String query) {
        assertUnfused(Session.accelerated(), query, reason);
    }

    @Test
    void canBeSwitchedOff() {
        assertUnfused(
                Session.accelerated()
                        .set("table.exec.state-accel.join-aggregate-fusion.enabled", "false"),
                MAX_OF_JOIN,
                Reason.AGGREGATE_FUSION_SWITCHED_OFF);
    }

    private static void assertUnfused(Session session, String query, Reason reason) {
        try (CapturedLog log = new CapturedLog()) {
            assertThat(session.physicalPlan(query))
                    .contains("CachedGroupAggregate(")
                    .contains("MiniBatchJoin(")
                    .doesNotContain("MiniBatchJoinAggregate");
            session.physicalPlan(query);
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("Not fused with the join below it: "))
                    .singleElement()
                    .asString()
                    .startsWith("INFO [state-accel] ")
                    .contains(reason.toString());
        }
    }
}
