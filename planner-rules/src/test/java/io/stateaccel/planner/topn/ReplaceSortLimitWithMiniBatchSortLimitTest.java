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

import io.stateaccel.planner.CompiledPlans;
import io.stateaccel.planner.Session;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplaceSortLimitWithMiniBatchSortLimitTest {

    private static final String STOCK = "[\\s+-]SortLimit\\(";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // table | order | strategy
                "A | v LIMIT 3 | AppendFastStrategy",
                "A | v DESC, ts LIMIT 3 OFFSET 2 | AppendFastStrategy",
                "A | v LIMIT 100000 | AppendFastStrategy",
                "(SELECT *, PROCTIME() AS p FROM A) | p, v LIMIT 3 | AppendFastStrategy",
                "R | r LIMIT 3 | RetractStrategy",
                "R | r LIMIT 2000 | RetractStrategy",
                "(SELECT id, COUNT(*) AS n FROM A GROUP BY id) | n DESC LIMIT 3"
                        + " | UpdateFastStrategy[0]",
            })
    void replacesItAndKeepsAllThatStockExplains(String table, String order, String strategy) {
        final String query = "SELECT * FROM %s ORDER BY %s".formatted(table, order);
        final String stock = Session.installed().physicalPlan(query);
        final int from = stock.indexOf("SortLimit(");
        final String node = stock.substring(from, stock.indexOf(")\n", from));
        assertThat(node).contains("strategy=[" + strategy + "]");
        for (String ttl : new String[] {"0", "1 d"}) {
            assertThat(Session.accelerated().set("table.exec.state.ttl", ttl).physicalPlan(query))
                    .contains(
                            "MiniBatch"
                                    + node
                                    + ", bundle=[size 20000, latency 1000 ms, max 16 mb])")
                    .doesNotContainPattern(STOCK);
        }
    }

    @Test
    void isPartOfACompiledPlan() throws Exception {
        final String insert =
                "INSERT INTO firsts SELECT id, n FROM"
                        + " (SELECT id, COUNT(*) AS n FROM A GROUP BY id) ORDER BY n, id LIMIT 3";
        final Session session = Session.accelerated();
        session.tables()
                .executeSql(
                        "CREATE TABLE firsts (id BIGINT, n BIGINT) WITH ('connector' = 'in-memory')");
        session.tables().executeSql(insert).await(60, TimeUnit.SECONDS);
        assertThat(CompiledPlans.types(CompiledPlans.run(session, insert)))
                .contains("state-accel-sort-limit_1");
    }
}
