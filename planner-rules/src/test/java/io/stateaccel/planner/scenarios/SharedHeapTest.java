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

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.operators.bundle.HeapBudget;
import io.stateaccel.planner.StateAccel;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.runtime.testutils.CommonTestUtils;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What waits on the heap for a watermark shares it with other sub-tasks of the task manager by
 * default, and gives its share back when a job ends, so that later jobs have as much as the first.
 */
class SharedHeapTest {

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    private static final String TUMBLE =
            "TABLE(TUMBLE(TABLE T, DESCRIPTOR(ts), INTERVAL '5' SECOND))";

    static Stream<Arguments> queries() {
        return Stream.of(
                Arguments.of(
                        "WindowAggregate",
                        "SELECT k, window_end, SUM(v) FROM "
                                + TUMBLE
                                + " GROUP BY k, window_start, window_end"),
                Arguments.of(
                        "GroupWindowAggregate",
                        "SELECT k, SUM(v) FROM T GROUP BY k, HOP(ts, INTERVAL '2' SECOND, INTERVAL '6' SECOND)"),
                Arguments.of(
                        "GroupWindowAggregate",
                        "SELECT k, SUM(v) FROM T GROUP BY k, SESSION(ts, INTERVAL '1' SECOND)"),
                Arguments.of(
                        "WindowRank",
                        "SELECT k, id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k, window_start, window_end ORDER BY id) AS n FROM "
                                + TUMBLE
                                + ") WHERE n <= 2"),
                Arguments.of(
                        "WindowDeduplicate",
                        "SELECT k, id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k, window_start, window_end ORDER BY ts DESC) AS n FROM "
                                + TUMBLE
                                + ") WHERE n = 1"),
                Arguments.of(
                        "WindowJoin",
                        "SELECT a.id, b.id FROM (SELECT * FROM "
                                + TUMBLE
                                + ") a JOIN (SELECT * FROM "
                                + TUMBLE
                                + ") b ON a.window_start = b.window_start AND a.window_end = b.window_end AND a.k = b.k"),
                Arguments.of(
                        "OverAggregate",
                        "SELECT id, SUM(v) OVER (PARTITION BY k ORDER BY ts) FROM T"),
                Arguments.of("TemporalSort", "SELECT id, ts FROM T ORDER BY ts"),
                Arguments.of(
                        "(Rank|Deduplicate)",
                        "SELECT k, id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS n FROM T) WHERE n = 1"));
    }

    @ParameterizedTest
    @MethodSource("queries")
    void isGivenBackAtTheEnd(String node, String query) throws Exception {
        final List<Row> stock = results(query, node, false);

        assertThat(stock).isNotEmpty();
        assertThat(results(query, "(Heap|HeapGlobal|MiniBatch)" + node, true))
                .containsExactlyInAnyOrderElementsOf(stock);
        CommonTestUtils.waitUntilCondition(() -> HeapBudget.sharers() == 0, 100, 600);
    }

    private static List<Row> results(String query, String node, boolean isAccelerated)
            throws Exception {
        final Configuration configuration = new Configuration();
        configuration.set(StateBackendOptions.STATE_BACKEND, "hashmap");
        final StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(2);
        environment.getConfig().setAutoWatermarkInterval(1);
        final StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        StateAccel.install(tables);
        tables.getConfig().set(StateAccelOptions.ENABLED, isAccelerated);
        RowsByTimeScenariosTest.createTable(environment, tables);

        final List<Row> rows = new ArrayList<>();
        assertThat(tables.explainSql(query)).containsPattern(Pattern.compile(node + "\\("));
        try (CloseableIterator<Row> results = tables.executeSql(query).collect()) {
            results.forEachRemaining(rows::add);
        }
        return rows;
    }
}
