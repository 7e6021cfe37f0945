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
package io.stateaccel.nexmark.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.nexmark.NexmarkCluster;
import io.stateaccel.nexmark.bench.queries.Query;
import io.stateaccel.nexmark.bench.variants.Variant;
import io.stateaccel.nexmark.checksum.Checksum;
import io.stateaccel.nexmark.generator.Auctions;
import io.stateaccel.nexmark.generator.Bids;
import io.stateaccel.nexmark.generator.EventSequence;
import io.stateaccel.nexmark.generator.EventType;
import io.stateaccel.nexmark.generator.GeneratorConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** q4 in Flink against q4 in a few lines of Java over the same events. */
class Q4Test {

    private static final long EVENTS = 20_000;

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER = NexmarkCluster.extension();

    @ParameterizedTest
    @ValueSource(strings = {"stock", "stock-minibatch", "hashmap"})
    void theResultIsThatOfANaiveComputation(String variant) throws Exception {
        Checksum q4 =
                NexmarkCluster.run(
                        NexmarkCluster.tables(Variant.named(variant).settings()),
                        Query.named("q4").statements(EVENTS));
        assertThat(q4.rows()).isEqualTo(5);
        assertThat(q4.digest()).isEqualTo(checksumOf(naiveQ4()).digest());
    }

    /** Category to average highest bid. */
    private static Map<Long, Long> naiveQ4() {
        GeneratorConfig config = GeneratorConfig.DEFAULT;
        EventSequence sequence = new EventSequence(config);
        Auctions auctions = new Auctions(config);
        Bids bids = new Bids(config);
        Map<Long, Long> auctionEvents = new HashMap<>();
        for (long n = 0; n < EVENTS; n++) {
            if (sequence.typeOf(n) == EventType.AUCTION) {
                auctionEvents.put(auctions.id(n), n);
            }
        }
        Map<Long, Long> highest = new HashMap<>();
        for (long n = 0; n < EVENTS; n++) {
            Long auction =
                    sequence.typeOf(n) == EventType.BID ? auctionEvents.get(bids.auction(n)) : null;
            if (auction != null
                    && sequence.timeMillis(n) >= sequence.timeMillis(auction)
                    && sequence.timeMillis(n) <= auctions.expiresMillis(auction)) {
                highest.merge(auction, bids.price(n), Math::max);
            }
        }
        Map<Long, List<Long>> byCategory = new TreeMap<>();
        highest.forEach(
                (auction, price) ->
                        byCategory
                                .computeIfAbsent(auctions.category(auction), c -> new ArrayList<>())
                                .add(price));
        Map<Long, Long> averages = new TreeMap<>();
        byCategory.forEach(
                (category, prices) ->
                        averages.put(
                                category,
                                prices.stream().mapToLong(price -> price).sum() / prices.size()));
        return averages;
    }

    private static Checksum checksumOf(Map<Long, Long> rows) throws Exception {
        StreamTableEnvironment tables = NexmarkCluster.tables(Map.of());
        String values =
                rows.entrySet().stream()
                        .map(
                                row ->
                                        "(CAST("
                                                + row.getKey()
                                                + " AS BIGINT), CAST("
                                                + row.getValue()
                                                + " AS BIGINT))")
                        .collect(Collectors.joining(", "));
        return NexmarkCluster.run(
                tables,
                List.of(
                        "CREATE TABLE expected (id BIGINT, final BIGINT)"
                                + " WITH ('connector' = 'nexmark-checksum')",
                        "INSERT INTO expected VALUES " + values));
    }
}
