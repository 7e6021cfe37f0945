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
import io.stateaccel.flink.testing.Lines;
import io.stateaccel.operators.bundle.HeapBudget;
import io.stateaccel.planner.StateAccel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.runtime.testutils.CommonTestUtils;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rows that wait for a watermark, in SQL: a sort by row time and the first row of each key give
 * what stock Flink gives, accelerated on both backends. They, and what is kept of windows, share
 * the heap of the task manager, and give it back.
 */
class RowsByTimeScenariosTest {

    private static final String FIRST_ROW = Lines.isAtLeast("2.0") ? "Rank(" : "Deduplicate(";

    private static final String TUMBLE =
            "TABLE(TUMBLE(TABLE T, DESCRIPTOR(ts), INTERVAL '5' SECOND))";

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    private static final TypeInformation<Row> ROW =
            Types.ROW_NAMED(
                    new String[] {"k", "id", "v", "ts"},
                    Types.STRING,
                    Types.INT,
                    Types.INT,
                    Types.INSTANT);

    @ParameterizedTest
    @ValueSource(strings = {"ts, id", "ts, v DESC, id"})
    void sortsAsStock(String order) throws Exception {
        final String query = "SELECT k, id, v, ts FROM T ORDER BY " + order;
        final List<Row> stock = results(query, "TemporalSort(", "hashmap", "32 mb");

        assertThat(stock).hasSize(300);
        assertThat(results(query, "HeapTemporalSort(", "rocksdb", "32 mb"))
                .containsExactlyElementsOf(stock);
        assertThat(results(query, "HeapTemporalSort(", "hashmap", "0 b"))
                .containsExactlyElementsOf(stock);
    }

    @ParameterizedTest
    @ValueSource(strings = {"k", "v", "k, v"})
    void findsTheFirstRowOfStock(String key) throws Exception {
        Lines.assumeAtLeast("2.1", "A first row by row time that is never taken back");
        final String query =
                "SELECT k, id, v, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY %s ORDER BY ts) AS n FROM T) WHERE n = 1"
                        .formatted(key);
        final List<Row> stock = results(query, FIRST_ROW, "hashmap", "32 mb");

        assertThat(stock).isNotEmpty();
        assertThat(results(query, "MiniBatch" + FIRST_ROW, "rocksdb", "32 mb"))
                .containsExactlyInAnyOrderElementsOf(stock);
        assertThat(results(query, "MiniBatch" + FIRST_ROW, "hashmap", "0 b"))
                .containsExactlyInAnyOrderElementsOf(stock);
    }

    static Stream<Arguments> queriesThatShareTheHeap() {
        return Stream.of(
                Arguments.of(
                        "HeapGlobal",
                        "WindowAggregate(",
                        "SELECT k, window_end, SUM(v) FROM "
                                + TUMBLE
                                + " GROUP BY k, window_start, window_end"),
                Arguments.of(
                        "Heap",
                        "GroupWindowAggregate(",
                        "SELECT k, SUM(v) FROM T GROUP BY k, HOP(ts, INTERVAL '2' SECOND, INTERVAL '6' SECOND)"),
                Arguments.of(
                        "Heap",
                        "GroupWindowAggregate(",
                        "SELECT k, SUM(v) FROM T GROUP BY k, SESSION(ts, INTERVAL '1' SECOND)"),
                Arguments.of(
                        "Heap",
                        "WindowRank(",
                        "SELECT k, id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k, window_start, window_end ORDER BY id) AS n FROM "
                                + TUMBLE
                                + ") WHERE n <= 2"),
                Arguments.of(
                        "Heap",
                        "WindowDeduplicate(",
                        "SELECT k, id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k, window_start, window_end ORDER BY ts DESC) AS n FROM "
                                + TUMBLE
                                + ") WHERE n = 1"),
                Arguments.of(
                        "Heap",
                        "WindowJoin(",
                        "SELECT a.id, b.id FROM (SELECT * FROM "
                                + TUMBLE
                                + ") a JOIN (SELECT * FROM "
                                + TUMBLE
                                + ") b ON a.window_start = b.window_start AND a.window_end = b.window_end AND a.k = b.k"),
                Arguments.of(
                        "MiniBatch",
                        "OverAggregate(",
                        "SELECT id, SUM(v) OVER (PARTITION BY k ORDER BY ts) FROM T"),
                Arguments.of("Heap", "TemporalSort(", "SELECT id, ts FROM T ORDER BY ts"),
                Arguments.of(
                        "MiniBatch",
                        FIRST_ROW,
                        "SELECT k, id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS n FROM T) WHERE n = 1"));
    }

    /** By default, so that later jobs have as much of it as the first. */
    @ParameterizedTest
    @MethodSource("queriesThatShareTheHeap")
    void givesItsShareOfTheHeapBack(String prefix, String node, String query) throws Exception {
        final String stockNode = prefix.equals("HeapGlobal") ? "Global" + node : node;
        final List<Row> stock = results(query, stockNode, "hashmap", null);

        assertThat(stock).isNotEmpty();
        assertThat(results(query, prefix + node, "hashmap", null))
                .containsExactlyInAnyOrderElementsOf(stock);
        CommonTestUtils.waitUntilCondition(() -> HeapBudget.sharers() == 0, 100, 600);
    }

    private static List<Row> results(
            String query, String node, String backend, @Nullable String heap) throws Exception {
        final Configuration configuration = new Configuration();
        configuration.set(StateBackendOptions.STATE_BACKEND, backend);
        final StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(2);
        // A watermark after every row, or nearly.
        environment.getConfig().setAutoWatermarkInterval(1);
        final StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        StateAccel.install(tables);
        tables.getConfig()
                .set(
                        StateAccelOptions.ENABLED,
                        node.startsWith("Heap") || node.startsWith("MiniBatch"));
        if (heap != null) {
            tables.getConfig().set(StateAccelOptions.WINDOW_HEAP_SIZE.key(), heap);
        }
        createTable(environment, tables);

        final List<Row> rows = new ArrayList<>();
        assertThat(tables.explainSql(query)).containsPattern("[\\s+-]" + Pattern.quote(node));
        try (CloseableIterator<Row> results = tables.executeSql(query).collect()) {
            results.forEachRemaining(rows::add);
        }
        return rows;
    }

    /**
     * Rows are up to four seconds out of order, and the watermark allows for that. No two have the
     * same time, as they would have an order by chance.
     */
    static void createTable(StreamExecutionEnvironment environment, StreamTableEnvironment tables) {
        final Random random = new Random(1);
        final List<Row> rows = new ArrayList<>();
        for (int id = 0; id < 300; id++) {
            final long time = 1_000_000 + id * 300L - random.nextInt(13) * 300L + id % 300;
            final String key = random.nextInt(10) == 0 ? null : "k" + random.nextInt(3);
            rows.add(Row.of(key, id, random.nextInt(5), Instant.ofEpochMilli(time)));
        }
        tables.createTemporaryView(
                "T",
                environment.fromData(rows, ROW),
                Schema.newBuilder()
                        .column("k", DataTypes.STRING())
                        .column("id", DataTypes.INT())
                        .column("v", DataTypes.INT())
                        .column("ts", DataTypes.TIMESTAMP_LTZ(3))
                        .watermark("ts", "ts - INTERVAL '4' SECOND")
                        .build());
    }
}
