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
package io.stateaccel.planner.fused.topn;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.Session;
import io.stateaccel.planner.reasons.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FuseRankWithJoinTest {

    private static final String RANKED =
            "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY %s ORDER BY %s) AS rn FROM (%s))"
                    + " WHERE rn %s";

    private static final String TOP_OF_JOIN =
            RANKED.formatted(
                    "id", "w DESC", "SELECT A.id, A.v, B.w FROM A JOIN B ON A.id = B.id", "<= 2");

    @Test
    void makesOneNodeThatShowsBoth() {
        final String plan = Session.accelerated().physicalPlan(TOP_OF_JOIN);
        assertThat(plan)
                .contains("\nMiniBatchJoinRank(join=[MiniBatchJoin(joinType=[InnerJoin],")
                .contains("calc=[Calc(select=[id, v, w])]")
                .contains("rank=[Rank(strategy=[AppendFastStrategy], rankType=[ROW_NUMBER],")
                .contains("partitionBy=[id], orderBy=[w DESC]")
                .contains("\n:- Exchange(distribution=[hash[id]])")
                .contains("\n+- Exchange(distribution=[hash[id]])")
                .doesNotContain("MiniBatchRank");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "id | w | SELECT A.id, B.w FROM A JOIN B ON A.id = B.id AND A.v < B.w | <= 3",
                "bid | w DESC | SELECT B.id AS bid, B.w FROM A JOIN B ON A.id = B.id | BETWEEN 2 AND 5",
                "id, bid | w | SELECT A.id, B.id AS bid, B.w FROM A JOIN B ON A.id = B.id | <= 3",
                // Planned as if it never took a row back.
                "id | w DESC, ts | SELECT A.id, B.w, B.ts FROM A JOIN B ON A.id = B.id | = 1",
                "id | w | SELECT A.id, B.w FROM A LEFT JOIN B ON A.id = B.id | <= 3",
                "bid | v | SELECT B.id AS bid, A.v FROM A RIGHT JOIN B ON A.id = B.id | <= 3",
                "id | v | SELECT id, v FROM A WHERE id IN (SELECT id FROM B) | <= 3",
                "id | v | SELECT id, v FROM A WHERE NOT EXISTS"
                        + " (SELECT * FROM B WHERE B.id = A.id) | <= 3",
                "id | r | SELECT A.id, R.r FROM A JOIN R ON A.id = R.id | <= 3",
                "id, w | v | SELECT A.id, A.v, B.w FROM A JOIN B ON A.id = B.id AND A.v = B.w"
                        + " | <= 3",
            })
    void fusesWhateverTheJoinAndTheInput(
            String partition, String order, String join, String ranks) {
        assertThat(
                        Session.accelerated()
                                .physicalPlan(RANKED.formatted(partition, order, join, ranks)))
                .contains("MiniBatchJoinRank(")
                .doesNotContain("MiniBatchRank(");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GROUP_SPANS_JOIN_KEYS | v | w | SELECT A.v, B.w FROM A JOIN B ON A.id = B.id",
                "SEVERAL_PARTITIONS | id, v | w | SELECT A.id, A.v, B.w FROM A JOIN B ON A.id = B.id",
                "NO_EXCHANGE_TO_SAVE | id | w | SELECT A.id, B.w FROM A JOIN B ON A.v < B.w",
                "PADDED_JOIN_KEY | bid | v | SELECT B.id AS bid, A.v FROM A LEFT JOIN B"
                        + " ON A.id = B.id",
                "SEVERAL_PARTITIONS | id, bid | w | SELECT A.id, B.id AS bid, B.w FROM A LEFT JOIN B"
                        + " ON A.id = B.id",
            })
    void saysWhyNot(Reason reason, String partition, String order, String join) {
        assertUnfused(
                Session.accelerated(), RANKED.formatted(partition, order, join, "<= 3"), reason);
    }

    @Test
    void fusesInnerJoinsWithStateTtl() {
        assertThat(
                        Session.accelerated()
                                .set("table.exec.state.ttl", "1 d")
                                .physicalPlan(TOP_OF_JOIN))
                .isEqualTo(Session.accelerated().physicalPlan(TOP_OF_JOIN))
                .contains("MiniBatchJoinRank(");
    }

    @Test
    void aDeduplicationStaysBeside() {
        Lines.assumeAtLeast("2.0", "Deduplications that are planned as top-N");
        assertUnfused(
                Session.accelerated(),
                RANKED.formatted(
                        "id",
                        "p DESC",
                        "SELECT *, PROCTIME() AS p FROM (SELECT A.id, B.w FROM A JOIN B"
                                + " ON A.id = B.id)",
                        "= 1"),
                Reason.DEDUPLICATION);
    }

    @Test
    void aTopNUpToAColumnStaysBeside() {
        assertUnfused(
                Session.accelerated(),
                RANKED.formatted(
                        "id", "w", "SELECT A.id, B.w FROM A JOIN B ON A.id = B.id", "<= id"),
                Reason.RANK_END_IN_COLUMN);
    }

    @Test
    void canBeSwitchedOff() {
        assertUnfused(
                Session.accelerated()
                        .set("table.exec.state-accel.join-rank-fusion.enabled", "false"),
                TOP_OF_JOIN,
                Reason.RANK_FUSION_SWITCHED_OFF);
    }

    private static void assertUnfused(Session session, String query, Reason reason) {
        try (CapturedLog log = new CapturedLog()) {
            assertThat(session.physicalPlan(query))
                    .contains("MiniBatchRank(")
                    .contains("MiniBatchJoin(")
                    .doesNotContain("MiniBatchJoinRank");
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
