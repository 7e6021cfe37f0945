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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The table, the order in which entries leave it, and what it counts. */
class S3FifoCacheTest {

    private final MemoryMeter meter = new MemoryMeter();
    private final S3FifoCache cache = new S3FifoCache(meter);

    @Test
    void holdsWhatAMapHolds() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Map<Integer, byte[]> expected = new HashMap<>();
        for (int i = 0; i < 100_000; i++) {
            int key = random.nextInt(2_000);
            CacheEntry entry = find(key);
            assertThat(entry != null).as("seed " + seed).isEqualTo(expected.containsKey(key));
            byte[] value = new byte[random.nextInt(60)];
            random.nextBytes(value);
            if (random.nextInt(3) == 0) {
                CacheEntry victim = cache.evict();
                if (victim != null) {
                    assertThat(valueOf(victim)).isEqualTo(expected.remove(keyOf(victim)));
                    assertThat(victim.isCached()).isFalse();
                }
            } else if (entry == null) {
                cache.insert(bytes(key), hash(key), value, value.length);
                expected.put(key, value);
            } else {
                assertThat(valueOf(entry)).as("seed " + seed).isEqualTo(expected.get(key));
                S3FifoCache.use(entry);
                cache.setValue(entry, value, value.length);
                expected.put(key, value);
            }
            assertThat(cache.size()).isEqualTo(expected.size());
        }
        Set<Integer> visited = new HashSet<>();
        cache.forEach(entry -> visited.add(keyOf(entry)));
        assertThat(visited).isEqualTo(expected.keySet());
    }

    @Test
    void keysWithTheSameHashAreToldApart() {
        for (int key = 0; key < 100; key++) {
            cache.insert(bytes(key), 5, bytes(-key), Integer.BYTES);
        }
        for (int key = 0; key < 100; key++) {
            assertThat(valueOf(cache.find(bytes(key), 5))).isEqualTo(bytes(-key));
        }
        assertThat(cache.find(bytes(100), 5)).isNull();
    }

    @Test
    void aScanDoesNotPushOutWhatIsInUse() {
        for (int key = 0; key < 1_000; key++) {
            insert(key);
            S3FifoCache.use(find(key));
        }
        long limit = meter.bytes();
        for (int key = 1_000; key < 100_000; key++) {
            insert(key);
            while (meter.bytes() > limit) {
                cache.evict();
            }
        }
        long kept = 0;
        for (int key = 0; key < 1_000; key++) {
            kept += find(key) == null ? 0 : 1;
        }
        assertThat(kept).isGreaterThan(850);
    }

    @Test
    void aKeyThatComesBackSoonIsKeptLonger() {
        insert(1);
        assertThat(keyOf(cache.evict())).isEqualTo(1);
        insert(1);
        for (int key = 2; key < 10; key++) {
            insert(key);
        }
        List<Integer> order = new ArrayList<>();
        for (CacheEntry entry = cache.evict(); entry != null; entry = cache.evict()) {
            order.add(keyOf(entry));
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
            cache.evict();
        }
        assertThat(meter.bytes()).isBetween(full / 200, full / 50);
        int found = 0;
        for (int key = 0; key < 100_000; key++) {
            found += find(key) == null ? 0 : 1;
        }
        assertThat(found).isEqualTo(1_000);
        while (cache.evict() != null) {}
        assertThat(meter.bytes()).isEqualTo(empty).isEqualTo(cache.bytes());
    }

    @Test
    void givesAllMemoryBack() {
        long empty = meter.bytes();
        for (int key = 0; key < 10; key++) {
            insert(key);
            cache.setValue(find(key), new byte[1_000], 1_000);
            cache.setValue(find(key), new byte[0], CacheEntry.ABSENT);
            assertThat(find(key).isAbsent()).isTrue();
        }
        long absent = meter.bytes();
        assertThat(absent - empty)
                .isEqualTo(10L * (CacheEntry.OBJECT_BYTES + BytesOnHeap.byteArray(Integer.BYTES)));
        CacheEntry one = find(3);
        cache.clear();
        assertThat(meter.bytes()).isEqualTo(empty).isEqualTo(cache.bytes());
        assertThat(cache.size()).isZero();
        assertThat(one.isCached()).isFalse();
        assertThat(find(3)).isNull();
    }

    private void insert(int key) {
        cache.insert(bytes(key), hash(key), bytes(key), Integer.BYTES);
    }

    private CacheEntry find(int key) {
        return cache.find(bytes(key), hash(key));
    }

    private static int hash(int key) {
        return KeyHash.of(bytes(key));
    }

    private static byte[] bytes(int key) {
        return new byte[] {(byte) (key >> 24), (byte) (key >> 16), (byte) (key >> 8), (byte) key};
    }

    private static int keyOf(CacheEntry entry) {
        byte[] b = entry.bytes;
        return b[0] << 24 | (b[1] & 0xFF) << 16 | (b[2] & 0xFF) << 8 | b[3] & 0xFF;
    }

    private static byte[] valueOf(CacheEntry entry) {
        return Arrays.copyOfRange(
                entry.bytes, entry.keyLength, entry.keyLength + entry.valueLength);
    }
}
