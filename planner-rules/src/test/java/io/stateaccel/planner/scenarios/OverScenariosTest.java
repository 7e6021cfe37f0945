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
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Collectors;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * OVER aggregates in SQL: accelerated on both backends they give the rows that stock Flink gives.
 */
class OverScenariosTest {

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
    @CsvSource(
            delimiter = '|',
            value = {
                "COUNT(*) OVER w, SUM(v) OVER w, MIN(v) OVER w, MAX(v) OVER w, AVG(v) OVER w"
                        + "|RANGE BETWEEN INTERVAL '5' SECOND PRECEDING AND CURRENT ROW",
                "COUNT(DISTINCT v) OVER w, SUM(DISTINCT v) OVER w"
                        + "|RANGE BETWEEN INTERVAL '9' SECOND PRECEDING AND CURRENT ROW",
                "COUNT(v) OVER w, MIN(v) OVER w, COUNT(DISTINCT v) OVER w"
                        + "|ROWS BETWEEN 3 PRECEDING AND CURRENT ROW",
                "COUNT(*) OVER w, MAX(v) OVER w, COUNT(DISTINCT v) OVER w"
                        + "|RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
                "SUM(v) OVER w, FIRST_VALUE(v) OVER w"
                        + "|ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
                "LAG(v) OVER w, LAG(v, 2, -1) OVER w|",
            })
    void givesTheRowsOfStock(String aggregates, String frame) throws Exception {
        final String query =
                "SELECT k, id, ts, %s FROM T WINDOW w AS (PARTITION BY k ORDER BY ts %s)"
                        .formatted(aggregates, frame == null ? "" : frame);
        final List<Row> stock = results(query, false, "hashmap", "32 mb");

        assertThat(stock).hasSize(300);
        assertThat(results(query, true, "rocksdb", "32 mb"))
                .containsExactlyInAnyOrderElementsOf(stock);
        assertThat(results(query, true, "hashmap", "0 b"))
                .containsExactlyInAnyOrderElementsOf(stock);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "COUNT(*) OVER w, SUM(v) OVER w, MIN(v) OVER w, MAX(v) OVER w, COUNT(DISTINCT v) OVER w"
                        + "|ROWS BETWEEN 3 PRECEDING AND CURRENT ROW",
                "COUNT(*) OVER w, MAX(v) OVER w, COUNT(DISTINCT v) OVER w"
                        + "|RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
                "SUM(v) OVER w, FIRST_VALUE(v) OVER w, LAST_VALUE(v) OVER w"
                        + "|ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
                "LAG(v) OVER w, LAG(v, 2, -1) OVER w|",
            })
    void givesTheRowsOfStockByProcessingTime(String aggregates, String frame) throws Exception {
        final String query = byProcessingTime(aggregates, frame == null ? "" : frame);
        final List<Row> stock = results(query, false, "hashmap", "32 mb", 1);

        assertThat(stock).hasSize(300);
        for (String backend : List.of("rocksdb", "hashmap")) {
            final List<Row> rows = results(query, true, backend, "32 mb", 1);
            for (Object key : Arrays.asList(null, "k0", "k1", "k2")) {
                assertThat(rows)
                        .filteredOn(row -> Objects.equals(row.getField(0), key))
                        .isNotEmpty()
                        .isEqualTo(
                                stock.stream()
                                        .filter(row -> Objects.equals(row.getField(0), key))
                                        .toList());
            }
        }
    }

    /** Which rows have which result depends on the clock, and Flink loses the last ones. */
    @Test
    void rangesOfProcessingTimeTakeInAllRows() throws Exception {
        final String query =
                byProcessingTime(
                        "COUNT(*) OVER w",
                        "RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW");
        for (String backend : List.of("rocksdb", "hashmap")) {
            final Map<Object, List<Row>> rows =
                    results(query, true, backend, "32 mb", 1).stream()
                            .collect(Collectors.groupingBy(row -> "" + row.getField(0)));

            assertThat(rows.values().stream().mapToInt(List::size).sum()).isEqualTo(300);
            assertThat(rows.values())
                    .hasSize(4)
                    .allSatisfy(
                            ofKey ->
                                    assertThat(ofKey)
                                            .last()
                                            .extracting(row -> row.getField(2))
                                            .isEqualTo((long) ofKey.size()));
        }
    }

    private static String byProcessingTime(String aggregates, String frame) {
        return ("SELECT k, id, %s FROM (SELECT *, PROCTIME() AS p FROM T)"
                        + " WINDOW w AS (PARTITION BY k ORDER BY p %s)")
                .formatted(aggregates, frame);
    }

    private static List<Row> results(String query, boolean accelerated, String backend, String heap)
            throws Exception {
        return results(query, accelerated, backend, heap, 2);
    }

    private static List<Row> results(
            String query, boolean accelerated, String backend, String heap, int parallelism)
            throws Exception {
        final Configuration configuration = new Configuration();
        configuration.set(StateBackendOptions.STATE_BACKEND, backend);
        final StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(parallelism);
        // A watermark after every row, or nearly.
        environment.getConfig().setAutoWatermarkInterval(1);
        final StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        StateAccel.install(tables);
        tables.getConfig().set(StateAccelOptions.ENABLED, accelerated);
        tables.getConfig().set(StateAccelOptions.WINDOW_HEAP_SIZE.key(), heap);
        createTable(environment, tables);

        final List<Row> rows = new ArrayList<>();
        assertThat(tables.explainSql(query).contains("+- MiniBatch")).isEqualTo(accelerated);
        try (CloseableIterator<Row> results = tables.executeSql(query).collect()) {
            results.forEachRemaining(rows::add);
        }
        return rows;
    }

    /**
     * Rows are up to four seconds out of order, and the watermark allows for that. No two have the
     * same time, as they would have an order by chance.
     */
    private static void createTable(
            StreamExecutionEnvironment environment, StreamTableEnvironment tables) {
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
