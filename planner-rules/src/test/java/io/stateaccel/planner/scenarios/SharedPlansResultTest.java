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

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.planner.InMemoryTables;
import io.stateaccel.planner.Session;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.table.api.StatementSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several sinks of one view end with the tables that they end with in stock. */
class SharedPlansResultTest {

    private static final long SEED = 20;

    private static final Map<String, String> SINKS =
            new TreeMap<>(
                    Map.of(
                            "rows_of_v", "SELECT id, w FROM V",
                            "max_per_id", "SELECT id, MAX(w) FROM V GROUP BY id",
                            "sum_per_id", "SELECT id, SUM(w) FROM V GROUP BY id",
                            "sum_per_w", "SELECT w, SUM(id) FROM V GROUP BY w",
                            "top_two",
                                    "SELECT id, w FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id"
                                            + " ORDER BY w DESC) AS n FROM (SELECT DISTINCT id, w FROM"
                                            + " V)) WHERE n <= 2",
                            "few_columns", "SELECT v, COUNT(*) FROM V GROUP BY v"));

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void areThoseOfStock(boolean withAllRewrites) throws Exception {
        Lines.assumeNot("2.0", "Flink 2.0.0 gives another top-N when a second sink reads below it");
        final Session accelerated = Session.accelerated();
        if (withAllRewrites) {
            for (String rewrite :
                    List.of(
                            "join-local-aggregate",
                            "aggregate-before-join",
                            "join-input-projection")) {
                accelerated.set("table.exec.state-accel." + rewrite + ".enabled", "true");
            }
        }
        assertThat(run(accelerated, SINKS.keySet()))
                .isEqualTo(run(Session.stock(), SINKS.keySet()));
    }

    @Test
    void alsoWhereTheyAreFused() throws Exception {
        final List<String> sinks = List.of("max_per_id", "few_columns");
        assertThat(run(Session.accelerated(), sinks)).isEqualTo(run(Session.stock(), sinks));
    }

    /** The rows that are in each sink at the end, counted. */
    private static Map<String, Map<List<Object>, Integer>> run(
            Session session, Collection<String> sinks) throws Exception {
        final Random random = new Random(SEED);
        RandomRows.createSource(session, "LEFT_ROWS", "v", random);
        RandomRows.createSource(session, "RIGHT_ROWS", "w", random);
        session.tables()
                .executeSql(
                        "CREATE VIEW V AS SELECT l.id, l.v, r.w FROM LEFT_ROWS l JOIN RIGHT_ROWS r ON"
                                + " l.id = r.id");
        final StatementSet set = session.tables().createStatementSet();
        for (String sink : sinks) {
            session.tables()
                    .executeSql(
                            "CREATE TABLE "
                                    + sink
                                    + " (a BIGINT, b BIGINT) WITH ('connector' = 'in-memory')");
            set.addInsertSql("INSERT INTO " + sink + " " + SINKS.get(sink));
        }
        set.execute().await();
        final Map<String, Map<List<Object>, Integer>> tables = new TreeMap<>();
        for (String sink : sinks) {
            tables.put(sink, RandomRows.liveOf(InMemoryTables.changesOf(sink)));
        }
        assertThat(tables.values()).as("seed %d", SEED).noneMatch(Map::isEmpty);
        return tables;
    }
}
