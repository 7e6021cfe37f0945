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
package io.stateaccel.rocksdb;

import static io.stateaccel.rocksdb.testing.BackendHarness.Make.ACCELERATED;
import static io.stateaccel.rocksdb.testing.BackendHarness.Make.HASHMAP;
import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.config.KindOverrides.Memtable;
import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.rocksdb.testing.BackendHarness;
import io.stateaccel.rocksdb.testing.RandomStates;
import io.stateaccel.rocksdb.testing.RandomStates.Keys;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Random changes of every kind of state, read in every way, against the hashmap backend. */
class StateEquivalenceTest {

    @TempDir private Path directory;

    /** Every layout with every memtable. */
    static Stream<Arguments> layouts() {
        return Arrays.stream(Memtable.values())
                .flatMap(
                        memtable ->
                                layoutsOfOneMemtable()
                                        .map(layout -> withMemtable(layout, memtable)));
    }

    @SuppressWarnings("unchecked")
    private static Arguments withMemtable(Arguments layout, Memtable memtable) {
        Object[] arguments = layout.get();
        Map<String, String> options = new HashMap<>((Map<String, String>) arguments[2]);
        options.putAll(BackendHarness.memtableOptions(memtable));
        return Arguments.of(arguments[0], arguments[1], options);
    }

    private static Stream<Arguments> layoutsOfOneMemtable() {
        Map<String, String> memtableOnly = Map.of();
        Map<String, String> flushed =
                Map.of(
                        "state.backend.rocksdb.writebuffer.size", "64kb",
                        "state.backend.rocksdb.compaction.level.target-file-size-base", "64kb",
                        "state.backend.rocksdb.compaction.level.max-size-level-base", "256kb");
        Map<String, String> unbounded =
                Map.of(
                        "state.backend.rocksdb.writebuffer.size", "64kb",
                        "state.backend.rocksdb.memory.managed", "false");
        Map<String, String> heapTimers =
                Map.of("state.backend.rocksdb.timer-service.factory", "HEAP");
        Map<String, String> uncached = new HashMap<>(flushed);
        uncached.put(StateAccelOptions.CACHE_SIZE.key(), "0");
        Map<String, String> unfiltered = new HashMap<>(flushed);
        unfiltered.put(StateAccelOptions.ROCKSDB_BLOOM_FILTER_BITS_PER_KEY.key(), "0");
        unfiltered.put(StateAccelOptions.CACHE_SIZE.key(), "4kb");
        Map<String, String> longValuesInBlobFiles = new HashMap<>(flushed);
        longValuesInBlobFiles.put(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE.key(), "60b");
        Map<String, String> allValuesInBlobFiles = new HashMap<>(flushed);
        allValuesInBlobFiles.put(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE.key(), "1b");
        return Stream.of(
                Arguments.of(Keys.FIXED_LENGTH, 128, memtableOnly),
                Arguments.of(Keys.FIXED_LENGTH, 300, flushed),
                Arguments.of(Keys.VARIABLE_LENGTH, 128, flushed),
                Arguments.of(Keys.VARIABLE_LENGTH, 300, memtableOnly),
                Arguments.of(Keys.VARIABLE_LENGTH, 300, unbounded),
                Arguments.of(Keys.VARIABLE_LENGTH, 128, heapTimers),
                Arguments.of(Keys.VARIABLE_LENGTH, 300, uncached),
                Arguments.of(Keys.VARIABLE_LENGTH, 128, unfiltered),
                Arguments.of(Keys.VARIABLE_LENGTH, 128, longValuesInBlobFiles),
                Arguments.of(Keys.FIXED_LENGTH, 300, allValuesInBlobFiles));
    }

    @ParameterizedTest
    @MethodSource("layouts")
    <K> void readsWhatTheHashmapBackendReads(
            Keys<K> keys, int maxParallelism, Map<String, String> options) throws Exception {
        long seed = System.nanoTime();
        System.out.println("StateEquivalenceTest seed " + seed);
        Configuration config = BackendHarness.config(directory, options);
        KeyGroupRange range = KeyGroupRange.of(0, maxParallelism - 1);
        AbstractKeyedStateBackend<K> accelerated =
                BackendHarness.open(
                        ACCELERATED.create(config),
                        keys.serializer(),
                        maxParallelism,
                        range,
                        List.of());
        AbstractKeyedStateBackend<K> reference =
                BackendHarness.open(
                        HASHMAP.create(config),
                        keys.serializer(),
                        maxParallelism,
                        range,
                        List.of());
        try {
            RandomStates<K> actual = new RandomStates<>(List.of(accelerated), keys);
            RandomStates<K> expected = new RandomStates<>(List.of(reference), keys);
            for (int round = 0; round < 3; round++) {
                actual.mutate(new Random(seed + round), 6_000);
                expected.mutate(new Random(seed + round), 6_000);
                SortedMap<String, String> contents = expected.dump();
                assertThat(contents).as("seed " + seed).hasSizeGreaterThan(500);
                assertThat(RandomStates.differences(actual.dump(), contents))
                        .as("seed " + seed)
                        .isEmpty();
            }
            actual.clearAll(RandomStates.MAP);
            actual.clearAll(RandomStates.LIST);
            expected.clearAll(RandomStates.MAP);
            expected.clearAll(RandomStates.LIST);
            assertThat(RandomStates.differences(actual.dump(), expected.dump()))
                    .as("seed " + seed)
                    .isEmpty();
        } finally {
            accelerated.dispose();
            reference.dispose();
        }
    }
}
