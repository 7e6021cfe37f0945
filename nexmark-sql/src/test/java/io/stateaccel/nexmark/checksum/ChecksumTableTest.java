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
package io.stateaccel.nexmark.checksum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.nexmark.NexmarkCluster;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The checksum table through SQL. */
class ChecksumTableTest {

    private static final String SINK =
            "CREATE TABLE totals (k INT, v STRING) WITH ('connector' = 'nexmark-checksum')";

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER = NexmarkCluster.extension();

    @Test
    void orderDoesNotMatter() throws Exception {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            rows.add(Row.ofKind(RowKind.INSERT, i % 100, i % 7 == 0 ? null : "value " + i % 50));
        }
        Checksum inOrder = checksum(rows, ChangelogMode.insertOnly());
        Collections.shuffle(rows, new Random(1));
        Checksum shuffled = checksum(rows, ChangelogMode.insertOnly());
        assertThat(shuffled).isEqualTo(inOrder);
        assertThat(inOrder.rows()).isEqualTo(500);
        rows.set(17, Row.ofKind(RowKind.INSERT, 17, "another value"));
        assertThat(checksum(rows, ChangelogMode.insertOnly()).digest())
                .isNotEqualTo(inOrder.digest());
    }

    @Test
    void retractedRowsLeaveNoTrace() throws Exception {
        Checksum retracted =
                checksum(
                        List.of(
                                Row.ofKind(RowKind.INSERT, 1, "a"),
                                Row.ofKind(RowKind.INSERT, 2, "b"),
                                Row.ofKind(RowKind.UPDATE_BEFORE, 1, "a"),
                                Row.ofKind(RowKind.UPDATE_AFTER, 1, "c"),
                                Row.ofKind(RowKind.DELETE, 2, "b")),
                        ChangelogMode.all());
        assertThat(retracted.rows()).isEqualTo(1);
        assertThat(retracted.changes()).isEqualTo(5);
        assertThat(retracted.digest())
                .isEqualTo(
                        checksum(
                                        List.of(Row.ofKind(RowKind.INSERT, 1, "c")),
                                        ChangelogMode.insertOnly())
                                .digest());
    }

    @Test
    void upsertsCountOncePerKey() throws Exception {
        Checksum upserted =
                checksum(
                        List.of(
                                Row.ofKind(RowKind.INSERT, 1, "a"),
                                Row.ofKind(RowKind.UPDATE_AFTER, 1, "b"),
                                Row.ofKind(RowKind.INSERT, 2, "c"),
                                Row.ofKind(RowKind.UPDATE_AFTER, 1, "d"),
                                Row.ofKind(RowKind.DELETE, 2, null)),
                        ChangelogMode.upsert());
        assertThat(upserted.digest())
                .isEqualTo(
                        checksum(
                                        List.of(Row.ofKind(RowKind.INSERT, 1, "d")),
                                        ChangelogMode.insertOnly())
                                .digest());
    }

    @Test
    void everyTypeHasAHashThatDependsOnItsValue() throws Exception {
        String types =
                "b BOOLEAN, i TINYINT, d DOUBLE, f FLOAT, n DECIMAL(20, 3), t TIMESTAMP(6),"
                        + " y DATE, x BYTES, a ARRAY<INT>, m MAP<STRING, INT>, r ROW<p INT, q STRING>";
        String row =
                "(TRUE, CAST(1 AS TINYINT), 1.5E0, CAST(2.5 AS FLOAT), CAST(3.125 AS"
                        + " DECIMAL(20, 3)), TIMESTAMP '2026-01-01 00:00:00.123456', DATE"
                        + " '2026-01-01', X'0102', ARRAY[1, 2], MAP['k', 1, 'l', 2], ROW(1, 'q'))";
        String digest = digestOf(types, row);
        assertThat(digestOf(types, row.replace("['k', 1, 'l', 2]", "['l', 2, 'k', 1]")))
                .as("maps have no order")
                .isEqualTo(digest);
        for (String[] change :
                new String[][] {
                    {"TRUE", "FALSE"},
                    {"1.5E0", "1.25E0"},
                    {"3.125", "3.126"},
                    {"123456", "123457"},
                    {"X'0102'", "X'0103'"},
                    {"ARRAY[1, 2]", "ARRAY[2, 1]"},
                    {"'l', 2", "'l', 3"},
                    {"ROW(1, 'q')", "ROW(1, 'p')"}
                }) {
            assertThat(digestOf(types, row.replace(change[0], change[1])))
                    .as(change[1])
                    .isNotEqualTo(digest);
        }
    }

    @Test
    void typesWithoutAHashAreNamed() {
        StreamTableEnvironment tables = NexmarkCluster.tables(Map.of());
        tables.executeSql(
                "CREATE TABLE totals (v VARIANT) WITH ('connector' = 'nexmark-checksum')");
        assertThatThrownBy(() -> tables.executeSql("INSERT INTO totals SELECT PARSE_JSON('1')"))
                .rootCause()
                .hasMessageContaining("No checksum is defined for columns of type VARIANT");
    }

    private static String digestOf(String types, String row) throws Exception {
        return NexmarkCluster.run(
                        NexmarkCluster.tables(Map.of()),
                        List.of(
                                "CREATE TABLE totals ("
                                        + types
                                        + ") WITH ('connector' = 'nexmark-checksum')",
                                "INSERT INTO totals VALUES " + row))
                .digest();
    }

    private static Checksum checksum(List<Row> changes, ChangelogMode mode) throws Exception {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setParallelism(2);
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        DataStream<Row> stream =
                environment.fromData(
                        Types.ROW_NAMED(new String[] {"k", "v"}, Types.INT, Types.STRING),
                        changes.toArray(Row[]::new));
        Schema.Builder schema =
                Schema.newBuilder().column("k", "INT NOT NULL").column("v", "STRING");
        if (mode.equals(ChangelogMode.upsert())) {
            schema.primaryKey("k");
        }
        tables.createTemporaryView(
                "changes", tables.fromChangelogStream(stream, schema.build(), mode));
        return NexmarkCluster.run(
                tables, List.of(SINK, "INSERT INTO totals SELECT k, v FROM changes"));
    }
}
