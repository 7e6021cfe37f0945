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
import io.stateaccel.nexmark.latency.WallClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The connector through SQL. */
class NexmarkTableTest {

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER = NexmarkCluster.extension();

    @Test
    void columnsMayBeLeftOutAndReordered() throws Exception {
        Checksum checksum =
                NexmarkCluster.run(
                        NexmarkCluster.tables(Map.of()),
                        List.of(
                                "CREATE TABLE events (bid ROW<price BIGINT, auction BIGINT>,"
                                        + " event_type INT) WITH ('connector' = 'nexmark',"
                                        + " 'events.num' = '1000')",
                                "CREATE TABLE totals (n BIGINT, price BIGINT) WITH ('connector' ="
                                        + " 'nexmark-checksum')",
                                "INSERT INTO totals SELECT bid.auction, bid.price FROM events WHERE"
                                        + " event_type = 2"));
        assertThat(checksum.rows()).isEqualTo(920);
    }

    @Test
    void windowsSeeTheEventTime() throws Exception {
        // 10,000 events at 1,000 per second are ten windows of one second.
        Checksum checksum =
                NexmarkCluster.run(
                        NexmarkCluster.tables(Map.of()),
                        List.of(
                                "CREATE TABLE events (bid ROW<`dateTime` TIMESTAMP(3)>, ts AS"
                                        + " bid.`dateTime`, WATERMARK FOR ts AS ts) WITH ("
                                        + " 'connector' = 'nexmark', 'events.num' = '10000',"
                                        + " 'first-event.rate' = '1000', 'next-event.rate' = '1000',"
                                        + " 'person.proportion' = '1', 'auction.proportion' = '1',"
                                        + " 'bid.proportion' = '98')",
                                "CREATE TABLE totals (n BIGINT) WITH ('connector' ="
                                        + " 'nexmark-checksum')",
                                "INSERT INTO totals SELECT COUNT(*) FROM TUMBLE(TABLE events,"
                                        + " DESCRIPTOR(ts), INTERVAL '1' SECOND) WHERE ts IS NOT"
                                        + " NULL GROUP BY window_start, window_end"));
        assertThat(checksum.rows()).isEqualTo(10);
    }

    @Test
    void windowsOfAnEndlessStreamClose() throws Exception {
        StreamTableEnvironment tables = NexmarkCluster.tables(Map.of());
        tables.executeSql(
                "CREATE TABLE events (event_type INT, bid ROW<`dateTime` TIMESTAMP(3)>, ts AS"
                        + " bid.`dateTime`, WATERMARK FOR ts AS ts) WITH ('connector' = 'nexmark',"
                        + " 'first-event.rate' = '1000', 'next-event.rate' = '1000')");
        TableResult counts =
                tables.executeSql(
                        "SELECT COUNT(*) FROM TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1'"
                                + " SECOND) WHERE event_type = 2 GROUP BY window_start, window_end");
        try (CloseableIterator<Row> rows = counts.collect()) {
            for (int window = 0; window < 20; window++) {
                assertThat(rows.next().getField(0)).isEqualTo(920L);
            }
        }
    }

    @Test
    void eventsOfATimetableSayWhenTheyWereDue() throws Exception {
        StreamTableEnvironment tables = NexmarkCluster.tables(Map.of());
        tables.executeSql(
                "CREATE TABLE events (created BIGINT, event_type INT, bid ROW<price BIGINT>) WITH"
                        + " ('connector' = 'nexmark', 'events.num' = '600', 'rate.limited' = 'true',"
                        + " 'first-event.rate' = '2000', 'next-event.rate' = '2000', 'rate.start' ="
                        + " '2026-01-02T03:04:05Z', 'rate.ramp' = '100 ms')");
        List<Long> created = new ArrayList<>();
        try (CloseableIterator<Row> rows =
                tables.executeSql("SELECT created FROM events").collect()) {
            rows.forEachRemaining(row -> created.add((Long) row.getField(0)));
        }
        assertThat(created)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, 600)
                                .mapToObj(n -> 500 * n + Math.min(500 * n, 50_000))
                                .toList());
    }

    @Test
    void aTimetableBeginsWhenTheQueryIsPlanned() throws Exception {
        StreamTableEnvironment tables = NexmarkCluster.tables(Map.of());
        tables.executeSql(
                "CREATE TABLE events (created BIGINT) WITH ('connector' = 'nexmark', 'events.num' ="
                        + " '20', 'rate.limited' = 'true', 'first-event.rate' = '100',"
                        + " 'next-event.rate' = '100')");
        long before = WallClock.micros();
        try (CloseableIterator<Row> rows = tables.executeSql("SELECT * FROM events").collect()) {
            for (int i = 0; i < 20; i++) {
                long created = (Long) rows.next().getField(0);
                assertThat(before + created)
                        .as("not emitted before it is due")
                        .isLessThanOrEqualTo(WallClock.micros());
            }
            assertThat(rows.hasNext()).isFalse();
        }
    }

    @Test
    void aTimetableNeedsALimitedRate() {
        StreamTableEnvironment tables = NexmarkCluster.tables(Map.of());
        tables.executeSql(
                "CREATE TABLE events (event_type INT) WITH ('connector' = 'nexmark', 'rate.start' ="
                        + " '2026-01-02T03:04:05Z')");
        assertThatThrownBy(() -> tables.explainSql("SELECT * FROM events"))
                .rootCause()
                .hasMessageContaining("rate.start has no effect without 'rate.limited' = 'true'");
    }

    @Test
    void onlyFieldsThatAreReadAreGenerated() {
        StreamTableEnvironment tables = NexmarkCluster.tables(Map.of());
        tables.executeSql(
                "CREATE TABLE events (event_type INT, bid ROW<price BIGINT, url STRING>) WITH"
                        + " ('connector' = 'nexmark')");
        assertThat(tables.explainSql("SELECT bid.price FROM events"))
                .contains("project=[bid_price]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "events.num | -1 | events.num must be at least 0 (0 is endless) but is -1",
                "person.proportion | 0 | person.proportion must be at least 1 but is 0",
                "bid.proportion | -5 | bid.proportion must be at least 0 but is -5",
                "next-event.rate | 0 | next-event.rate must be at least 1 but is 0",
                "bid.hot-ratio.auctions | 0 | bid.hot-ratio.auctions must be at least 1 but is 0",
                "base-time | today | base-time must be an instant such as 2026-01-01T00:00:00Z",
                "rate.start | today | rate.start must be an instant such as 2026-01-01T00:00:00Z",
                "event.num | 5 | Unsupported options found for 'nexmark'.",
            })
    void badOptionsAreNamed(String option, String value, String message) {
        StreamTableEnvironment tables = NexmarkCluster.tables(Map.of());
        tables.executeSql(
                "CREATE TABLE events (event_type INT) WITH ('connector' = 'nexmark', '"
                        + option
                        + "' = '"
                        + value
                        + "', 'rate.limited' = 'true')");
        assertThatThrownBy(() -> tables.explainSql("SELECT * FROM events"))
                .rootCause()
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kind INT | The nexmark connector has no column kind",
                "created BIGINT | created is when an event is due, which none is without",
                "created INT | created must be BIGINT but is declared as INT",
                "event_type BIGINT | event_type must be INT but is declared as BIGINT",
                "bid ROW<amount BIGINT> | has no field bid.amount. The fields of bid are auction,",
                "bid ROW<price INT> | bid.price must be BIGINT but is declared as INT",
                "bid ROW<`dateTime` TIMESTAMP(6)> | must be TIMESTAMP(3) but is declared as",
                "bid ROW<url VARCHAR(10)> | must be STRING but is declared as VARCHAR(10)",
            })
    void badColumnsAreNamed(String column, String message) {
        StreamTableEnvironment tables = NexmarkCluster.tables(Map.of());
        tables.executeSql("CREATE TABLE events (" + column + ") WITH ('connector' = 'nexmark')");
        assertThatThrownBy(() -> tables.explainSql("SELECT * FROM events"))
                .rootCause()
                .hasMessageContaining(message);
    }
}
