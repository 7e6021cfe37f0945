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
import io.stateaccel.views.aggregate.CachedAccumulators;
import io.stateaccel.views.time.AgedValue;
import io.stateaccel.views.time.Lifetime;
import io.stateaccel.views.time.TimeToLive;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The group aggregate's own cache above the backend's, against a plain map, with and without a time
 * to live.
 */
class CachedAccumulatorsOverCacheTest {

    private static final int ROUNDS = 20;
    private static final int OPERATIONS = 1_000;
    private static final int KEYS = 300;
    private static final TimeToLive TTL = TimeToLive.ofMillis(2_000);

    @TempDir private Path directory;

    private final RowDataSerializer serializer = new RowDataSerializer(new BigIntType());
    private final SharedStateRegistry registry = new SharedStateRegistryImpl();

    private AbstractKeyedStateBackend<RowData> backend;
    private CachedAccumulators accumulators;
    private TimeToLive ttl = TimeToLive.FOREVER;
    private long now = 1_000_000;

    @ParameterizedTest
    @CsvSource({
        "0, 16kb, false",
        "5000, 2kb, false",
        "5000, 16kb, false",
        "5000, 16mb, false",
        "16000000, 2kb, false",
        "5000, 0, false",
        "0, 16kb, true",
        "5000, 2kb, true",
        "5000, 16mb, true",
        "16000000, 2kb, true",
        "5000, 0, true"
    })
    void behavesLikeAMap(long upperBytes, String cacheSize, boolean expires) throws Exception {
        ttl = expires ? TTL : TimeToLive.FOREVER;
        Lifetime lifetime = ttl.by(() -> now);
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Map<Long, Long> expected = new HashMap<>();
        Map<Long, Long> lastWrites = new HashMap<>();
        List<KeyedStateHandle> handles = List.of();
        for (int round = 0; round < ROUNDS; round++) {
            String as = "seed " + seed + ", round " + round;
            open(round % 3 == 2 ? Make.STOCK : Make.ACCELERATED, upperBytes, cacheSize, handles);
            for (int i = 0; i < OPERATIONS; i++) {
                long key = random.nextInt(random.nextBoolean() ? KEYS / 20 : KEYS);
                now += random.nextInt(3);
                if (lastWrites.containsKey(key) && lifetime.isExpired(lastWrites.get(key))) {
                    expected.remove(key);
                }
                RowData stored = accumulators.get(row(key));
                assertThat(stored == null ? null : (Long) stored.getLong(0))
                        .as(as)
                        .isEqualTo(expected.get(key));
                if (random.nextInt(5) == 0) {
                    accumulators.remove(row(key));
                    expected.remove(key);
                } else {
                    accumulators.put(row(key), GenericRowData.of((long) i), now);
                    expected.put(key, (long) i);
                    lastWrites.put(key, now);
                }
            }
            accumulators.writeBack();
            Snapshot kind = Snapshot.values()[random.nextInt(Snapshot.values().length)];
            handles = List.of(BackendHarness.take(kind, round + 1, backend, registry));
            backend.dispose();
        }
    }

    /** What leaves the upper cache is found in the lower one and written in its batches. */
    @ParameterizedTest
    @CsvSource("5000")
    void theLowerCacheIsASecondLevel(long upperBytes) throws Exception {
        open(Make.ACCELERATED, upperBytes, "16mb", List.of());
        for (int round = 0; round < 10; round++) {
            for (long key = 0; key < KEYS; key++) {
                accumulators.get(row(key));
                accumulators.put(row(key), GenericRowData.of(key + round), now);
            }
        }
        StateCacheStatistics did =
                ((StateAccelKeyedStateBackend<?>) backend)
                        .cacheStatistics("accState")
                        .orElseThrow();
        assertThat(did.reads() - did.readHits()).isEqualTo(KEYS);
        assertThat(did.writtenBack()).isZero();
        backend.dispose();
    }

    private void open(Make make, long upperBytes, String cacheSize, List<KeyedStateHandle> handles)
            throws Exception {
        backend =
                BackendHarness.open(
                        make.create(
                                BackendHarness.incremental(
                                        BackendHarness.config(
                                                directory,
                                                Map.of(
                                                        StateAccelOptions.CACHE_SIZE.key(),
                                                        cacheSize)),
                                        true)),
                        serializer,
                        16,
                        KeyGroupRange.of(0, 15),
                        handles,
                        () -> now,
                        new UnregisteredMetricsGroup());
        Lifetime lifetime = ttl.by(() -> now);
        AgedValue<VoidNamespace, RowData> state =
                AgedValue.open(
                        backend,
                        VoidNamespaceSerializer.INSTANCE,
                        "accState",
                        serializer,
                        lifetime);
        state.setCurrentNamespace(VoidNamespace.INSTANCE);
        accumulators =
                new CachedAccumulators(
                        state, serializer, backend::setCurrentKey, lifetime, upperBytes);
    }

    private BinaryRowData row(long key) {
        return serializer.toBinaryRow(GenericRowData.of(key)).copy();
    }
}
