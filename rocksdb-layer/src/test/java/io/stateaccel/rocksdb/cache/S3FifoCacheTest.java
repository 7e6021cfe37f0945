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
package io.stateaccel.rocksdb.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.views.batch.KeyHash;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The table, the order in which entries leave it, and what it counts. */
class S3FifoCacheTest {

    private final MemoryMeter meter = new MemoryMeter();
    private final S3FifoCache cache = new S3FifoCache(meter);

    /** All that can be done to a cache, in any order, with short and long values. */
    @Test
    void holdsWhatAMapHolds() {
        for (int run = 0; run < 20; run++) {
            long seed = System.nanoTime();
            try {
                holdsWhatAMapHolds(new Random(seed));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        cache.clear();
        assertThat(meter.bytes()).isEqualTo(new S3FifoCache(new MemoryMeter()).bytes());
    }

    private void holdsWhatAMapHolds(Random random) {
        cache.clear();
        Map<Integer, byte[]> expected = new HashMap<>();
        Set<Integer> dirty = new LinkedHashSet<>();
        int keys = 1 + random.nextInt(3_000);
        int evictions = 1 + random.nextInt(5);
        for (int i = 0; i < 20_000; i++) {
            int key = random.nextInt(keys);
            int entry = find(key);
            assertThat(entry != EntryRecords.NONE).isEqualTo(expected.containsKey(key));
            byte[] value = random.nextInt(5) == 0 ? null : new byte[lengthOfValue(random)];
            if (value != null) {
                random.nextBytes(value);
            }
            // Now more is put in than comes out, now the other way round.
            boolean shrinks = i / 5_000 % 2 == 1;
            if (random.nextInt(shrinks ? 2 : 6) == 0) {
                evict(random.nextInt(evictions) + 1, expected, dirty);
            } else if (entry != EntryRecords.NONE && random.nextInt(20) == 0) {
                cache.remove(entry);
                expected.remove(key);
                dirty.remove(key);
            } else if (entry == EntryRecords.NONE) {
                entry = cache.insert(bytes(key), hash(key), value, lengthOf(value));
                assertThat(cache.isDirty(entry)).isFalse();
                expected.put(key, value);
            } else {
                assertThat(valueOf(entry)).isEqualTo(expected.get(key));
                assertThat(cache.isDirty(entry)).isEqualTo(dirty.contains(key));
                cache.use(entry);
                cache.setValue(entry, value, lengthOf(value));
                expected.put(key, value);
                if (random.nextBoolean()) {
                    cache.markDirty(entry);
                    dirty.remove(key);
                    dirty.add(key);
                } else if (random.nextInt(4) == 0) {
                    cache.markClean(entry);
                    dirty.remove(key);
                }
            }
            if (random.nextInt(4_000) == 0) {
                writeAll(dirty);
                cache.retain(hash -> (hash & 3) == 0);
                expected.keySet().removeIf(other -> (hash(other) & 3) != 0);
            }
            assertThat(cache.size()).isEqualTo(expected.size());
            assertThat(cache.bytes()).isEqualTo(meter.bytes());
        }
        assertThat(cache.dirtyBytes())
                .isEqualTo(
                        dirty.stream()
                                .mapToLong(
                                        key ->
                                                Integer.BYTES
                                                        + Math.max(0, lengthOf(expected.get(key))))
                                .sum());
        writeAll(dirty);
        assertThat(cache.dirtyBytes()).isZero();
        for (int key = 0; key < keys; key++) {
            int entry = find(key);
            assertThat(entry != EntryRecords.NONE).isEqualTo(expected.containsKey(key));
            if (entry != EntryRecords.NONE) {
                assertThat(valueOf(entry)).isEqualTo(expected.get(key));
            }
        }
    }

    private static int lengthOfValue(Random random) {
        int kind = random.nextInt(100);
        return random.nextInt(kind == 0 ? 100_000 : kind < 10 ? 2_000 : 60);
    }

    private void evict(int entries, Map<Integer, byte[]> expected, Set<Integer> dirty) {
        for (int i = 0; i < entries; i++) {
            int victim = cache.victim();
            if (victim == EntryRecords.NONE) {
                assertThat(expected).isEmpty();
                return;
            }
            int key = keyOf(victim);
            assertThat(cache.isDirty(victim)).isEqualTo(dirty.remove(key));
            assertThat(valueOf(victim)).isEqualTo(expected.remove(key));
            cache.markClean(victim);
            cache.removeVictim(victim);
        }
    }

    /** In the order in which they were written. */
    private void writeAll(Set<Integer> dirty) {
        for (int key : dirty) {
            assertThat(keyOf(cache.oldestDirty())).isEqualTo(key);
            cache.markClean(cache.oldestDirty());
        }
        assertThat(cache.oldestDirty()).isEqualTo(EntryRecords.NONE);
        dirty.clear();
    }

    @Test
    void keysWithTheSameHashAreToldApart() {
        for (int key = 0; key < 100; key++) {
            cache.insert(bytes(key), 5, bytes(-key), Integer.BYTES);
        }
        for (int key = 0; key < 100; key++) {
            assertThat(valueOf(cache.find(bytes(key), 5))).isEqualTo(bytes(-key));
        }
        assertThat(cache.find(bytes(100), 5)).isEqualTo(EntryRecords.NONE);
    }

    @Test
    void aScanDoesNotPushOutWhatIsInUse() {
        for (int key = 0; key < 1_000; key++) {
            insert(key);
            cache.use(find(key));
        }
        long limit = meter.bytes();
        for (int key = 1_000; key < 100_000; key++) {
            insert(key);
            while (meter.bytes() > limit) {
                cache.removeVictim(cache.victim());
            }
        }
        long kept = 0;
        for (int key = 0; key < 1_000; key++) {
            kept += find(key) == EntryRecords.NONE ? 0 : 1;
        }
        assertThat(kept).isGreaterThan(850);
    }

    @Test
    void aKeyThatComesBackSoonIsKeptLonger() {
        insert(1);
        assertThat(evicted()).isEqualTo(1);
        insert(1);
        for (int key = 2; key < 10; key++) {
            insert(key);
        }
        List<Integer> order = new ArrayList<>();
        while (cache.size() > 0) {
            order.add(evicted());
        }
        assertThat(order).containsExactly(2, 3, 4, 5, 6, 7, 8, 9, 1);
    }

    @Test
    void theTableShrinksWithItsEntries() {
        long empty = meter.bytes();
        for (int key = 0; key < 100_000; key++) {
            insert(key);
        }
        long full = meter.bytes();
        while (cache.size() > 1_000) {
            evicted();
        }
        assertThat(meter.bytes()).isBetween(full / 200, full / 50);
        int found = 0;
        for (int key = 0; key < 100_000; key++) {
            found += find(key) == EntryRecords.NONE ? 0 : 1;
        }
        assertThat(found).isEqualTo(1_000);
        while (cache.size() > 0) {
            evicted();
        }
        assertThat(cache.victim()).isEqualTo(EntryRecords.NONE);
        assertThat(meter.bytes()).isEqualTo(empty).isEqualTo(cache.bytes());
    }

    @Test
    void givesAllMemoryBack() {
        long empty = meter.bytes();
        for (int key = 0; key < 10; key++) {
            insert(key);
            cache.setValue(find(key), new byte[100_000], 100_000);
        }
        assertThat(meter.bytes() - empty).isGreaterThan(1_000_000);
        for (int key = 0; key < 10; key++) {
            cache.setValue(find(key), new byte[0], CachedValue.ABSENT);
            assertThat(cache.isAbsent(find(key))).isTrue();
        }
        // The chunk in which the keys are now.
        assertThat(meter.bytes() - empty).isLessThan(40_000);
        cache.markDirty(find(3));
        cache.clear();
        assertThat(meter.bytes()).isEqualTo(empty).isEqualTo(cache.bytes());
        assertThat(cache.size()).isZero();
        assertThat(cache.oldestDirty()).isEqualTo(EntryRecords.NONE);
        assertThat(find(3)).isEqualTo(EntryRecords.NONE);
    }

    /** Else a state of values that grow would fill the memory with room that is not used. */
    @Test
    void gapsOfValuesThatGrewLeaveFirst() {
        insert(1);
        for (int length = 1; length < 10_000; length++) {
            cache.setValue(find(1), new byte[length], length);
        }
        for (int key = 2; key < 12; key++) {
            insert(key);
        }
        long full = meter.bytes();
        assertThat(evicted()).isEqualTo(1);
        assertThat(meter.bytes()).isLessThan(full / 4);
        assertThat(cache.size()).isEqualTo(10);
    }

    /** The entry that was given up. */
    private int evicted() {
        int victim = cache.victim();
        int key = keyOf(victim);
        cache.removeVictim(victim);
        return key;
    }

    private void insert(int key) {
        cache.insert(bytes(key), hash(key), bytes(key), Integer.BYTES);
    }

    private int find(int key) {
        return cache.find(bytes(key), hash(key));
    }

    private static int hash(int key) {
        return KeyHash.of(bytes(key));
    }

    private static byte[] bytes(int key) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(key).array();
    }

    private int keyOf(int entry) {
        return ByteBuffer.wrap(cache.content(entry)).getInt(cache.contentOffset(entry));
    }

    private byte[] valueOf(int entry) {
        if (cache.isAbsent(entry)) {
            return null;
        }
        int offset = cache.contentOffset(entry) + cache.keyLength(entry);
        return Arrays.copyOfRange(cache.content(entry), offset, offset + cache.valueLength(entry));
    }

    private static int lengthOf(byte[] value) {
        return value == null ? CachedValue.ABSENT : value.length;
    }
}
