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

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.Session;
import io.stateaccel.planner.reasons.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplaceRankWithMiniBatchRankTest {

    private static final String DEDUPLICATIONS = "Deduplications that are planned as top-N";

    private static final String STOCK_RANK = "[\\s+-]Rank\\(";

    private static final String RANKED =
            "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY %s ORDER BY %s) AS rn FROM %s)"
                    + " WHERE rn %s";
    private static final String RANKED_WITHOUT_NUMBER =
            "SELECT id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY %s ORDER BY %s) AS rn FROM %s)"
                    + " WHERE rn %s";

    @Test
    void replacesATopNAndKeepsAllThatStockExplains() {
        final String query = RANKED.formatted("id", "v", "A", "<= 3");
        assertThat(Session.installed().physicalPlan(query))
                .contains(
                        "\nRank(strategy=[AppendFastStrategy], rankType=[ROW_NUMBER],"
                                + " rankRange=[rankStart=1, rankEnd=3], partitionBy=[id],"
                                + " orderBy=[v ASC], select=[id, v, ts, w0$o0])");
        assertThat(Session.accelerated().physicalPlan(query))
                .contains(
                        "\nMiniBatchRank(strategy=[AppendFastStrategy], rankType=[ROW_NUMBER],"
                                + " rankRange=[rankStart=1, rankEnd=3], partitionBy=[id],"
                                + " orderBy=[v ASC], select=[id, v, ts, w0$o0],"
                                + " bundle=[size 20000, latency 1000 ms, max 16 mb])");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // partition | order | table | ranks
                "id | v | A | <= 3",
                "id | v DESC, ts | A | <= 2",
                "id | v DESC | A | = 1",
                // Planned as if it never took a row back.
                "id | v, ts | A | = 1",
                "id | v | A | BETWEEN 2 AND 4",
                "id | r | R | <= 3",
                "id | r DESC | R | = 1",
                "id | n DESC | (SELECT id, v, COUNT(*) AS n FROM A GROUP BY id, v) | <= 2",
                "id | n DESC | (SELECT id, v, COUNT(*) AS n FROM A GROUP BY id, v) | = 1",
                "id | ts DESC | A | = 1",
                "id | ts | A | = 1",
                "id | p DESC | (SELECT *, PROCTIME() AS p FROM A) | = 1",
                "id | p | (SELECT *, PROCTIME() AS p FROM A) | = 1",
                "id | r | R | <= 100000",
                "id | v | A | <= 100000",
                "id | n DESC | (SELECT id, v, COUNT(*) AS n FROM A GROUP BY id, v) | <= 1001",
                "id | p | (SELECT *, PROCTIME() AS p FROM A) | <= 2",
                "id | p DESC, v | (SELECT *, PROCTIME() AS p FROM A) | <= 2",
            })
    void replacesWhateverTheInputAndTheOrder(
            String partition, String order, String table, String ranks) {
        if (ranks.equals("= 1") && (order.startsWith("ts") || order.startsWith("p"))) {
            Lines.assumeAtLeast("2.0", DEDUPLICATIONS);
        }
        // The number is projected away in every other query, as deduplications do.
        for (String query : new String[] {RANKED, RANKED_WITHOUT_NUMBER}) {
            for (String ttl : new String[] {"0", "1 d"}) {
                assertThat(
                                Session.accelerated()
                                        .set("table.exec.state.ttl", ttl)
                                        .physicalPlan(
                                                query.formatted(partition, order, table, ranks)))
                        .contains("MiniBatchRank(")
                        .doesNotContainPattern(STOCK_RANK);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // table | last rank | time to live | reason
                "A | id | 1 d | RANK_END_EXPIRES",
                "(SELECT id, v, CAST(v AS TINYINT) AS t FROM A) | t | 0 | RANK_END_TYPE",
            })
    void keepsWhatIsNotCovered(String table, String lastRank, String ttl, Reason reason) {
        assertStays(
                Session.accelerated().set("table.exec.state.ttl", ttl),
                RANKED_WITHOUT_NUMBER.formatted("id", "v", table, "<= " + lastRank),
                reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // order | table | last rank
                "v | A | id",
                "v | (SELECT id, v, CAST(v AS INT) AS i FROM A) | i",
                "v | (SELECT id, v, CAST(v AS SMALLINT) AS s FROM A) | s",
                "p | (SELECT *, PROCTIME() AS p FROM A) | v",
                "n DESC | (SELECT id, v, COUNT(*) AS n FROM A GROUP BY id, v) | id",
                "r | R | id",
            })
    void replacesATopNUpToAColumn(String order, String table, String lastRank) {
        for (String query : new String[] {RANKED, RANKED_WITHOUT_NUMBER}) {
            assertThat(
                            Session.accelerated()
                                    .physicalPlan(
                                            query.formatted("id", order, table, "<= " + lastRank)))
                    .contains("MiniBatchRank(")
                    .contains("rankRange=[rankEnd=")
                    .doesNotContainPattern(STOCK_RANK);
        }
    }

    @Test
    void keepsTopNOnAsynchronousState() {
        Lines.assumeAtLeast("2.0", "Asynchronous state");
        assertStays(
                Session.accelerated().set("table.exec.async-state.enabled", "true"),
                RANKED.formatted("id", "v", "A", "<= 3"),
                Reason.ASYNC_STATE);
    }

    @Test
    void letsTheUsersMiniBatchSettingsRule() {
        Lines.assumeAtLeast("2.0", DEDUPLICATIONS);
        assertThat(
                        Session.accelerated()
                                .set("table.exec.mini-batch.enabled", "true")
                                .set("table.exec.mini-batch.size", "500")
                                .set("table.exec.mini-batch.allow-latency", "2 s")
                                .physicalPlan(RANKED.formatted("id", "ts DESC", "A", "= 1")))
                .contains("MiniBatchRank(")
                .contains("bundle=[size 500, latency 2000 ms, max 16 mb]");
    }

    private static void assertStays(Session session, String query, Reason reason) {
        try (CapturedLog log = new CapturedLog()) {
            assertThat(session.physicalPlan(query))
                    .containsPattern(STOCK_RANK)
                    .doesNotContain("MiniBatchRank");
            session.physicalPlan(query);
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("Stays stock: Rank("))
                    .singleElement()
                    .asString()
                    .startsWith("INFO [state-accel] ")
                    .contains(reason.toString());
        }
    }
}
