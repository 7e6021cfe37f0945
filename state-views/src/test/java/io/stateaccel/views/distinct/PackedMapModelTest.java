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
package io.stateaccel.views.distinct;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.views.time.Lifetime;
import io.stateaccel.views.time.TimeToLive;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.typeutils.ExternalSerializer;
import org.apache.flink.types.Row;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Packed maps of several keys against plain ones, of all types of entries there are, with and
 * without a time to live, over lists that change whenever they may.
 */
class PackedMapModelTest {

    private static final Runnable NO_CLEANUP = () -> {};

    private final WaywardLists lists = new WaywardLists();

    /** Entries of some types, at random. */
    private record Entries<K, V>(
            String name,
            TypeSerializer<K> keys,
            Function<Random, K> someKey,
            TypeSerializer<V> values,
            Function<Random, V> someValue) {

        static <K> Entries<K, Long> withNumbers(
                String name, TypeSerializer<K> keys, Function<Random, K> someKey) {
            return new Entries<>(name, keys, someKey, LongSerializer.INSTANCE, Random::nextLong);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static final List<Entries<?, ?>> ENTRIES =
            List.of(
                    Entries.withNumbers(
                            "numbers with numbers",
                            LongSerializer.INSTANCE,
                            random -> (long) random.nextInt(20_000) - 10_000),
                    Entries.withNumbers(
                            "texts with numbers",
                            ExternalSerializer.<StringData, String>of(DataTypes.STRING()),
                            // Some begin or end as others do, some are empty, some as long as a
                            // leaf.
                            random ->
                                    random.nextInt(500) == 0
                                            ? "l".repeat(3_000 + random.nextInt(2_000))
                                            : "x".repeat(random.nextInt(12)) + random.nextInt(300)),
                    new Entries<>(
                            "small numbers with arrays that grow and shrink",
                            IntSerializer.INSTANCE,
                            random -> random.nextInt(1_000),
                            ExternalSerializer.<ArrayData, Long[]>of(
                                    DataTypes.ARRAY(DataTypes.BIGINT())),
                            random ->
                                    random.longs(random.nextInt(20)).boxed().toArray(Long[]::new)),
                    // As COUNT(DISTINCT a, b) has them.
                    Entries.withNumbers(
                            "rows with numbers",
                            ExternalSerializer.<RowData, Row>of(
                                    DataTypes.ROW(DataTypes.INT(), DataTypes.STRING())),
                            random ->
                                    Row.of(
                                            random.nextInt(40),
                                            random.nextInt(9) == 0
                                                    ? null
                                                    : "t".repeat(random.nextInt(30)))),
                    Entries.withNumbers(
                            "short decimals with numbers",
                            ExternalSerializer.<DecimalData, BigDecimal>of(
                                    DataTypes.DECIMAL(18, 2)),
                            random -> BigDecimal.valueOf(random.nextInt(9_000) - 4_500, 2)),
                    Entries.withNumbers(
                            "long decimals with numbers",
                            ExternalSerializer.<DecimalData, BigDecimal>of(
                                    DataTypes.DECIMAL(38, 2)),
                            random ->
                                    new BigDecimal(new BigInteger(random.nextInt(12), random), 2)));

    static Stream<Arguments> cases() {
        Long replay = Long.getLong("stateaccel.seed");
        long[] seeds =
                replay != null
                        ? new long[] {replay}
                        : new Random(System.nanoTime())
                                .longs(Integer.getInteger("stateaccel.cases", 4))
                                .toArray();
        return ENTRIES.stream()
                .flatMap(
                        entries ->
                                LongStream.of(seeds).mapToObj(seed -> Arguments.of(seed, entries)));
    }

    @ParameterizedTest(name = "seed {0}, {1}")
    @MethodSource("cases")
    void sameAsPlainMaps(long seed, Entries<?, ?> entries) throws Exception {
        Random random = new Random(seed);
        lists.lifetime = TimeToLive.FOREVER.by(() -> lists.time);
        compare(entries, random, seed);
        lists.ofKeys.clear();
        lists.lifetime = TimeToLive.ofMillis(1 << random.nextInt(13)).by(() -> lists.time);
        lists.expiring = EntryFormat.of(entries.keys, entries.values, true).orElseThrow();
        compare(entries, random, seed);
    }

    private <K, V> void compare(Entries<K, V> entries, Random random, long seed) throws Exception {
        Lifetime lifetime = lists.lifetime;
        PackedMap<K, V> packed = open(entries);
        List<ExpiringMap<K, V>> plain =
                List.of(
                        new ExpiringMap<>(lifetime),
                        new ExpiringMap<>(lifetime),
                        new ExpiringMap<>(lifetime));
        int growing = 0;
        for (int i = 0; i < 40_000; i++) {
            if (random.nextInt(4) == 0) {
                lists.setKey(random.nextInt(plain.size()));
            }
            if (random.nextInt(10_000) == 0) {
                growing = random.nextInt(8);
            }
            lists.time += random.nextInt(5_000) == 0 ? random.nextInt(10_000) : random.nextInt(2);
            if (random.nextInt(5_000) == 0) {
                // As after a restore.
                packed = open(entries);
            }
            ExpiringMap<K, V> expected = plain.get(lists.key);
            K key = entries.someKey.apply(random);
            if (random.nextBoolean()) {
                assertSame(packed.get(key), expected.get(key), seed);
            }
            if (random.nextInt(8) >= growing) {
                V value = entries.someValue.apply(random);
                packed.put(key, value);
                expected.put(key, value);
            } else {
                packed.remove(key);
                expected.remove(key);
            }
            if (random.nextInt(5) == 0) {
                assertThat(packed.contains(key))
                        .as("seed %d", seed)
                        .isEqualTo(expected.get(key) != null);
            }
            if (random.nextInt(5_000) == 0) {
                packed.clear();
                expected.clear();
                if (lifetime.isForever()) {
                    assertThat(lists.current()).as("seed %d", seed).isEmpty();
                }
            }
            if (random.nextInt(2_000) == 0) {
                assertHolds(packed, expected.unexpired(), seed);
            }
        }
        for (int key = 0; key < plain.size(); key++) {
            lists.setKey(key);
            assertHolds(packed, plain.get(key).unexpired(), seed);
        }
    }

    private <K, V> PackedMap<K, V> open(Entries<K, V> entries) {
        return new PackedMap<>(lists, entries.keys, entries.values, lists.lifetime, NO_CLEANUP);
    }

    private static <K, V> void assertHolds(PackedMap<K, V> packed, Map<K, V> expected, long seed)
            throws Exception {
        assertThat(packed.isEmpty()).as("seed %d", seed).isEqualTo(expected.isEmpty());
        Map<K, V> found = new HashMap<>();
        for (Iterator<Map.Entry<K, V>> entries = packed.iterator(); entries.hasNext(); ) {
            Map.Entry<K, V> entry = entries.next();
            assertThat(found.put(entry.getKey(), entry.getValue())).as("seed %d", seed).isNull();
        }
        assertThat(found.keySet()).as("seed %d", seed).isEqualTo(expected.keySet());
        for (Map.Entry<K, V> entry : expected.entrySet()) {
            assertSame(found.get(entry.getKey()), entry.getValue(), seed);
        }
    }

    private static void assertSame(Object actual, Object expected, long seed) {
        assertThat(actual).as("seed %d", seed).isEqualTo(expected);
    }

    /** A plain map whose entries expire. */
    private static final class ExpiringMap<K, V> {
        private final Map<K, Map.Entry<V, Long>> entries = new HashMap<>();
        private final Lifetime lifetime;

        ExpiringMap(Lifetime lifetime) {
            this.lifetime = lifetime;
        }

        V get(K key) {
            Map.Entry<V, Long> entry = entries.get(key);
            return entry == null || lifetime.isExpired(entry.getValue()) ? null : entry.getKey();
        }

        void put(K key, V value) {
            entries.put(key, Map.entry(value, lifetime.now()));
        }

        void remove(K key) {
            entries.remove(key);
        }

        void clear() {
            entries.clear();
        }

        Map<K, V> unexpired() {
            entries.values().removeIf(entry -> lifetime.isExpired(entry.getValue()));
            Map<K, V> unexpired = new HashMap<>();
            entries.forEach((key, entry) -> unexpired.put(key, entry.getKey()));
            return unexpired;
        }
    }
}
