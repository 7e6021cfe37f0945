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
package io.stateaccel.tests.restore;

import io.stateaccel.tests.differential.DifferentialCase;
import io.stateaccel.tests.differential.QueryGenerator.Query;
import io.stateaccel.tests.differential.QueryGenerator.Shape;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.table.api.config.AggregatePhaseStrategy;

/**
 * A query for each stateful operator of Flink's that has none of ours in its place, in one phase
 * and in two where there are two. All of them give the same rows however their table is cut.
 */
enum StockQuery {
    MATCH(
            "Match",
            "SELECT k1, first_id, last_id FROM A MATCH_RECOGNIZE (PARTITION BY k1 ORDER BY ts"
                    + " MEASURES F.id AS first_id, L.id AS last_id ONE ROW PER MATCH"
                    + " AFTER MATCH SKIP PAST LAST ROW PATTERN (F M* L)"
                    + " DEFINE M AS M.c < F.c, L AS L.c >= F.c)"),
    GLOBAL_AGGREGATE("GlobalGroupAggregate", aggregates(), AggregatePhaseStrategy.TWO_PHASE, false),
    INCREMENTAL_AGGREGATE(
            "IncrementalGroupAggregate", aggregates(), AggregatePhaseStrategy.TWO_PHASE, true);

    private final String operator;
    private final String sql;
    private final AggregatePhaseStrategy phases;
    private final boolean splitDistinct;

    StockQuery(String operator, String sql) {
        this(operator, sql, AggregatePhaseStrategy.AUTO, false);
    }

    StockQuery(String operator, String sql, AggregatePhaseStrategy phases, boolean splitDistinct) {
        this.operator = operator;
        this.sql = sql;
        this.phases = phases;
        this.splitDistinct = splitDistinct;
    }

    private static String aggregates() {
        return "SELECT k1, COUNT(*) AS n, SUM(c) AS s, MIN(c) AS m, COUNT(DISTINCT d) AS u"
                + " FROM A GROUP BY k1";
    }

    /** How the name of the operator that the query is about begins. */
    String operator() {
        return operator;
    }

    /**
     * @param seed of what happens to its table
     * @param changes about as many happen to it
     */
    DifferentialCase toCase(long seed, int changes) {
        return new DifferentialCase(
                ordinal(),
                Shape.AGGREGATE,
                Input.tables(
                        List.of(Input.TIMED),
                        new Random(seed * values().length + ordinal()),
                        changes),
                new Query(sql, List.of()),
                new DifferentialCase.Settings(
                        7,
                        Duration.ofMillis(20),
                        new MemorySize(2_000),
                        phases == AggregatePhaseStrategy.TWO_PHASE,
                        phases,
                        splitDistinct,
                        false,
                        false,
                        false,
                        false,
                        false,
                        false,
                        true,
                        false));
    }
}
