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
import io.stateaccel.planner.InMemoryTables;
import io.stateaccel.planner.StateAccel;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sinks whose changes wait for a watermark to tell which rows are in conflict, in SQL: their tables
 * are those of stock Flink, accelerated on both backends, and so is the failure on a conflict.
 */
class ConflictScenariosTest {

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    /** One row per value, and a key that is another one's for no longer than a change takes. */
    private static final String LAST_IDS = "SELECT MAX(id), v FROM T GROUP BY v";

    @ParameterizedTest
    @ValueSource(strings = {"ERROR", "NOTHING"})
    void sameTableAsStock(String behavior) throws Exception {
        Lines.assumeAtLeast("2.3", "ON CONFLICT");
        final Map<Object, Object> stock = table(LAST_IDS, behavior, false, "hashmap", "32 mb");

        assertThat(stock).hasSize(5);
        assertThat(table(LAST_IDS, behavior, true, "rocksdb", "32 mb")).isEqualTo(stock);
        assertThat(table(LAST_IDS, behavior, true, "hashmap", "0 b")).isEqualTo(stock);
    }

    @Test
    void failsAsStock() {
        Lines.assumeAtLeast("2.3", "ON CONFLICT");
        final String conflicts = "SELECT MAX(v), id FROM T GROUP BY id";
        for (boolean accelerated : new boolean[] {false, true}) {
            assertThat(failure(conflicts, accelerated))
                    .contains("Primary key constraint violation", "Conflicting key: [a=");
        }
    }

    private static String failure(String query, boolean accelerated) {
        try {
            table(query, "ERROR", accelerated, "rocksdb", "32 mb");
            return "none";
        } catch (Exception e) {
            final StringBuilder messages = new StringBuilder();
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                messages.append(cause.getMessage()).append('\n');
            }
            return messages.toString();
        }
    }

    private static Map<Object, Object> table(
            String query, String behavior, boolean accelerated, String backend, String heap)
            throws Exception {
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
        tables.getConfig().set(StateAccelOptions.WINDOW_HEAP_SIZE.key(), heap);
        RowsByTimeScenariosTest.createTable(environment, tables);
        tables.executeSql(
                "CREATE TABLE last_ids (a INT, b INT, PRIMARY KEY (a) NOT ENFORCED) WITH ('connector'"
                        + " = 'in-memory', 'upserts' = 'true')");
        final String insert =
                "INSERT INTO last_ids %s ON CONFLICT DO %s".formatted(query, behavior);
        assertThat(tables.explainSql(insert))
                .contains("upsertMaterialize=[%s]".formatted(accelerated ? "heap" : "true"));
        InMemoryTables.changesOf("last_ids").clear();
        tables.executeSql(insert).await();

        final Map<Object, Object> rows = new TreeMap<>();
        for (Row change : InMemoryTables.changesOf("last_ids")) {
            switch (change.getKind()) {
                case INSERT, UPDATE_AFTER -> rows.put(change.getField(0), change.getField(1));
                default -> rows.remove(change.getField(0));
            }
        }
        return rows;
    }
}
