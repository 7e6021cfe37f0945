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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.rocksdb.StateAccelKeyedStateBackend;
import io.stateaccel.rocksdb.testing.BackendHarness;
import io.stateaccel.rocksdb.testing.BackendHarness.Make;
import io.stateaccel.rocksdb.testing.BackendHarness.Snapshot;
import io.stateaccel.rocksdb.testing.LogCollector;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.tuple.Tuple1;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.state.ttl.TtlStateFactory;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.runtime.state.ttl.TtlValue;
import org.apache.flink.runtime.testutils.statemigration.TestType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What reaches RocksDB and when, which no result can show. */
class CachedStateTest {

    private static final ValueStateDescriptor<String> STATE =
            new ValueStateDescriptor<>("state", StringSerializer.INSTANCE);

    @TempDir private Path directory;

    private StateAccelKeyedStateBackend<Long> backend;
    private ValueState<String> state;

    @AfterEach
    void close() {
        backend.dispose();
    }

    @Test
    void repeatedReadsAndWritesStayInTheCache() throws Exception {
        open("1mb");
        for (int round = 0; round < 10; round++) {
            for (long key = 0; key < 100; key++) {
                backend.setCurrentKey(key);
                assertThat(state.value()).isEqualTo(round == 0 ? null : "v" + (round - 1));
                state.update("v" + round);
            }
        }
        StateCacheStatistics did = statistics();
        assertThat(did.reads()).isEqualTo(1_000);
        assertThat(did.readHits()).isEqualTo(900);
        assertThat(did.writes()).isEqualTo(1_000);
        assertThat(did.coalescedWrites()).isEqualTo(900);
        assertThat(did.writtenBack()).isZero();
        assertThat(did.evictions()).isZero();
        assertThat(did.entries()).isEqualTo(100);
    }

    @ParameterizedTest
    @EnumSource(Snapshot.class)
    void everySnapshotWritesBackWhatHasChangedSinceTheLast(Snapshot kind) throws Exception {
        open("1mb");
        fill(0, 100);
        BackendHarness.take(kind, 1, backend, new SharedStateRegistryImpl());
        assertThat(statistics().writtenBack()).isEqualTo(100);
        fill(50, 60);
        BackendHarness.take(kind, 2, backend, new SharedStateRegistryImpl());
        assertThat(statistics().writtenBack()).isEqualTo(110);
        assertThat(statistics().entries()).isEqualTo(100);
        BackendHarness.take(kind, 3, backend, new SharedStateRegistryImpl());
        assertThat(statistics().writtenBack()).isEqualTo(110);
    }

    @Test
    void whatIsRemovedBeforeItWasWrittenNeverReachesRocksDb() throws Exception {
        open("1mb");
        for (long key = 0; key < 100; key++) {
            backend.setCurrentKey(key);
            assertThat(state.value()).isNull();
            state.update("short-lived");
            state.clear();
            assertThat(state.value()).isNull();
        }
        assertThat(backend.numKeyValueStateEntries()).isZero();
        assertThat(statistics().writtenBack()).isZero();
    }

    @Test
    void whatRocksDbMayHoldIsRemovedThere() throws Exception {
        open("1mb");
        fill(0, 10);
        assertThat(backend.numKeyValueStateEntries()).isEqualTo(10);
        for (long key = 0; key < 10; key++) {
            backend.setCurrentKey(key);
            state.clear();
        }
        assertThat(backend.numKeyValueStateEntries()).isZero();
        assertThat(statistics().writtenBack()).isEqualTo(20);
    }

    @Test
    void evictsWithinTheBudget() throws Exception {
        open("64kb");
        fill(0, 10_000);
        assertThat(statistics().bytes()).isLessThanOrEqualTo(64 << 10);
        assertThat(statistics().evictions()).isGreaterThan(9_000);
        for (long key = 0; key < 10_000; key++) {
            backend.setCurrentKey(key);
            assertThat(state.value()).isEqualTo("v" + key);
        }
    }

    @Test
    void boundsWhatWaitsToBeWritten() throws Exception {
        open("256mb");
        String large = "x".repeat(100_000);
        for (long key = 0; key < 500; key++) {
            backend.setCurrentKey(key);
            state.update(large);
        }
        assertThat(statistics().evictions()).isZero();
        assertThat(statistics().writtenBack()).isBetween(330L, 345L);
    }

    @Test
    void aValueThatWouldPushOutTheRestIsNotCached() throws Exception {
        open("100kb");
        fill(0, 100);
        String large = "x".repeat(60_000);
        backend.setCurrentKey(1_000L);
        state.update(large);
        assertThat(state.value()).isEqualTo(large);
        assertThat(statistics().entries()).isEqualTo(100);
        assertThat(statistics().evictions()).isZero();
        state.clear();
        assertThat(state.value()).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aValueThatGrowsUntilItWouldPushOutTheRestIsNoLongerCached(boolean afterRead)
            throws Exception {
        open("100kb");
        fill(0, 100);
        String large = "x".repeat(60_000);
        backend.setCurrentKey(50L);
        if (afterRead) {
            assertThat(state.value()).isEqualTo("v50");
        }
        state.update(large);
        assertThat(state.value()).isEqualTo(large);
        assertThat(statistics().entries()).isEqualTo(99);
        assertThat(statistics().evictions()).isZero();
        state.update("small");
        assertThat(state.value()).isEqualTo("small");
        assertThat(statistics().entries()).isEqualTo(100);
        assertThat(backend.numKeyValueStateEntries()).isEqualTo(100);
    }

    @Test
    void stepsAsideForKeysThatDoNotComeBackAndReturnsForThoseThatDo() throws Exception {
        LogCollector log =
                new LogCollector(
                        "io.stateaccel.rocksdb.cache.SlotCacheBudget",
                        "io.stateaccel.rocksdb.cache.SubTaskCache",
                        "io.stateaccel.rocksdb.cache.StateCache");
        try {
            open("256kb");
            fill(0, 100_000);
            assertThat(statistics().bypassed()).isTrue();
            assertThat(statistics().bytes()).isLessThan(16 << 10);

            Random random = new Random(1);
            Map<Long, String> expected = new HashMap<>();
            long coldHits = statistics().readHits();
            for (int i = 0; i < 300_000; i++) {
                long key = 1_000_000 + random.nextInt(500);
                backend.setCurrentKey(key);
                assertThat(state.value()).isEqualTo(expected.get(key));
                state.update("n" + i);
                expected.put(key, "n" + i);
            }
            assertThat(statistics().bypassed()).isFalse();
            assertThat(statistics().readHits() - coldHits).isGreaterThan(150_000);
            fill(99_000, 100_000);
            for (long key = 0; key < 100_000; key += 7) {
                backend.setCurrentKey(key);
                assertThat(state.value()).isEqualTo("v" + key);
            }
        } finally {
            log.close();
        }
        assertThat(log.lines())
                .contains(
                        "[state-accel] cache of sub-task 'operator': 256 kb, its part of the"
                                + " slot's 256 kb among 1 sub-tasks",
                        "[state-accel] state 'state': cached, with at least 256 kb of the"
                                + " sub-task's 256 kb")
                .anyMatch(line -> line.startsWith("[state-accel] cache of the task manager: "))
                .anyMatch(line -> line.startsWith("[state-accel] state 'state': cache bypassed"))
                .anyMatch(line -> line.startsWith("[state-accel] state 'state': cache is back"));
    }

    /** Points of a map of any size are cached; who goes through it leaves the cache as it was. */
    @Test
    void holdsPointsOfALargeMapWithinTheBudget() throws Exception {
        final long size = 300_000;
        final long frequent = 100;
        open("256kb");
        MapState<Long, Long> map =
                backend.getPartitionedState(
                        VoidNamespace.INSTANCE,
                        VoidNamespaceSerializer.INSTANCE,
                        new MapStateDescriptor<>(
                                "map", LongSerializer.INSTANCE, LongSerializer.INSTANCE));
        backend.setCurrentKey(1L);
        for (long i = 0; i < size; i++) {
            map.put(i, i);
            map.put(i % frequent, i);
        }
        StateCacheStatistics filled = backend.cacheStatistics("map").orElseThrow();
        assertThat(filled.bytes()).isLessThanOrEqualTo(256 << 10);
        assertThat(filled.coalescedWrites()).isGreaterThan(size * 9 / 10);

        long next = 0;
        for (Map.Entry<Long, Long> entry : map.entries()) {
            assertThat(entry.getKey()).isEqualTo(next);
            assertThat(entry.getValue()).isEqualTo(next < frequent ? size - frequent + next : next);
            next++;
        }
        assertThat(next).isEqualTo(size);
        StateCacheStatistics passed = backend.cacheStatistics("map").orElseThrow();
        assertThat(passed.dirtyBytes()).isZero();
        assertThat(passed.entries()).isEqualTo(filled.entries());
        assertThat(passed.evictions()).isEqualTo(filled.evictions());
        assertThat(passed.reads()).isEqualTo(filled.reads());

        for (long i = 0; i < frequent; i++) {
            assertThat(map.get(i)).isEqualTo(size - frequent + i);
        }
        assertThat(backend.cacheStatistics("map").orElseThrow().readHits())
                .isGreaterThanOrEqualTo(passed.readHits() + frequent * 9 / 10);

        map.clear();
        assertThat(map.isEmpty()).isTrue();
        assertThat(map.get(size - 1)).isNull();
        map.put(7L, 7L);
        assertThat(map.keys()).containsExactly(7L);
        assertThat(backend.numKeyValueStateEntries()).isEqualTo(1);
    }

    @Test
    void sizeZeroReturnsFlinksOwnState() throws Exception {
        open("0");
        assertThat(state.getClass().getSimpleName()).isEqualTo("RocksDBValueState");
        assertThat(backend.cacheStatistics("state")).isEmpty();
    }

    @Test
    void queryableStateIsNotCached() throws Exception {
        open("1mb");
        ValueStateDescriptor<String> queryable =
                new ValueStateDescriptor<>("queryable", StringSerializer.INSTANCE);
        makeQueryable(queryable);
        ValueState<String> plain =
                backend.getPartitionedState(
                        VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, queryable);
        assertThat(plain.getClass().getSimpleName()).isEqualTo("RocksDBValueState");
        assertThat(backend.cacheStatistics("queryable")).isEmpty();
        assertThat(backend.cacheStatistics("state")).isPresent();
    }

    /** As when a changelog was restored before the program asks for its state. */
    @Test
    void migratesWhatHasNotYetBeenWritten() throws Exception {
        open("1mb");
        ValueStateDescriptor<TestType> before =
                new ValueStateDescriptor<>("migrated", new TestType.V1TestTypeSerializer());
        ValueStateDescriptor<TestType> after =
                new ValueStateDescriptor<>("migrated", new TestType.V2TestTypeSerializer());
        InternalValueState<Long, VoidNamespace, TestType> migrated = register(before);
        for (int key = 0; key < 100; key++) {
            backend.setCurrentKey((long) key);
            migrated.update(new TestType("v" + key, key));
        }
        backend.setCurrentKey(100L);
        assertThat(migrated.value()).isNull();

        assertThat((Object) register(after)).isSameAs(migrated);
        for (int key = 0; key < 100; key++) {
            backend.setCurrentKey((long) key);
            assertThat(migrated.value()).isEqualTo(new TestType("v" + key, key));
            migrated.update(new TestType("w" + key, key));
            assertThat(migrated.value()).isEqualTo(new TestType("w" + key, key));
        }
        backend.setCurrentKey(100L);
        assertThat(migrated.value()).isNull();
    }

    /** Flink drops the column family and makes another one with the same name. */
    @Test
    void followsAStateThatGetsTtlToItsNewColumnFamily() throws Exception {
        open("1mb");
        InternalValueState<Long, VoidNamespace, String> plain =
                register(new ValueStateDescriptor<>("migrated", StringSerializer.INSTANCE));
        for (long key = 0; key < 100; key++) {
            backend.setCurrentKey(key);
            plain.update("v" + key);
        }
        ValueStateDescriptor<TtlValue<String>> withTtl =
                new ValueStateDescriptor<>(
                        "migrated",
                        new TtlStateFactory.TtlSerializer<>(
                                LongSerializer.INSTANCE, StringSerializer.INSTANCE));
        withTtl.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofDays(1)).build());
        InternalValueState<Long, VoidNamespace, TtlValue<String>> expiring = register(withTtl);
        for (long key = 0; key < 100; key++) {
            backend.setCurrentKey(key);
            assertThat(expiring.value().getUserValue()).isEqualTo("v" + key);
            expiring.update(new TtlValue<>("w" + key, 5));
        }
        try (Stream<Long> keys = backend.getKeys("migrated", VoidNamespace.INSTANCE)) {
            assertThat(keys).hasSize(100);
        }
        for (long key = 0; key < 100; key++) {
            backend.setCurrentKey(key);
            assertThat(expiring.value().getUserValue()).isEqualTo("w" + key);
        }
    }

    private <V> InternalValueState<Long, VoidNamespace, V> register(
            ValueStateDescriptor<V> descriptor) throws Exception {
        InternalValueState<Long, VoidNamespace, V> registered =
                backend.createOrUpdateInternalState(
                        VoidNamespaceSerializer.INSTANCE,
                        descriptor,
                        StateSnapshotTransformFactory.noTransform(),
                        true);
        registered.setCurrentNamespace(VoidNamespace.INSTANCE);
        return registered;
    }

    @Test
    void seesANamespaceThatWasChangedAfterItWasSet() throws Exception {
        open("1mb");
        TypeSerializer<Tuple1<Long>> namespaces =
                new TupleSerializer<>(
                        tuple1Class(), new TypeSerializer<?>[] {LongSerializer.INSTANCE});
        InternalValueState<Long, Tuple1<Long>, String> spaced =
                backend.createOrUpdateInternalState(
                        namespaces,
                        new ValueStateDescriptor<>("spaced", StringSerializer.INSTANCE),
                        StateSnapshotTransformFactory.noTransform());
        Tuple1<Long> namespace = Tuple1.of(1L);
        backend.setCurrentKey(1L);
        spaced.setCurrentNamespace(namespace);
        spaced.update("one");
        namespace.f0 = 2L;
        assertThat(spaced.value()).isNull();
        spaced.update("two");
        namespace.f0 = 1L;
        assertThat(spaced.value()).isEqualTo("one");
    }

    @SuppressWarnings("unchecked")
    private static Class<Tuple1<Long>> tuple1Class() {
        return (Class<Tuple1<Long>>) (Class<?>) Tuple1.class;
    }

    @Test
    void aValueThatCannotBeSerialisedLeavesTheOldOne() throws Exception {
        open("1mb");
        InternalValueState<Long, VoidNamespace, List<Long>> numbers =
                register(
                        new ValueStateDescriptor<>(
                                "numbers", new ListSerializer<>(LongSerializer.INSTANCE)));
        backend.setCurrentKey(1L);
        numbers.update(List.of(1L, 2L));
        List<Long> withNull = new ArrayList<>(List.of(3L));
        withNull.add(null);
        assertThatThrownBy(() -> numbers.update(withNull)).isInstanceOf(NullPointerException.class);
        assertThat(numbers.value()).containsExactly(1L, 2L);
    }

    @SuppressWarnings("deprecation")
    private static void makeQueryable(StateDescriptor<?, ?> descriptor) {
        descriptor.setQueryable("queryable");
    }

    private void fill(long from, long to) throws Exception {
        for (long key = from; key < to; key++) {
            backend.setCurrentKey(key);
            state.update("v" + key);
        }
    }

    private StateCacheStatistics statistics() {
        return backend.cacheStatistics("state").orElseThrow();
    }

    private void open(String cacheSize) throws Exception {
        backend =
                (StateAccelKeyedStateBackend<Long>)
                        BackendHarness.open(
                                Make.ACCELERATED.create(
                                        BackendHarness.config(
                                                directory,
                                                Map.of(
                                                        StateAccelOptions.CACHE_SIZE.key(),
                                                        cacheSize))),
                                LongSerializer.INSTANCE,
                                128,
                                KeyGroupRange.of(0, 127),
                                List.of(),
                                TtlTimeProvider.DEFAULT,
                                new UnregisteredMetricsGroup());
        state =
                backend.getPartitionedState(
                        VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, STATE);
    }
}
