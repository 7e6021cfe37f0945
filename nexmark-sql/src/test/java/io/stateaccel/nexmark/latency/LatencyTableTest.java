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
package io.stateaccel.nexmark.latency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.nexmark.NexmarkCluster;
import java.time.Instant;
import java.util.Map;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The table that measures latencies, through SQL. */
class LatencyTableTest {

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER = NexmarkCluster.extension();

    /** Every row changes a count, whose retractions are no results. */
    @ParameterizedTest
    @ValueSource(strings = {"", ", 'own-task' = 'true'", ", 'rows-per-second' = '20000'"})
    void everyRowHasALatency(String more) throws Exception {
        StreamTableEnvironment tables = NexmarkCluster.tables(Map.of());
        Instant start = Instant.now();
        tables.executeSql(
                "CREATE TABLE events (event_type INT, created BIGINT) WITH ('connector' = 'nexmark',"
                        + " 'events.num' = '1000', 'rate.limited' = 'true', 'first-event.rate' ="
                        + " '2000', 'next-event.rate' = '2000', 'rate.start' = '"
                        + start
                        + "')");
        tables.executeSql(
                "CREATE TABLE latencies (kind INT, created_sum BIGINT, row_count BIGINT, result_key"
                        + " BIGINT) WITH ('connector' = 'nexmark-latency'"
                        + measured(start)
                        + more
                        + ")");
        TableResult result =
                tables.executeSql(
                        "INSERT INTO latencies SELECT event_type, SUM(created), COUNT(*),"
                                + " CAST(event_type AS BIGINT) FROM events GROUP BY event_type");
        Latencies latencies =
                Latencies.fromAccumulators(
                                result.getJobClient()
                                        .orElseThrow()
                                        .getJobExecutionResult()
                                        .get()
                                        .getAllAccumulatorResults())
                        .orElseThrow();
        // With tasks of its own a key's changes are spread, and each sub-task takes for new what
        // only the other one has seen.
        assertThat(latencies.ofRows().getTotalCount()).isGreaterThanOrEqualTo(1000);
        assertThat(latencies.ofResults().getTotalCount()).isEqualTo(1000);
        assertThat(latencies.ofRows().getMaxValue())
                .isBetween(latencies.ofRows().getValueAtPercentile(50), 600_000_000L);
    }

    @Test
    void otherJobsHaveNoLatencies() {
        assertThat(Latencies.fromAccumulators(Map.of("nexmark-checksum.q.rows", 5))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "result_key BIGINT, row_count BIGINT | '' | but created_sum is missing",
                "result_key INT, row_count BIGINT, created_sum BIGINT | '' | but result_key is INT",
                "result_key BIGINT, row_count BIGINT, created_sum BIGINT | , 'rows-per-second' = '-1' |"
                        + " rows-per-second must be at least 0 but is -1.0",
            })
    void whatIsWrongWithATableIsNamed(String columns, String options, String message) {
        StreamTableEnvironment tables = NexmarkCluster.tables(Map.of());
        tables.executeSql(
                "CREATE TABLE latencies ("
                        + columns
                        + ") WITH ('connector' = 'nexmark-latency'"
                        + measured(Instant.EPOCH)
                        + options
                        + ")");
        int width = columns.split(",").length;
        String row = "1, 2, 3".substring(0, 3 * width - 2);
        assertThatThrownBy(() -> tables.executeSql("INSERT INTO latencies VALUES (" + row + ")"))
                .hasStackTraceContaining(message);
    }

    @Test
    void whatIsNoInstantIsNamed() {
        StreamTableEnvironment tables = NexmarkCluster.tables(Map.of());
        tables.executeSql(
                "CREATE TABLE latencies (result_key BIGINT, row_count BIGINT, created_sum BIGINT)"
                        + " WITH ('connector' = 'nexmark-latency', 'measure.start' = 'now',"
                        + " 'measure.from' = 'now', 'measure.until' = 'now')");
        assertThatThrownBy(() -> tables.executeSql("INSERT INTO latencies VALUES (1, 2, 3)"))
                .hasStackTraceContaining("measure.start must be an instant such as");
    }

    private static String measured(Instant start) {
        return ", 'measure.start' = '"
                + start
                + "', 'measure.from' = '"
                + start
                + "', 'measure.until' = '9999-01-01T00:00:00Z'";
    }
}
