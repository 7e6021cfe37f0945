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

import io.stateaccel.views.batch.SerializedLists;
import io.stateaccel.views.time.Lifetime;
import io.stateaccel.views.time.TimeToLive;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Period;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.runtime.typeutils.ExternalSerializer;
import org.apache.flink.table.types.DataType;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;

/** What packed maps store and write; {@link PackedMapModelTest} has what they hold. */
class PackedMapTest {

    private static final TypeSerializer<Long[]> LONGS =
            ExternalSerializer.<ArrayData, Long[]>of(DataTypes.ARRAY(DataTypes.BIGINT()));

    private static final Lifetime FOREVER = TimeToLive.FOREVER.by(() -> 0);

    private static final Runnable NO_CLEANUP = () -> {};

    private final WaywardLists lists = new WaywardLists();

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

    /** What a serialiser writes, and not what its type is thought to be like, is what counts. */
    @Test
    void keysTellWhereTheyEnd() throws Exception {
        Map<DataType, Object> examples = new LinkedHashMap<>();
        examples.put(DataTypes.BOOLEAN(), true);
        examples.put(DataTypes.TINYINT(), (byte) 7);
        examples.put(DataTypes.SMALLINT(), (short) 700);
        examples.put(DataTypes.INT(), 70_000);
        examples.put(DataTypes.BIGINT(), 7L << 40);
        examples.put(DataTypes.FLOAT(), 0.7f);
        examples.put(DataTypes.DOUBLE(), 0.7);
        examples.put(DataTypes.DATE(), LocalDate.of(2026, 11, 28));
        examples.put(DataTypes.TIME(3), LocalTime.of(7, 7));
        examples.put(DataTypes.TIMESTAMP(3), LocalDateTime.of(2026, 11, 28, 7, 7));
        examples.put(DataTypes.TIMESTAMP(9), LocalDateTime.of(2026, 11, 28, 7, 7, 7, 7));
        examples.put(DataTypes.TIMESTAMP_LTZ(3), Instant.ofEpochMilli(7));
        examples.put(DataTypes.TIMESTAMP_LTZ(9), Instant.ofEpochSecond(7, 7));
        examples.put(DataTypes.INTERVAL(DataTypes.MONTH()), Period.ofMonths(7));
        examples.put(DataTypes.INTERVAL(DataTypes.SECOND(3)), Duration.ofMillis(7));
        examples.put(DataTypes.DECIMAL(1, 0), new BigDecimal("7"));
        examples.put(DataTypes.DECIMAL(18, 2), new BigDecimal("-70000000.07"));
        examples.put(DataTypes.DECIMAL(19, 2), new BigDecimal("70000000.07"));
        examples.put(DataTypes.CHAR(4), "four");
        examples.put(DataTypes.STRING(), "sieben \u00fc");
        examples.put(DataTypes.BINARY(3), new byte[] {7, 7, 7});
        examples.put(DataTypes.BYTES(), new byte[7]);
        examples.put(DataTypes.ARRAY(DataTypes.STRING()), new String[] {"seven", null});
        examples.put(
                DataTypes.ROW(DataTypes.DECIMAL(5, 1), DataTypes.STRING()),
                Row.of(new BigDecimal("0.7"), "seven, and some more"));
        for (Map.Entry<DataType, Object> example : examples.entrySet()) {
            TypeSerializer<Object> keys = ExternalSerializer.of(example.getKey());
            DataOutputSerializer written = new DataOutputSerializer(64);
            keys.serialize(example.getValue(), written);
            EntryFormat format = EntryFormat.of(keys, LongSerializer.INSTANCE, false).orElseThrow();
            int length = written.length();
            written.writeLong(7);
            byte[] entry = written.getCopyOfBuffer();
            assertThat(format.keyLength(entry, 0)).as("%s", example).isEqualTo(length);
            assertThat(format.length(entry, 0)).as("%s", example).isEqualTo(entry.length);
        }
    }

    private static boolean mayBeOf(DataType keys, DataType values) {
        return PackedMaps.mayBeOf(ExternalSerializer.of(keys), ExternalSerializer.of(values));
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
        assertThat(lists.current().get(1)).isEqualTo(WaywardLists.joined(entry1, entry3));

        for (long key = 4; key < 260; key++) {
            map.put(key, 0L);
        }
        assertThat(lists.current().get(1)).isEqualTo(WaywardLists.joined(entry1, entry1));
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
}
