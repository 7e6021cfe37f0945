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

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the random runs of {@link CachedMapStateTest} do not look at: memory, and what is known. */
class WholeMapsTest {

    private static final long MUCH = 1 << 20;

    private final MemoryMeter meter = new MemoryMeter();
    private final WholeMaps maps = new WholeMaps(meter);

    @Test
    void keysAreInTheOrderOfTheirUnsignedBytes() {
        maps.know(bytes("a"), List.of(), MUCH);
        WholeMaps.Keys keys = maps.find(bytes("a"));
        keys.added(new byte[] {'a', (byte) 0x80});
        keys.added(new byte[] {'a', 1});
        keys.added(new byte[] {'a', 1});
        assertThat(keys.all()).containsExactly(new byte[] {'a', 1}, new byte[] {'a', (byte) 0x80});
        assertThat(keys.contains(new byte[] {'a', 1})).isTrue();
        assertThat(keys.contains(new byte[] {'a', 2})).isFalse();
        keys.removed(new byte[] {'a', 1});
        keys.removed(new byte[] {'a', (byte) 0x80});
        assertThat(keys.isEmpty()).isTrue();
    }

    @Test
    void aMapThatGrowsIsNotKnownAnyMore() {
        maps.know(bytes("a"), keys("a", WholeMaps.MOST_KEYS), MUCH);
        long version = maps.version();
        maps.find(bytes("a")).added(bytes("a999"));
        assertThat(maps.find(bytes("a"))).isNull();
        assertThat(maps.version()).isNotEqualTo(version);
        assertThat(meter.bytes()).isZero();

        maps.know(bytes("a"), keys("a", WholeMaps.MOST_KEYS + 1), MUCH);
        assertThat(maps.find(bytes("a"))).isNull();
    }

    @Test
    void thoseThatAreUsedAreKnown() {
        maps.know(bytes("a"), keys("a", 2), MUCH);
        long ofOne = meter.bytes();
        assertThat(ofOne).isPositive();
        maps.know(bytes("b"), keys("b", 2), MUCH);
        maps.find(bytes("a"));
        maps.know(bytes("c"), keys("c", 2), 2 * ofOne);
        assertThat(maps.find(bytes("c"))).as("that came once").isNull();
        maps.know(bytes("c"), keys("c", 2), 2 * ofOne);
        assertThat(maps.find(bytes("a"))).isNotNull();
        assertThat(maps.find(bytes("b"))).isNull();
        assertThat(maps.find(bytes("c"))).as("that came again").isNotNull();
        assertThat(meter.bytes()).isEqualTo(2 * ofOne + bytesOfGhosts(4));

        maps.know(bytes("d"), List.of(), 1);
        assertThat(maps.isEmpty()).as("there is no room for one").isTrue();
        assertThat(meter.bytes()).isEqualTo(bytesOfGhosts(4));
    }

    @Test
    void aPassOverMoreThanThereIsRoomForLeavesThoseKnownThatAre() {
        maps.know(bytes("0"), List.of(), MUCH);
        long mostBytes = 100 * meter.bytes();
        for (int pass = 0; pass < 2; pass++) {
            for (int i = 0; i < 10_000; i++) {
                byte[] prefix = bytes(String.valueOf((char) i));
                if (maps.find(prefix) == null) {
                    maps.know(prefix, List.of(), mostBytes);
                }
            }
        }
        int known = 0;
        for (int i = 0; i < 100; i++) {
            known += maps.find(bytes(String.valueOf((char) i))) == null ? 0 : 1;
        }
        assertThat(known).isGreaterThan(80);
        assertThat(meter.bytes()).isLessThanOrEqualTo(mostBytes + bytesOfGhosts(128));
        maps.clear();
        assertThat(meter.bytes()).isZero();
    }

    private static long bytesOfGhosts(int count) {
        return (long) Integer.BYTES * count;
    }

    @Test
    void aMapKnownAnewTakesNoMoreMemory() {
        maps.know(bytes("a"), keys("a", 5), MUCH);
        maps.know(bytes("a"), keys("a", 2), MUCH);
        long known = meter.bytes();
        maps.find(bytes("a")).added(bytes("a7"));
        assertThat(meter.bytes()).isGreaterThan(known);
        maps.find(bytes("a")).removed(bytes("a7"));
        assertThat(meter.bytes()).isEqualTo(known);
        maps.clear();
        assertThat(meter.bytes()).isZero();
        assertThat(maps.find(bytes("a"))).isNull();
    }

    private static List<byte[]> keys(String prefix, int count) {
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            keys.add(bytes(prefix + String.format("%03d", i)));
        }
        return keys;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
