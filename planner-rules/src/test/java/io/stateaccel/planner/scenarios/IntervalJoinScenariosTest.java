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
import io.stateaccel.planner.StateAccel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Interval joins in SQL: accelerated on both backends they find the pairs that stock Flink finds.
 */
class IntervalJoinScenariosTest {

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    private static final TypeInformation<Row> ROW =
            Types.ROW_NAMED(new String[] {"k", "id", "ts"}, Types.STRING, Types.INT, Types.INSTANT);

    private static final List<String> KEYS = List.of("a", "b", "long enough for a heap of its own");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "L.k = R.k AND L.ts BETWEEN R.ts - INTERVAL '5' SECOND AND R.ts + INTERVAL '6' SECOND",
                "L.k = R.k AND L.ts BETWEEN R.ts + INTERVAL '2' SECOND AND R.ts + INTERVAL '9' SECOND",
                "L.k = R.k AND L.ts = R.ts",
                "L.k IS NOT DISTINCT FROM R.k AND L.ts > R.ts - INTERVAL '3' SECOND AND L.ts < R.ts",
                "L.k = R.k AND L.id < R.id AND L.ts BETWEEN R.ts - INTERVAL '9' SECOND AND R.ts",
                "L.ts BETWEEN R.ts - INTERVAL '1' SECOND AND R.ts + INTERVAL '1' SECOND",
            })
    void findsThePairsOfStock(String condition) throws Exception {
        final String query =
                "SELECT L.k, L.id, L.ts, R.k, R.id, R.ts FROM L JOIN R ON " + condition;
        final List<Row> stock = results(query, false, "hashmap", 1);

        assertThat(stock).isNotEmpty();
        assertThat(results(query, true, "rocksdb", 1)).containsExactlyInAnyOrderElementsOf(stock);
        assertThat(results(query, true, "hashmap", 50)).containsExactlyInAnyOrderElementsOf(stock);
    }

    /** Which rows have no match is for the clock to say, and Flink waits for it at the end, too. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "INNER | L.k = R.k",
                "INNER | L.k IS NOT DISTINCT FROM R.k AND L.id < R.id",
                "FULL | L.k = R.k AND L.id > R.id",
                "INNER | L.id < R.id + 3",
            })
    void findsThePairsOfStockByProcessingTime(String join, String condition) throws Exception {
        final String query =
                ("SELECT L.k, L.id, R.k, R.id FROM (SELECT *, PROCTIME() AS p FROM L) L %s JOIN"
                                + " (SELECT *, PROCTIME() AS p FROM R) R ON L.p BETWEEN R.p -"
                                + " INTERVAL '1' HOUR AND R.p + INTERVAL '2' HOUR AND %s")
                        .formatted(join, condition);
        final List<Row> stock = pairsOf(results(query, false, "hashmap", 1));

        assertThat(stock).isNotEmpty();
        assertThat(pairsOf(results(query, true, "rocksdb", 7)))
                .containsExactlyInAnyOrderElementsOf(stock);
        assertThat(pairsOf(results(query, true, "hashmap", 50)))
                .containsExactlyInAnyOrderElementsOf(stock);
    }

    private static List<Row> pairsOf(List<Row> rows) {
        return rows.stream()
                .filter(row -> row.getField(1) != null && row.getField(3) != null)
                .toList();
    }

    /** Rows without a match have their own times, and come before the watermark passes them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "LEFT | L.k = R.k AND L.ts BETWEEN R.ts - INTERVAL '1' SECOND AND R.ts",
                "RIGHT | L.k = R.k AND L.ts BETWEEN R.ts - INTERVAL '2' SECOND AND R.ts",
                "FULL | L.k = R.k AND L.ts BETWEEN R.ts + INTERVAL '1' SECOND AND R.ts + INTERVAL '2' SECOND",
                "FULL | L.k = R.k AND L.ts = R.ts",
                "LEFT | L.k IS NOT DISTINCT FROM R.k AND L.ts > R.ts - INTERVAL '3' SECOND AND L.ts < R.ts",
                "FULL | L.k = R.k AND L.id < R.id AND L.ts BETWEEN R.ts - INTERVAL '9' SECOND AND R.ts",
                "LEFT | L.k = R.k AND R.id > 100 AND L.ts BETWEEN R.ts - INTERVAL '9' SECOND AND R.ts",
            })
    void findsTheRowsOfStockThatHaveNoMatch(String join, String condition) throws Exception {
        final String query =
                "SELECT L.k, L.id, L.ts, R.k, R.id, R.ts FROM L %s JOIN R ON %s"
                        .formatted(join, condition);
        final List<Row> stock = results(query, false, "hashmap", 1);

        assertThat(stock).anyMatch(row -> row.getField(1) == null || row.getField(4) == null);
        assertThat(results(query, true, "rocksdb", 1)).containsExactlyInAnyOrderElementsOf(stock);
        assertThat(results(query, true, "hashmap", 50)).containsExactlyInAnyOrderElementsOf(stock);
    }

    @ParameterizedTest
    @ValueSource(strings = {"LEFT", "FULL"})
    void windowsOverRowsWithoutAMatchMissNothing(String join) throws Exception {
        final String query =
                "SELECT TUMBLE_START(ts, INTERVAL '7' SECOND), COUNT(*), COUNT(id), SUM(id) FROM"
                        + " (SELECT R.id, L.ts FROM L "
                        + join
                        + " JOIN R ON L.k = R.k AND L.ts BETWEEN R.ts - INTERVAL '1' SECOND AND"
                        + " R.ts + INTERVAL '6' SECOND) WHERE ts IS NOT NULL"
                        + " GROUP BY TUMBLE(ts, INTERVAL '7' SECOND)";

        assertThat(results(query, true, "rocksdb", 20))
                .isNotEmpty()
                .containsExactlyInAnyOrderElementsOf(results(query, false, "rocksdb", 20));
    }

    /** Watermarks are held back, so nothing is late for a window over the joined rows. */
    @ParameterizedTest
    @ValueSource(strings = {"L.ts", "R.ts"})
    void windowsOverThePairsMissNothing(String time) throws Exception {
        final String query =
                "SELECT TUMBLE_START(ts, INTERVAL '7' SECOND), COUNT(*), SUM(id) FROM (SELECT L.id, "
                        + time
                        + " AS ts FROM L JOIN R ON L.k = R.k AND L.ts BETWEEN R.ts - INTERVAL '5'"
                        + " SECOND AND R.ts + INTERVAL '6' SECOND)"
                        + " GROUP BY TUMBLE(ts, INTERVAL '7' SECOND)";

        assertThat(results(query, true, "rocksdb", 20))
                .isNotEmpty()
                .containsExactlyInAnyOrderElementsOf(results(query, false, "rocksdb", 20));
    }

    private static List<Row> results(
            String query, boolean accelerated, String backend, int bundleSize) throws Exception {
        final Configuration configuration = new Configuration();
        configuration.set(StateBackendOptions.STATE_BACKEND, backend);
        final StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(2);
        // A watermark after every row, or nearly.
        environment.getConfig().setAutoWatermarkInterval(1);
        final StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        StateAccel.install(tables);
        tables.getConfig().set(StateAccelOptions.ENABLED, accelerated);
        tables.getConfig().set(StateAccelOptions.MINI_BATCH_SIZE, bundleSize);
        createTable("L", 1, environment, tables);
        createTable("R", 2, environment, tables);

        final List<Row> rows = new ArrayList<>();
        assertThat(tables.explainSql(query).contains("MiniBatchIntervalJoin("))
                .isEqualTo(accelerated);
        try (CloseableIterator<Row> results = tables.executeSql(query).collect()) {
            results.forEachRemaining(rows::add);
        }
        return rows;
    }

    /** Rows are up to four seconds out of order, and the watermark allows for that. */
    private static void createTable(
            String name,
            long seed,
            StreamExecutionEnvironment environment,
            StreamTableEnvironment tables) {
        final Random random = new Random(seed);
        final List<Row> rows = new ArrayList<>();
        for (int id = 0; id < 200; id++) {
            final long time = 1_000_000 + id * 500L - random.nextInt(4_000);
            final String key = random.nextInt(10) == 0 ? null : KEYS.get(random.nextInt(3));
            rows.add(Row.of(key, id, Instant.ofEpochMilli(time / 1_000 * 1_000)));
        }
        tables.createTemporaryView(
                name,
                environment.fromData(rows, ROW),
                Schema.newBuilder()
                        .column("k", DataTypes.STRING())
                        .column("id", DataTypes.INT())
                        .column("ts", DataTypes.TIMESTAMP_LTZ(3))
                        .watermark("ts", "ts - INTERVAL '5' SECOND")
                        .build());
    }
}
