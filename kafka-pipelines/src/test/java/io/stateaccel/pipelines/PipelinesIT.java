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
package io.stateaccel.pipelines;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.pipelines.broker.Topics.Message;
import io.stateaccel.pipelines.orders.OrderEvents;
import io.stateaccel.pipelines.orders.ParcelEvents;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Pipelines from Kafka to Kafka on a real broker and a real cluster, stock and accelerated: what
 * transactions have committed in the end is the same.
 */
class PipelinesIT {

    private static final long SEED = Long.getLong("stateaccel.seed", System.nanoTime());

    private static final int EVENTS = 40_000;
    private static final int PARCELS = 5_000;

    private static final String FAST =
            PipelineSql.file("orders/settings.sql")
                    + "SET 'execution.checkpointing.interval' = '1 s';\n";

    private static PipelinePlace place;

    @BeforeAll
    static void start() throws Exception {
        System.out.printf("[pipelines] -Dstateaccel.seed=%d%n", SEED);
        place = PipelinePlace.start("pipelines", Map.of());
        place.fill(OrderEvents.topics(), new OrderEvents(SEED, EVENTS)::forEach);
        place.fill(ParcelEvents.topics(), new ParcelEvents(SEED, PARCELS)::forEach);
    }

    @AfterAll
    static void stop() throws Exception {
        if (place != null) {
            place.close();
        }
    }

    @Test
    void theLargestOrdersAreStocks() throws Exception {
        place.topics().create(PipelinePlace.PARTITIONS, List.of("largest-stock", "largest-accel"));
        String query = PipelineSql.file("orders/query.sql");
        PipelineSql tables =
                place.tables("orders").bounded().into("largest_orders", "largest-stock");

        String output =
                place.run(
                        FAST
                                + tables
                                + accelerated(false)
                                + "EXPLAIN "
                                + query
                                + query
                                + accelerated(true)
                                + intoAccelerated("largest_orders", "largest-accel")
                                + query);

        assertThat(output)
                .as("stock's plan has both operators")
                .contains("ChangelogNormalize(", "upsertMaterialize=[true]");
        Map<String, String> expected = place.topics().table("largest-stock");
        assertThat(expected).hasSizeGreaterThan(50);
        assertThat(place.topics().table("largest-accel")).isEqualTo(expected);
    }

    @Test
    void anAppendingJoinGivesEachRowOnce() throws Exception {
        place.topics()
                .create(PipelinePlace.PARTITIONS, List.of("tracking-stock", "tracking-accel"));
        String query = PipelineSql.file("parcels/query.sql");

        place.run(
                FAST
                        + place.tables("parcels").bounded().into("tracking", "tracking-stock")
                        + accelerated(false)
                        + query
                        + accelerated(true)
                        + intoAccelerated("tracking", "tracking-accel")
                        + query);

        Map<String, Integer> expected = rows("tracking-stock");
        assertThat(expected).hasSize(ParcelEvents.scansOf(PARCELS)).doesNotContainValue(2);
        assertThat(rows("tracking-accel")).isEqualTo(expected);
    }

    /** Debezium's JSON in, upserts and tombstones in Avro, which are read and written again. */
    @Test
    void upsertsWithTombstonesAreReadAsTheyWereWritten() throws Exception {
        for (boolean accelerated : new boolean[] {false, true}) {
            String variant = accelerated ? "accel" : "stock";
            List<String> topics = List.of("orders-" + variant, "customers-" + variant);
            place.topics().create(PipelinePlace.PARTITIONS, topics);
            place.run(
                    FAST
                            + place.tables("formats")
                                    .bounded()
                                    .into("orders_by_id", topics.get(0))
                                    .with("orders_by_id", "scan.bounded.mode", "latest-offset")
                                    .with(
                                            "orders_by_id",
                                            "properties.isolation.level",
                                            "read_committed")
                                    .into("orders_per_customer", topics.get(1))
                            + accelerated(accelerated)
                            + PipelineSql.file("formats/to-upserts.sql")
                            + PipelineSql.file("formats/from-upserts.sql"));
        }

        assertThat(place.topics().committed("orders-stock"))
                .as("tombstones")
                .anyMatch(message -> message.value() == null);
        Map<String, String> orders = place.topics().table("orders-stock");
        assertThat(orders).hasSizeGreaterThan(1_000);
        assertThat(place.topics().table("orders-accel")).isEqualTo(orders);
        Map<String, String> customers = place.topics().table("customers-stock");
        assertThat(customers).hasSizeGreaterThan(50);
        assertThat(place.topics().table("customers-accel")).isEqualTo(customers);
    }

    private static String accelerated(boolean on) {
        return "SET 'table.exec.state-accel.enabled' = '%s';\n".formatted(on);
    }

    private static String intoAccelerated(String table, String topic) {
        return "ALTER TABLE %s SET ('topic' = '%s', 'sink.transactional-id-prefix' = '%s');\n"
                .formatted(table, topic, topic);
    }

    /** How often each row is in a topic. */
    private static Map<String, Integer> rows(String topic) throws Exception {
        Map<String, Integer> rows = new TreeMap<>();
        for (Message message : place.topics().committed(topic)) {
            rows.merge(message.value(), 1, Integer::sum);
        }
        return rows;
    }
}
