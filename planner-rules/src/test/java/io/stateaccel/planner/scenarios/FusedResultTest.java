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
package io.stateaccel.planner.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.planner.InMemoryTables;
import io.stateaccel.planner.Session;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What is above a join and fused with it gets the columns and rows that it would get from a calc,
 * whether that picks columns, filters or calculates.
 */
class FusedResultTest {

    private static final String TOP_TWO =
            "SELECT %s FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY w DESC, s) AS n"
                    + " FROM (%s)) WHERE n <= 2";

    private static final Map<String, String> JOINS =
            Map.of(
                    "inner",
                    "SELECT %s FROM LEFTS l JOIN RIGHTS r ON l.id = r.id",
                    "left",
                    "SELECT %s FROM LEFTS l LEFT JOIN RIGHTS r ON l.id = r.id"
                            + " WHERE r.w IS NULL OR r.w > l.v");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "inner | t, w, s | r.t, r.w, l.s, l.id",
                "left | s, w, again | l.s, r.w, l.id, l.s AS again"
            })
    void aTopN(String join, String columns, String picked) throws Exception {
        final String joined = JOINS.get(join).formatted(picked);
        assertSame("MiniBatchJoinRank(", TOP_TWO.formatted(columns, joined));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "inner | MAX(s), SUM(w), LAST_VALUE(name) | l.name, r.w, l.id, l.s",
                "left | MIN(s), COUNT(DISTINCT w), MAX(s) | l.id, r.w, CONCAT(LOWER(r.t), l.s) AS s"
            })
    void anAggregate(String join, String columns, String picked) throws Exception {
        final String joined = JOINS.get(join).formatted(picked);
        assertSame(
                "MiniBatchJoinAggregate(",
                "SELECT %s FROM (%s) GROUP BY id".formatted(columns, joined));
    }

    private static void assertSame(String node, String query) throws Exception {
        final long seed = Long.getLong("stateaccel.seed", System.nanoTime());
        final Session accelerated = session(Session.accelerated(), seed);
        assertThat(accelerated.physicalPlan(query)).contains(node).contains("calc=[Calc(");
        final Map<List<Object>, Integer> table = run(accelerated, query);
        assertThat(table)
                .as("-Dstateaccel.seed=%d: %s", seed, query)
                .isNotEmpty()
                .isEqualTo(run(session(Session.stock(), seed), query));
    }

    private static Session session(Session session, long seed) {
        final Random random = new Random(seed);
        RandomRows.createSource(session, "LEFT_ROWS", "v", random);
        RandomRows.createSource(session, "RIGHT_ROWS", "w", random);
        session.tables()
                .executeSql(
                        "CREATE VIEW LEFTS AS SELECT id, v, 'left ' || CAST(v AS STRING) AS s,"
                                + " 'of ' || CAST(id AS STRING) AS name FROM LEFT_ROWS");
        session.tables()
                .executeSql(
                        "CREATE VIEW RIGHTS AS SELECT id, w, 'Right ' || CAST(w AS STRING) AS t"
                                + " FROM RIGHT_ROWS");
        return session;
    }

    private static Map<List<Object>, Integer> run(Session session, String query) throws Exception {
        session.tables()
                .executeSql(
                        "CREATE TABLE results (a STRING, b BIGINT, c STRING) WITH ('connector' ="
                                + " 'in-memory')");
        InMemoryTables.changesOf("results").clear();
        session.tables().executeSql("INSERT INTO results " + query).await();
        return RandomRows.liveOf(InMemoryTables.changesOf("results"));
    }
}
