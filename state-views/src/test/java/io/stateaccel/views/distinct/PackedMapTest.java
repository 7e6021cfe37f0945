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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.views.batch.SerializedList;
import io.stateaccel.views.batch.SerializedLists;
import io.stateaccel.views.time.Lifetime;
import io.stateaccel.views.time.TimeToLive;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.typeutils.ExternalSerializer;
import org.apache.flink.table.types.DataType;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Packed maps of several keys against plain ones, with what is stored and written. */
class PackedMapTest {

    private static final TypeSerializer<Long[]> LONGS =
            ExternalSerializer.<ArrayData, Long[]>of(DataTypes.ARRAY(DataTypes.BIGINT()));

    private static final Lifetime FOREVER = TimeToLive.FOREVER.by(() -> 0);

    private static final Runnable NO_CLEANUP = () -> {};

    private final Lists lists = new Lists();

    static long[] seeds() {
        Long replay = Long.getLong("stateaccel.seed");
        return replay != null
                ? new long[] {replay}
                : new Random(System.nanoTime())
                        .longs(Integer.getInteger("stateaccel.cases", 4))
                        .toArray();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void numbersWithNumbers(long seed) throws Exception {
        sameAsPlainMaps(
                seed,
                LongSerializer.INSTANCE,
                random -> (long) random.nextInt(20_000) - 10_000,
                LongSerializer.INSTANCE,
                Random::nextLong);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void textsWithNumbers(long seed) throws Exception {
        sameAsPlainMaps(
                seed,
                ExternalSerializer.<StringData, String>of(DataTypes.STRING()),
                // Some begin or end as others do, some are empty, some as long as a leaf.
                random ->
                        random.nextInt(500) == 0
                                ? "l".repeat(3_000 + random.nextInt(2_000))
                                : "x".repeat(random.nextInt(12)) + random.nextInt(300),
                LongSerializer.INSTANCE,
                Random::nextLong);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void smallNumbersWithArraysThatGrowAndShrink(long seed) throws Exception {
        sameAsPlainMaps(
                seed,
                IntSerializer.INSTANCE,
                random -> random.nextInt(1_000),
                LONGS,
                random -> random.longs(random.nextInt(20)).boxed().toArray(Long[]::new));
    }

    /** As {@code COUNT(DISTINCT a, b)} has them. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void rowsWithNumbers(long seed) throws Exception {
        sameAsPlainMaps(
                seed,
                ExternalSerializer.<RowData, Row>of(
                        DataTypes.ROW(DataTypes.INT(), DataTypes.STRING())),
                random ->
                        Row.of(
                                random.nextInt(40),
                                random.nextInt(9) == 0 ? null : "t".repeat(random.nextInt(30))),
                LongSerializer.INSTANCE,
                Random::nextLong);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void longDecimalsWithNumbers(long seed) throws Exception {
        sameAsPlainMaps(
                seed,
                ExternalSerializer.<DecimalData, BigDecimal>of(DataTypes.DECIMAL(38, 2)),
                random -> new BigDecimal(new BigInteger(random.nextInt(12), random), 2),
                LongSerializer.INSTANCE,
                Random::nextLong);
    }

    /** Of others it is not known how long an entry is, and their bytes may change with a class. */
    @Test
    void typesThatArePacked() {
        DataType texts = DataTypes.STRING();
        DataType numbers = DataTypes.BIGINT();
        for (DataType packed :
                List.of(
                        numbers,
                        texts,
                        DataTypes.BYTES(),
                        DataTypes.DATE(),
                        DataTypes.TIMESTAMP(9),
                        DataTypes.BOOLEAN(),
                        DataTypes.DECIMAL(5, 1))) {
            assertThat(mayBeOf(packed, numbers)).as("%s", packed).isTrue();
        }
        for (DataType other :
                List.of(
                        DataTypes.RAW(String.class, StringSerializer.INSTANCE),
                        DataTypes.MAP(texts, texts),
                        DataTypes.MULTISET(texts))) {
            assertThat(mayBeOf(other, numbers)).as("%s", other).isFalse();
        }
        assertThat(PackedMaps.mayBeOf(StringSerializer.INSTANCE, LongSerializer.INSTANCE))
                .isFalse();
    }

    private static boolean mayBeOf(DataType keys, DataType values) {
        return PackedMaps.mayBeOf(ExternalSerializer.of(keys), ExternalSerializer.of(values));
    }

    private <K, V> void sameAsPlainMaps(
            long seed,
            TypeSerializer<K> keySerializer,
            Some<K> someKey,
            TypeSerializer<V> valueSerializer,
            Some<V> someValue)
            throws Exception {
        Random random = new Random(seed);
        sameAsPlainMaps(FOREVER, random, seed, keySerializer, someKey, valueSerializer, someValue);
        lists.ofKeys.clear();
        int ttl = 1 << random.nextInt(13);
        lists.expiring = EntryFormat.of(keySerializer, valueSerializer, true).orElseThrow();
        sameAsPlainMaps(
                TimeToLive.ofMillis(ttl).by(() -> lists.time),
                random,
                seed,
                keySerializer,
                someKey,
                valueSerializer,
                someValue);
    }

    private <K, V> void sameAsPlainMaps(
            Lifetime lifetime,
            Random random,
            long seed,
            TypeSerializer<K> keySerializer,
            Some<K> someKey,
            TypeSerializer<V> valueSerializer,
            Some<V> someValue)
            throws Exception {
        lists.lifetime = lifetime;
        PackedMap<K, V> packed =
                new PackedMap<>(lists, keySerializer, valueSerializer, lifetime, NO_CLEANUP);
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
                packed =
                        new PackedMap<>(
                                lists, keySerializer, valueSerializer, lifetime, NO_CLEANUP);
            }
            ExpiringMap<K, V> expected = plain.get(lists.key);
            K key = someKey.of(random);
            if (random.nextBoolean()) {
                assertSame(packed.get(key), expected.get(key), seed);
            }
            if (random.nextInt(8) >= growing) {
                V value = someValue.of(random);
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

    private <K, V> PackedMap<K, V> lasting(TypeSerializer<K> keys, TypeSerializer<V> values) {
        return new PackedMap<>(lists, keys, values, FOREVER, NO_CLEANUP);
    }

    @Test
    void entriesMayBeChangedWhileTheyAreGoneThrough() throws Exception {
        PackedMap<Long, Long[]> map = lasting(LongSerializer.INSTANCE, LONGS);
        for (long key = 0; key < 1_000; key++) {
            map.put(key, new Long[] {key});
        }
        int seen = 0;
        for (Iterator<Map.Entry<Long, Long[]>> entries = map.iterator(); entries.hasNext(); ) {
            Map.Entry<Long, Long[]> entry = entries.next();
            seen++;
            if (entry.getKey() % 2 == 0) {
                entries.remove();
                assertThatThrownBy(entries::remove).isInstanceOf(IllegalStateException.class);
            } else {
                assertThat(entry.setValue(new Long[] {1L, 2L, 3L})).containsExactly(entry.getKey());
                assertThat(entry.getValue()).containsExactly(1L, 2L, 3L);
            }
        }
        assertThat(seen).isEqualTo(1_000);
        for (long key = 0; key < 1_000; key++) {
            assertThat(map.get(key)).isEqualTo(key % 2 == 0 ? null : new Long[] {1L, 2L, 3L});
        }
    }

    @Test
    void whatIsAddedIsAllThatIsWritten() throws Exception {
        PackedMap<Long, Long> map = lasting(LongSerializer.INSTANCE, LongSerializer.INSTANCE);
        for (long key = 0; key < 200; key++) {
            map.put(key, key);
        }
        assertThat(lists.appended).isEqualTo(200 * 2 * Long.BYTES);
        assertThat(lists.replaced).isZero();

        map.put(7L, 8L);
        assertThat(lists.overwritten).isEqualTo(Long.BYTES);
        assertThat(lists.replaced).isZero();
    }

    @Test
    void noListBecomesLongerThanALeaf() throws Exception {
        PackedMap<Long, Long> map = lasting(LongSerializer.INSTANCE, LongSerializer.INSTANCE);
        for (long key = 0; key < 100_000; key++) {
            map.put(key, key);
        }
        assertThat(lists.current().values())
                .allSatisfy(
                        list -> assertThat(list.length).isLessThanOrEqualTo(PackedMap.LEAF_BYTES));
        assertThat(lists.current().size()).as("lists").isBetween(500, 6_000);
    }

    /** Snapshots have been written like this. */
    @Test
    void layoutIsAsEver() throws Exception {
        PackedMap<Long, Long> map = lasting(LongSerializer.INSTANCE, LongSerializer.INSTANCE);
        map.put(1L, 2L);
        map.put(3L, 4L);
        byte[] entry1 = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2};
        byte[] entry3 = {0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4};
        assertThat(lists.current()).containsOnlyKeys(1);
        assertThat(lists.current().get(1)).isEqualTo(joined(entry1, entry3));

        for (long key = 4; key < 260; key++) {
            map.put(key, 0L);
        }
        assertThat(lists.current().get(1)).isEqualTo(joined(entry1, entry1));
        assertThat(lists.current().keySet())
                .containsExactly(1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
        int listOf1 = 0;
        int listOf3 = 0;
        for (Map.Entry<Integer, byte[]> list : lists.current().entrySet()) {
            if (list.getKey() > 1) {
                List<byte[]> elements = elements(list.getValue());
                if (elements.stream().anyMatch(element -> element[7] == 1 && element[15] == 2)) {
                    listOf1 = list.getKey();
                }
                if (elements.stream().anyMatch(element -> element[7] == 3 && element[15] == 4)) {
                    listOf3 = list.getKey();
                }
            }
        }
        assertThat(List.of(listOf1, listOf3)).isEqualTo(List.of(18, 31));
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] list = Arrays.copyOf(first, first.length + 1 + second.length);
        list[first.length] = SerializedLists.DELIMITER;
        System.arraycopy(second, 0, list, first.length + 1, second.length);
        return list;
    }

    private static List<byte[]> elements(byte[] list) throws Exception {
        List<byte[]> elements = new ArrayList<>();
        DataInputDeserializer input = new DataInputDeserializer(list);
        while (input.available() > 0) {
            byte[] element = new byte[2 * Long.BYTES];
            input.readFully(element);
            elements.add(element);
            if (input.available() > 0) {
                assertThat(input.readByte()).isEqualTo(SerializedLists.DELIMITER);
            }
        }
        return elements;
    }

    /** What is below a mark is found as long as it lives, though RocksDB may drop marks. */
    @Test
    void marksLiveAsLongAsWhatIsBelowThem() throws Exception {
        Lifetime lifetime = TimeToLive.ofMillis(100).by(() -> lists.time);
        lists.lifetime = lifetime;
        lists.expiring =
                EntryFormat.of(LongSerializer.INSTANCE, LongSerializer.INSTANCE, true)
                        .orElseThrow();
        PackedMap<Long, Long> map =
                new PackedMap<>(
                        lists,
                        LongSerializer.INSTANCE,
                        LongSerializer.INSTANCE,
                        lifetime,
                        NO_CLEANUP);
        for (long key = 0; key < 10_000; key++) {
            map.put(key, key);
        }
        assertThat(lists.current().size()).isGreaterThan(100);
        for (int i = 0; i < 30; i++) {
            lists.time += 50;
            map.put(7L, (long) i);
            lists.compactAll();
            PackedMap<Long, Long> restored =
                    new PackedMap<>(
                            lists,
                            LongSerializer.INSTANCE,
                            LongSerializer.INSTANCE,
                            lifetime,
                            NO_CLEANUP);
            assertThat(restored.get(7L)).isEqualTo(i);
            assertThat(restored.get(8L)).isEqualTo(i == 0 ? 8L : null);
        }
        assertThat(lists.current().size()).as("marks and one leaf").isBetween(2, 8);
        lists.time += 200;
        lists.compactAll();
        assertThat(lists.current()).isEmpty();
    }

    /** The task pauses for longer than the TTL while it adds an entry to a leaf that is full. */
    @Test
    void allOfALeafMayExpireWithinAWrite() throws Exception {
        long[] pause = {0};
        Lifetime lifetime =
                TimeToLive.ofMillis(100)
                        .by(
                                () -> {
                                    long now = lists.time;
                                    lists.time += pause[0];
                                    return now;
                                });
        PackedMap<Long, Long> map =
                new PackedMap<>(
                        lists,
                        LongSerializer.INSTANCE,
                        LongSerializer.INSTANCE,
                        lifetime,
                        NO_CLEANUP);
        int entriesOfALeaf = PackedMap.LEAF_BYTES / (3 * Long.BYTES + 1);
        for (long key = 0; key < entriesOfALeaf; key++) {
            map.put(key, key);
        }
        assertThat(lists.current()).hasSize(1);
        pause[0] = 1_000;
        map.put(-1L, 1L);
        assertThat(lists.current()).isEmpty();
        pause[0] = 0;
        map.put(-1L, 2L);
        assertThat(map.get(-1L)).isEqualTo(2);
    }

    private interface Some<T> {
        T of(Random random);
    }

    /**
     * On the heap, and as wayward as they may be: what was read is gone at the next call, and what
     * has expired at any call.
     */
    private static final class Lists implements SerializedLists {

        private final Map<Integer, Map<Integer, byte[]>> ofKeys = new HashMap<>();
        private final Random random = new Random(1);
        private int key;
        private long version;
        private byte[] lent = new byte[0];
        private long appended;
        private long overwritten;
        private long replaced;

        /** By which entries expire, if they do. */
        private Lifetime lifetime = FOREVER;

        private EntryFormat expiring;
        private long time;

        /** Does what RocksDB's compaction filter does: drops what has expired from the front. */
        private void compact(Map<Integer, byte[]> ofKey, int number) {
            byte[] list = ofKey.get(number);
            int at = 0;
            while (at < list.length && lifetime.isExpired(EntryFormat.timeAt(list, at), time)) {
                at += expiring.length(list, at) + 1;
            }
            if (at >= list.length) {
                ofKey.remove(number);
            } else {
                ofKey.put(number, Arrays.copyOfRange(list, at, list.length));
            }
        }

        void compactAll() {
            ofKeys.values()
                    .forEach(
                            ofKey ->
                                    List.copyOf(ofKey.keySet())
                                            .forEach(number -> compact(ofKey, number)));
        }

        private void compactSomewhere() {
            if (!lifetime.isForever() && !current().isEmpty() && random.nextInt(3) == 0) {
                List<Integer> numbers = List.copyOf(current().keySet());
                compact(current(), numbers.get(random.nextInt(numbers.size())));
            }
        }

        void setKey(int next) {
            key = next;
            version++;
        }

        Map<Integer, byte[]> current() {
            return ofKeys.computeIfAbsent(key, any -> new TreeMap<>());
        }

        private void takeBack() {
            random.nextBytes(lent);
            compactSomewhere();
        }

        @Override
        public long keyVersion() {
            return version;
        }

        @Override
        public byte[] key(int number) {
            return new byte[] {(byte) key, (byte) (number >> 8), (byte) number};
        }

        @Override
        public boolean read(int number, SerializedList into) {
            takeBack();
            byte[] list = current().get(number);
            if (list == null) {
                return false;
            }
            int before = random.nextInt(10);
            lent = new byte[before + list.length + random.nextInt(10)];
            random.nextBytes(lent);
            System.arraycopy(list, 0, lent, before, list.length);
            into.set(lent, before, list.length);
            return true;
        }

        @Override
        public void append(int number, byte[] elements, int length) {
            takeBack();
            byte[] added = Arrays.copyOf(elements, length);
            current().merge(number, added, PackedMapTest::joined);
            appended += length;
        }

        @Override
        public boolean overwrite(int number, int listLength, int offset, byte[] bytes, int length) {
            takeBack();
            byte[] list = current().get(number);
            if (list == null || list.length != listLength) {
                return false;
            }
            System.arraycopy(bytes, 0, list, offset, length);
            overwritten += length;
            return true;
        }

        @Override
        public void replace(int number, byte[] list) {
            takeBack();
            current().put(number, list.clone());
            replaced += list.length;
        }

        @Override
        public void remove(int number) {
            takeBack();
            current().remove(number);
        }
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
