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
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Temporal joins in SQL: accelerated on both backends they find the versions that stock Flink
 * finds, also where the versions are made by nodes which are accelerated elsewhere.
 */
class TemporalJoinScenariosTest {

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
                "L JOIN last_of_key FOR SYSTEM_TIME AS OF L.ts AS V ON L.k = V.k",
                "L LEFT JOIN last_of_key FOR SYSTEM_TIME AS OF L.ts AS V ON L.k = V.k",
                "L LEFT JOIN last_of_key FOR SYSTEM_TIME AS OF L.ts AS V ON L.k = V.k AND L.id < V.id",
                "L JOIN upserted FOR SYSTEM_TIME AS OF L.ts AS V ON L.k = V.k",
                "L LEFT JOIN upserted FOR SYSTEM_TIME AS OF L.ts AS V ON L.k = V.k",
                "L LEFT JOIN changed FOR SYSTEM_TIME AS OF L.ts AS V ON L.k = V.k",
                "last_of_id L LEFT JOIN changed FOR SYSTEM_TIME AS OF L.ts AS V ON L.k = V.k",
            })
    void findsTheVersionsOfStock(String join) throws Exception {
        final String query = "SELECT L.k, L.id, L.ts, V.id, V.ts FROM " + join;
        final List<String> stock = results(query, false, "hashmap", 1);

        assertThat(stock).isNotEmpty();
        assertThat(results(query, true, "rocksdb", 1)).containsExactlyInAnyOrderElementsOf(stock);
        assertThat(results(query, true, "hashmap", 50)).containsExactlyInAnyOrderElementsOf(stock);
    }

    /** What is left of the changes. */
    private static List<String> results(
            String query, boolean accelerated, String backend, int bundleSize) throws Exception {
        final Configuration configuration = new Configuration();
        configuration.set(StateBackendOptions.STATE_BACKEND, backend);
        final StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(2);
        final StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        StateAccel.install(tables);
        tables.getConfig().set(StateAccelOptions.ENABLED, accelerated);
        tables.getConfig().set(StateAccelOptions.MINI_BATCH_SIZE, bundleSize);
        createTables(environment, tables);

        final List<String> rows = new ArrayList<>();
        assertThat(tables.explainSql(query).contains("MiniBatchTemporalJoin("))
                .isEqualTo(accelerated);
        try (CloseableIterator<Row> results = tables.executeSql(query).collect()) {
            results.forEachRemaining(
                    row -> {
                        final RowKind kind = row.getKind();
                        row.setKind(RowKind.INSERT);
                        if (kind == RowKind.INSERT || kind == RowKind.UPDATE_AFTER) {
                            rows.add(row.toString());
                        } else {
                            assertThat(rows.remove(row.toString())).as("%s", row).isTrue();
                        }
                    });
        }
        return rows;
    }

    private static void createTables(
            StreamExecutionEnvironment environment, StreamTableEnvironment tables) {
        tables.createTemporaryView(
                "L", environment.fromData(rows(1, false), ROW), schema().build());
        tables.createTemporaryView(
                "R", environment.fromData(rows(2, false), ROW), schema().build());
        createLast("last_of_key", "R", "k", tables);
        createLast("last_of_id", "L", "id", tables);
        createChanged("upserted", ChangelogMode.upsert(), environment, tables);
        createChanged("changed", ChangelogMode.all(), environment, tables);
    }

    private static void createLast(
            String name, String table, String key, StreamTableEnvironment tables) {
        tables.executeSql(
                ("CREATE TEMPORARY VIEW %s AS SELECT k, id, ts FROM (SELECT *, ROW_NUMBER() OVER"
                                + " (PARTITION BY %s ORDER BY ts DESC) AS n FROM %s) WHERE n = 1")
                        .formatted(name, key, table));
    }

    private static void createChanged(
            String name,
            ChangelogMode mode,
            StreamExecutionEnvironment environment,
            StreamTableEnvironment tables) {
        tables.createTemporaryView(
                name,
                tables.fromChangelogStream(
                        environment.fromData(rows(3, mode.contains(RowKind.UPDATE_BEFORE)), ROW),
                        schema().primaryKey("k").build(),
                        mode));
    }

    private static Schema.Builder schema() {
        return Schema.newBuilder()
                .column("k", DataTypes.STRING().notNull())
                .column("id", DataTypes.INT())
                .column("ts", DataTypes.TIMESTAMP_LTZ(3))
                .watermark("ts", "ts - INTERVAL '5' SECOND");
    }

    /**
     * Rows that are up to four seconds out of order, for which the watermark allows.
     *
     * @param updates whether they are updates of their key, the first of which inserts it
     */
    private static List<Row> rows(long seed, boolean updates) {
        final Random random = new Random(seed);
        final List<Row> rows = new ArrayList<>();
        for (int id = 0; id < 400; id++) {
            final long time = 1_000_000 + id * 500L - (updates ? 0 : random.nextInt(4_000));
            final String key = KEYS.get(random.nextInt(3));
            final boolean isFirst = rows.stream().noneMatch(row -> key.equals(row.getField(0)));
            final Row row = Row.of(key, id, Instant.ofEpochMilli(time));
            if (updates) {
                row.setKind(isFirst ? RowKind.INSERT : RowKind.UPDATE_AFTER);
            }
            rows.add(row);
        }
        return rows;
    }
}
