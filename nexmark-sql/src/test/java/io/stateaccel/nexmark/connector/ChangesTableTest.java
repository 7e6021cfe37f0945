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
package io.stateaccel.nexmark.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.nexmark.NexmarkCluster;
import io.stateaccel.nexmark.checksum.Checksum;
import io.stateaccel.nexmark.generator.ChangeEvents;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A table of changes is the same table whichever way it is told. */
class ChangesTableTest {

    private static final int CHANGES = 20_000;
    private static final int CHANGES_PER_ROW = 25;

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER = NexmarkCluster.extension();

    @Test
    void upsertsAndRetractionsMakeTheSameTable() throws Exception {
        Checksum retracted = filled("retract", "'connector' = 'nexmark-checksum'");
        assertThat(retracted.rows()).isEqualTo(rowsThatAreThere());
        assertThat(
                        filled("upsert", "'connector' = 'nexmark-checksum', 'upserts' = 'true'")
                                .digest())
                .as("upserts that reach the table")
                .isEqualTo(retracted.digest());
        assertThat(filled("upsert", "'connector' = 'nexmark-checksum'").digest())
                .as("upserts made into a changelog")
                .isEqualTo(retracted.digest());
    }

    @Test
    void allChangesOfAPlaceAreOfOneLane() {
        ChangeEvents changes = new ChangeEvents(CHANGES, CHANGES_PER_ROW, 5);
        Map<Long, Long> lanes = new HashMap<>();
        Map<Long, Long> places = new HashMap<>();
        for (long number = 0; number < CHANGES; number++) {
            long lane = number % ChangeEvents.LANES;
            assertThat(lanes.computeIfAbsent(changes.place(number), ignored -> lane))
                    .isEqualTo(lane);
            long place = changes.place(number);
            assertThat(places.computeIfAbsent(changes.id(number), ignored -> place))
                    .isEqualTo(place);
        }
        assertThat(places).hasSize(5 * lanes.size());
    }

    @Test
    void aParallelismThatWouldMixChangesIsRefused() {
        StreamTableEnvironment tables = tables("upsert", "'connector' = 'nexmark-checksum'");
        tables.getConfig().set("table.exec.resource.default-parallelism", "5");
        tables.getConfig().set("parallelism.default", "5");
        assertThatThrownBy(() -> tables.executeSql("INSERT INTO digest SELECT * FROM changes"))
                .hasStackTraceContaining("has to divide 24");
    }

    private static long rowsThatAreThere() {
        ChangeEvents changes = new ChangeEvents(CHANGES, CHANGES_PER_ROW, 1);
        Map<Long, Boolean> rows = new HashMap<>();
        for (long number = 0; number < CHANGES; number++) {
            rows.put(changes.id(number), changes.isThere(number));
        }
        long there = rows.values().stream().filter(isThere -> isThere).count();
        assertThat(there).isPositive().isLessThan(rows.size());
        return there;
    }

    private static Checksum filled(String changelog, String sink) throws Exception {
        return NexmarkCluster.run(
                tables(changelog, sink), List.of("INSERT INTO digest SELECT * FROM changes"));
    }

    private static StreamTableEnvironment tables(String changelog, String sink) {
        StreamTableEnvironment tables = NexmarkCluster.tables(Map.of());
        String columns =
                "(id BIGINT, place BIGINT, amount BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH (";
        tables.executeSql(
                "CREATE TABLE changes "
                        + columns
                        + "'connector' = 'nexmark-changes', 'events.num' = '%d',".formatted(CHANGES)
                        + " 'changes-per-row' = '%d', 'changelog' = '%s')"
                                .formatted(CHANGES_PER_ROW, changelog));
        tables.executeSql("CREATE TABLE digest " + columns + sink + ")");
        return tables;
    }
}
