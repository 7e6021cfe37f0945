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
import java.lang.management.ManagementFactory;
import java.util.Random;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the cache counts is what the JVM's heap holds. */
class CacheFootprintTest {

    private static final long BUDGET = 128L << 20;

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 100, 1_500, 200_000})
    void countsWhatTheHeapHolds(int valueLength) throws InterruptedException {
        Random random = new Random(1);
        byte[] key = new byte[21];
        byte[] value = new byte[valueLength];
        MemoryMeter meter = new MemoryMeter();

        long before = usedHeap();
        S3FifoCache cache = new S3FifoCache(meter);
        for (int i = 0; i < 4 * BUDGET / (valueLength + 150); i++) {
            random.nextBytes(key);
            int entry = cache.insert(key, KeyHash.of(key), value, valueLength / 2);
            cache.setValue(entry, value, valueLength);
            while (meter.bytes() > BUDGET) {
                cache.removeVictim(cache.victim());
            }
        }
        long used = usedHeap() - before;

        assertThat(meter.bytes()).isEqualTo(cache.bytes()).isGreaterThan(BUDGET / 2);
        // G1 leaves the end of a region empty where the next large array does not fit.
        int tolerance = valueLength > 100_000 ? 6 : 3;
        assertThat(used).isCloseTo(cache.bytes(), Percentage.withPercentage(tolerance));
        assertThat(cache.size()).isPositive();
    }

    /** What is used when nothing more can be freed, not even what other tests have left behind. */
    private static long usedHeap() throws InterruptedException {
        long before;
        long used = Long.MAX_VALUE;
        do {
            before = used;
            // Twice: what the first one finds unreachable may keep other objects alive.
            System.gc();
            System.gc();
            Thread.sleep(10);
            used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        } while (used < before - (64 << 10));
        return used;
    }
}
