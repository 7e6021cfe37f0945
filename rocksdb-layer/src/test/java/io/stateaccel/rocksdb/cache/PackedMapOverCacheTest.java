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

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.rocksdb.StateAccelKeyedStateBackend;
import io.stateaccel.rocksdb.testing.BackendHarness;
import io.stateaccel.rocksdb.testing.BackendHarness.Make;
import io.stateaccel.rocksdb.testing.BackendHarness.Snapshot;
import io.stateaccel.views.distinct.PackedMap;
import io.stateaccel.views.distinct.PackedMaps;
import io.stateaccel.views.time.Lifetime;
import io.stateaccel.views.time.TimeToLive;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.ttl.MockTtlTimeProvider;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.typeutils.ExternalSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Packed maps over the state cache against plain maps: with room for all, for some and for next to
 * nothing, so that lists are evicted, come back and are bypassed; with snapshots, from which they
 * go on with and without the native library and, after a canonical savepoint, on other backends;
 * with entries that expire and compactions that drop them.
 */
class PackedMapOverCacheTest {

    private static final int RUNS = Integer.getInteger("stateaccel.cases", 4);
    private static final int KEYS = 6;

    @TempDir private Path directory;

    private final MockTtlTimeProvider time = new MockTtlTimeProvider();
    private AbstractKeyedStateBackend<Long> backend;
    private Lifetime lifetime = TimeToLive.FOREVER.by(time::currentTimestamp);
    private PackedMap<String, Long> packed;

    @ParameterizedTest
    @ValueSource(strings = {"20kb", "200kb", "64mb"})
    void sameAsPlainMaps(String cacheSize) throws Exception {
        Long replay = Long.getLong("stateaccel.seed");
        for (int run = 0; run < (replay == null ? RUNS : 1); run++) {
            long seed = replay == null ? System.nanoTime() : replay;
            try {
                run(cacheSize, new Random(seed));
            } catch (Exception | AssertionError e) {
                throw new AssertionError("cache " + cacheSize + ", -Dstateaccel.seed=" + seed, e);
            } finally {
                backend.dispose();
            }
        }
    }

    private void run(String cacheSize, Random random) throws Exception {
        SharedStateRegistryImpl registry = new SharedStateRegistryImpl();
        int[] ttls = {0, 300, 10_000};
        int ttl = ttls[random.nextInt(ttls.length)];
        lifetime = TimeToLive.ofMillis(ttl).by(time::currentTimestamp);
        time.setCurrentTimestamp(0);
        // With what they were put at, where they expire.
        Map<Long, Map<String, Long>> plain = new HashMap<>();
        for (long key = 0; key < KEYS; key++) {
            plain.put(key, new HashMap<>());
        }
        open(Make.ACCELERATED, cacheSize, List.of());
        int growing = 1;
        for (int step = 0; step < 30_000; step++) {
            long key = random.nextInt(random.nextBoolean() ? 1 : KEYS);
            backend.setCurrentKey(key);
            Map<String, Long> expected = plain.get(key);
            String value = "value " + random.nextInt(3_000);
            int pass = random.nextInt(8_000) == 0 ? random.nextInt(20_000) : random.nextInt(2);
            long now = time.currentTimestamp() + pass;
            time.setCurrentTimestamp(now);
            Long put = expected.get(value);
            assertThat(packed.get(value))
                    .isEqualTo(put == null || lifetime.isExpired(put) ? null : put);
            if (random.nextInt(8) >= growing) {
                packed.put(value, now);
                expected.put(value, now);
            } else {
                packed.remove(value);
                expected.remove(value);
            }
            if (random.nextInt(6_000) == 0) {
                packed.clear();
                expected.clear();
            }
            if (random.nextInt(6_000) == 0) {
                growing = random.nextInt(8);
            }
            if (random.nextInt(4_000) == 0) {
                snapshotAndPerhapsRestore(cacheSize, step, registry, random);
            }
            if (random.nextInt(2_000) == 0) {
                compact();
            }
        }
        for (long key = 0; key < KEYS; key++) {
            backend.setCurrentKey(key);
            Map<String, Long> found = new HashMap<>();
            for (Iterator<Map.Entry<String, Long>> all = packed.iterator(); all.hasNext(); ) {
                Map.Entry<String, Long> entry = all.next();
                found.put(entry.getKey(), entry.getValue());
            }
            plain.get(key).values().removeIf(lifetime::isExpired);
            assertThat(found).isEqualTo(plain.get(key));
            if (ttl == 0) {
                packed.clear();
            }
        }
        if (ttl > 0) {
            time.setCurrentTimestamp(time.currentTimestamp() + 2 * ttl);
            BackendHarness.take(Snapshot.CANONICAL_SAVEPOINT, 100_000, backend, registry);
            compact();
        }
        if (ttl == 0 || backend instanceof RocksDBKeyedStateBackend) {
            assertThat(backend.numKeyValueStateEntries()).as("TTL %d", ttl).isZero();
        }
    }

    /** Drops what has expired from files; what is in the cache only stays there. */
    private void compact() throws Exception {
        if (backend instanceof RocksDBKeyedStateBackend<Long> rocksdb) {
            rocksdb.compactState(new ListStateDescriptor<>("packed", Long.class));
        }
    }

    private void snapshotAndPerhapsRestore(
            String cacheSize, long checkpoint, SharedStateRegistryImpl registry, Random random)
            throws Exception {
        Snapshot kind =
                backend instanceof StateAccelKeyedStateBackend && random.nextBoolean()
                        ? Snapshot.INCREMENTAL_CHECKPOINT
                        : Snapshot.CANONICAL_SAVEPOINT;
        KeyedStateHandle handle = BackendHarness.take(kind, checkpoint, backend, registry);
        if (random.nextBoolean()) {
            backend.dispose();
            Make[] makes =
                    kind == Snapshot.CANONICAL_SAVEPOINT
                            ? new Make[] {
                                Make.ACCELERATED, Make.ACCELERATED_JAVA, Make.STOCK, Make.HASHMAP
                            }
                            : new Make[] {Make.ACCELERATED, Make.ACCELERATED_JAVA};
            open(
                    makes[random.nextInt(makes.length)],
                    cacheSize,
                    Stream.ofNullable(handle).toList());
        }
    }

    private void open(Make make, String cacheSize, List<KeyedStateHandle> handles)
            throws Exception {
        Map<String, String> options = Map.of(StateAccelOptions.CACHE_SIZE.key(), cacheSize);
        backend =
                BackendHarness.open(
                        make.create(
                                BackendHarness.incremental(
                                        BackendHarness.config(directory, options), true)),
                        LongSerializer.INSTANCE,
                        128,
                        KeyGroupRange.of(0, 127),
                        handles,
                        time,
                        new UnregisteredMetricsGroup());
        packed =
                PackedMaps.open(
                        backend,
                        "packed",
                        ExternalSerializer.<StringData, String>of(DataTypes.STRING()),
                        LongSerializer.INSTANCE,
                        lifetime);
    }

    /** A checkpoint writes what was added since the last one, and not the lists. */
    @Test
    void whatIsWrittenIsWhatWasAdded() throws Exception {
        open(Make.ACCELERATED, "64mb", List.of());
        backend.setCurrentKey(1L);
        for (int i = 0; i < 100; i++) {
            packed.put("value " + i, 1L);
        }
        StateAccelKeyedStateBackend<Long> ours = (StateAccelKeyedStateBackend<Long>) backend;
        assertThat(dirtyBytes(ours)).isBetween(1_500L, 3_000L);
        BackendHarness.take(
                Snapshot.INCREMENTAL_CHECKPOINT, 1, backend, new SharedStateRegistryImpl());
        assertThat(dirtyBytes(ours)).isZero();

        packed.put("one more", 1L);
        assertThat(dirtyBytes(ours)).isBetween(1L, 100L);
        packed.put("value 5", 2L);
        assertThat(dirtyBytes(ours)).as("all of it, as it is no addition").isGreaterThan(1_500L);
        backend.dispose();
    }

    private static long dirtyBytes(StateAccelKeyedStateBackend<Long> backend) {
        return backend.cacheStatistics("packed").orElseThrow().dirtyBytes();
    }
}
