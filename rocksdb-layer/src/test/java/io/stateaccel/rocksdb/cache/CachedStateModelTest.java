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
import io.stateaccel.flink.testing.BackendCalls;
import io.stateaccel.rocksdb.StateAccelKeyedStateBackend;
import io.stateaccel.rocksdb.testing.BackendHarness;
import io.stateaccel.rocksdb.testing.BackendHarness.Make;
import io.stateaccel.rocksdb.testing.BackendHarness.Snapshot;
import io.stateaccel.views.batch.ReadsAhead;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.queryablestate.client.state.serialization.KvStateSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.internal.InternalAggregatingState;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalReducingState;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.state.ttl.MockTtlTimeProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random use of cached state and of lists, through the interfaces that Flink's operators use,
 * against a plain map: reads, also of many keys ahead, updates, removals, merges, scans, snapshots
 * and restores, with and without the native library, with objects that are changed after they were
 * handed in or out, keys that are reused, and time that passes.
 *
 * <p>{@code -Dstateaccel.model.seed} replays one run, {@code -Dstateaccel.model.runs} sets how many
 * there are.
 */
class CachedStateModelTest {

    private static final int RUNS = Integer.getInteger("stateaccel.model.runs", 20);
    private static final int STEPS = 400;
    private static final int MAX_PARALLELISM = 16;
    private static final int KEYS = 40;
    private static final int NAMESPACES = 4;
    private static final long TTL_MILLIS = 100;
    private static final long DEFAULT_COUNT = 7;

    private static final TypeSerializer<Tuple2<Long, String>> KEY_SERIALIZER = keySerializer();
    private static final TypeSerializer<List<Long>> NUMBERS =
            new ListSerializer<>(LongSerializer.INSTANCE);

    private static final ValueStateDescriptor<List<Long>> VALUE =
            new ValueStateDescriptor<>("value", NUMBERS);

    @SuppressWarnings("deprecation")
    private static final ValueStateDescriptor<Long> COUNT =
            new ValueStateDescriptor<>("count", LongSerializer.INSTANCE, DEFAULT_COUNT);

    private static final ReducingStateDescriptor<List<Long>> REDUCING =
            new ReducingStateDescriptor<>("reducing", CachedStateModelTest::append, NUMBERS);
    private static final AggregatingStateDescriptor<Long, List<Long>, Long> AGGREGATING =
            new AggregatingStateDescriptor<>("aggregating", new Append(), NUMBERS);
    private static final MapStateDescriptor<Integer, List<Long>> MAP =
            new MapStateDescriptor<>("map", IntSerializer.INSTANCE, NUMBERS);
    private static final ListStateDescriptor<Long> LIST =
            new ListStateDescriptor<>("list", LongSerializer.INSTANCE);
    private static final ValueStateDescriptor<String> EXPIRING =
            new ValueStateDescriptor<>("expiring", StringSerializer.INSTANCE);

    static {
        EXPIRING.enableTimeToLive(
                StateTtlConfig.newBuilder(Duration.ofMillis(TTL_MILLIS))
                        .updateTtlOnReadAndWrite()
                        .build());
    }

    @TempDir private Path directory;

    private final MockTtlTimeProvider time = new MockTtlTimeProvider();
    private final Tuple2<Long, String> reusedKey = new Tuple2<>();

    private AbstractKeyedStateBackend<Tuple2<Long, String>> backend;
    private InternalValueState<Tuple2<Long, String>, String, List<Long>> value;
    private InternalValueState<Tuple2<Long, String>, String, Long> count;
    private InternalReducingState<Tuple2<Long, String>, Long, List<Long>> reducing;
    private InternalAggregatingState<Tuple2<Long, String>, Long, Long, List<Long>, Long>
            aggregating;
    private InternalMapState<Tuple2<Long, String>, String, Integer, List<Long>> map;
    private InternalListState<Tuple2<Long, String>, Long, Long> list;
    private InternalValueState<Tuple2<Long, String>, String, String> expiring;

    private SharedStateRegistry registry;
    private long checkpointId;

    private long readHits;
    private long evictions;
    private long coalescedWrites;

    @ParameterizedTest
    @CsvSource({"0", "5kb", "6kb", "40kb", "64mb"})
    void behavesLikeAMap(String cacheSize) throws Exception {
        Long replayed = Long.getLong("stateaccel.model.seed");
        long first = replayed == null ? System.nanoTime() : replayed;
        System.out.println(
                "CachedStateModelTest cache " + cacheSize + ", " + RUNS + " runs from " + first);
        for (int run = 0; run < (replayed == null ? RUNS : 1); run++) {
            long seed = first + run;
            try {
                run(cacheSize, new Random(seed));
            } catch (Exception | AssertionError failure) {
                throw new AssertionError(
                        "cache " + cacheSize + ", -Dstateaccel.model.seed=" + seed, failure);
            }
        }
        if (!cacheSize.equals("0")) {
            assertThat(readHits).as("reads from the cache").isPositive();
            assertThat(coalescedWrites).as("writes that RocksDB never saw").isPositive();
        }
        if (cacheSize.endsWith("kb")) {
            assertThat(evictions).as("evictions").isPositive();
        }
    }

    private void run(String cacheSize, Random random) throws Exception {
        Model model = new Model();
        time.setCurrentTimestamp(0);
        registry = new SharedStateRegistryImpl();
        checkpointId = 0;
        open(anyMake(random), cacheSize, List.of());
        try {
            for (int step = 0; step < STEPS; step++) {
                if (random.nextInt(100) == 0) {
                    model = snapshotAndPerhapsRestore(cacheSize, model, random);
                } else if (random.nextInt(40) == 0) {
                    scan(model, random);
                } else if (random.nextInt(20) == 0) {
                    time.setCurrentTimestamp(time.currentTimestamp() + random.nextInt(60));
                } else if (random.nextInt(15) == 0) {
                    readAhead(random);
                } else {
                    visit(model, random);
                }
            }
            checkAll(model);
        } finally {
            close();
        }
    }

    /** One key of one state in one namespace, used a few times as an operator would. */
    private void visit(Model model, Random random) throws Exception {
        int key = random.nextInt(random.nextBoolean() ? 4 : KEYS);
        int namespace = random.nextInt(NAMESPACES);
        setKey(key);
        for (int i = random.nextInt(3); i >= 0; i--) {
            switch (random.nextInt(9)) {
                case 0 -> visitValue(model, key, namespace, random);
                case 1 -> visitCount(model, key, namespace, random);
                case 2 -> visitReducing(model, key, namespace, random);
                case 3 -> visitAggregating(model, key, namespace, random);
                case 4, 5 -> visitMap(model, key, namespace, random);
                case 6, 7 -> visitList(model, key, namespace, random);
                default -> visitExpiring(model, key, namespace, random);
            }
        }
    }

    /** As operators do that go from key to key; who comes next may want others, or change them. */
    private void readAhead(Random random) throws Exception {
        int namespace = random.nextInt(NAMESPACES);
        value.setCurrentNamespace(text(namespace));
        count.setCurrentNamespace(text(namespace));
        reducing.setCurrentNamespace((long) namespace);
        list.setCurrentNamespace((long) namespace);
        List<Tuple2<Long, String>> keys =
                random.ints(random.nextInt(2 * KEYS), 0, KEYS)
                        .distinct()
                        .mapToObj(CachedStateModelTest::key)
                        .toList();
        for (StateDescriptor<?, ?> state : List.of(VALUE, COUNT, REDUCING, LIST, EXPIRING)) {
            if (random.nextBoolean()) {
                ReadsAhead.of(backend).readAhead(state.getName(), keys);
            }
        }
    }

    private void visitValue(Model model, int key, int namespace, Random random) throws Exception {
        Place place = new Place(key, namespace);
        value.setCurrentNamespace(text(namespace));
        switch (random.nextInt(4)) {
            case 0 -> {
                value.clear();
                model.value.remove(place);
            }
            case 1 -> {
                List<Long> numbers = numbers(random);
                value.update(numbers);
                model.value.put(place, List.copyOf(numbers));
                numbers.add(-1L);
            }
            case 2 -> {
                value.update(null);
                model.value.remove(place);
            }
            default -> {
                List<Long> numbers = value.value();
                assertThat(numbers).isEqualTo(model.value.get(place));
                if (numbers != null) {
                    numbers.add(random.nextLong());
                    if (random.nextBoolean()) {
                        value.update(numbers);
                        model.value.put(place, List.copyOf(numbers));
                    }
                }
            }
        }
        assertThat(value.value()).isEqualTo(model.value.get(place));
    }

    private void visitCount(Model model, int key, int namespace, Random random) throws Exception {
        Place place = new Place(key, namespace);
        count.setCurrentNamespace(text(namespace));
        if (random.nextInt(6) == 0) {
            count.clear();
            model.count.remove(place);
        } else {
            Long before = count.value();
            assertThat(before).isEqualTo(model.count.getOrDefault(place, DEFAULT_COUNT));
            count.update(before + 1);
            model.count.put(place, before + 1);
        }
    }

    private void visitReducing(Model model, int key, int namespace, Random random)
            throws Exception {
        Place place = new Place(key, namespace);
        reducing.setCurrentNamespace((long) namespace);
        switch (random.nextInt(5)) {
            case 0 -> {
                reducing.clear();
                model.reducing.remove(place);
            }
            case 1 -> {
                List<Integer> sources = sources(random);
                reducing.mergeNamespaces((long) namespace, longs(sources));
                Model.merge(model.reducing, key, namespace, sources);
                reducing.setCurrentNamespace((long) namespace);
            }
            case 2 -> {
                List<Long> numbers = reducing.get();
                assertThat(numbers).isEqualTo(model.reducing.get(place));
                if (numbers != null) {
                    numbers.clear();
                }
            }
            default -> {
                List<Long> numbers = numbers(random);
                reducing.add(numbers);
                model.reducing.merge(place, List.copyOf(numbers), CachedStateModelTest::joined);
                numbers.clear();
            }
        }
        assertThat(reducing.get()).isEqualTo(model.reducing.get(place));
    }

    private void visitAggregating(Model model, int key, int namespace, Random random)
            throws Exception {
        Place place = new Place(key, namespace);
        aggregating.setCurrentNamespace((long) namespace);
        switch (random.nextInt(5)) {
            case 0 -> {
                aggregating.clear();
                model.aggregating.remove(place);
            }
            case 1 -> {
                List<Integer> sources = sources(random);
                aggregating.mergeNamespaces((long) namespace, longs(sources));
                Model.merge(model.aggregating, key, namespace, sources);
                aggregating.setCurrentNamespace((long) namespace);
            }
            case 2 -> {
                List<Long> accumulator = aggregating.getInternal();
                assertThat(accumulator).isEqualTo(model.aggregating.get(place));
                List<Long> other = numbers(random);
                aggregating.updateInternal(other);
                model.aggregating.put(place, List.copyOf(other));
                other.clear();
            }
            default -> {
                long number = random.nextInt(100);
                aggregating.add(number);
                model.aggregating.merge(place, List.of(number), CachedStateModelTest::joined);
            }
        }
        assertThat(aggregating.get()).isEqualTo(sum(model.aggregating.get(place)));
    }

    private void visitList(Model model, int key, int namespace, Random random) throws Exception {
        Place place = new Place(key, namespace);
        list.setCurrentNamespace((long) namespace);
        switch (random.nextInt(12)) {
            case 0 -> {
                list.clear();
                model.list.remove(place);
            }
            case 1 -> {
                List<Integer> sources = sources(random);
                list.mergeNamespaces((long) namespace, longs(sources));
                for (int source : sources) {
                    List<Long> moved = model.list.remove(new Place(key, source));
                    if (moved != null) {
                        model.list.merge(place, moved, CachedStateModelTest::joined);
                    }
                }
            }
            case 2 -> {
                List<Long> numbers = numbers(random);
                list.update(numbers);
                model.list.put(place, List.copyOf(numbers));
                numbers.clear();
            }
            case 3 -> list.addAll(List.of());
            case 4 -> {
                long number = random.nextInt(100);
                list.add(number);
                model.list.merge(place, List.of(number), CachedStateModelTest::joined);
            }
            case 5, 6, 7 -> assertThat(list.get()).isEqualTo(model.list.get(place));
            default -> {
                List<Long> numbers = numbers(random);
                list.addAll(numbers);
                model.list.merge(place, List.copyOf(numbers), CachedStateModelTest::joined);
                numbers.clear();
            }
        }
    }

    /** A map of key 0 has more entries than are read at once. */
    private void visitMap(Model model, int key, int namespace, Random random) throws Exception {
        Map<Integer, List<Long>> expected =
                model.map.computeIfAbsent(new Place(key, namespace), place -> new HashMap<>());
        map.setCurrentNamespace(text(namespace));
        for (int i = random.nextInt(4); i >= 0; i--) {
            int mapKey = random.nextInt(key == 0 ? 400 : 12);
            switch (random.nextInt(key == 0 ? 60 : 12)) {
                case 0 -> {
                    map.clear();
                    expected.clear();
                }
                case 1 -> {
                    map.remove(mapKey);
                    expected.remove(mapKey);
                }
                case 2 -> {
                    map.put(mapKey, null);
                    expected.put(mapKey, null);
                }
                case 3 -> visitEntries(expected, random);
                case 4 ->
                        assertThat(map.keys())
                                .containsExactlyInAnyOrderElementsOf(expected.keySet());
                case 5 ->
                        assertThat(map.values())
                                .containsExactlyInAnyOrderElementsOf(expected.values());
                case 6 -> assertThat(map.isEmpty()).isEqualTo(expected.isEmpty());
                case 7 -> {
                    List<Long> numbers = map.get(mapKey);
                    assertThat(numbers).isEqualTo(expected.get(mapKey));
                    if (numbers != null) {
                        numbers.add(-1L);
                    }
                    assertThat(map.contains(mapKey)).isEqualTo(expected.containsKey(mapKey));
                }
                case 8 -> {
                    List<Long> numbers = numbers(random);
                    map.putAll(Map.of(mapKey, numbers, 500, numbers));
                    expected.put(mapKey, List.copyOf(numbers));
                    expected.put(500, List.copyOf(numbers));
                }
                default -> {
                    List<Long> numbers = numbers(random);
                    map.put(mapKey, numbers);
                    expected.put(mapKey, List.copyOf(numbers));
                    numbers.clear();
                }
            }
        }
    }

    /** Goes through a map; some entries are removed or changed on the way. */
    private void visitEntries(Map<Integer, List<Long>> expected, Random random) throws Exception {
        Map<Integer, List<Long>> seen = new HashMap<>();
        Map<Integer, List<Long>> changed = new HashMap<>(expected);
        Iterator<Map.Entry<Integer, List<Long>>> entries = map.iterator();
        while (entries.hasNext()) {
            Map.Entry<Integer, List<Long>> entry = entries.next();
            seen.put(entry.getKey(), entry.getValue());
            switch (random.nextInt(4)) {
                case 0 -> {
                    entries.remove();
                    changed.remove(entry.getKey());
                }
                case 1 -> {
                    List<Long> numbers = numbers(random);
                    entry.setValue(numbers);
                    assertThat(map.get(entry.getKey())).isEqualTo(numbers);
                    changed.put(entry.getKey(), List.copyOf(numbers));
                }
                case 2 -> {
                    map.put(entry.getKey(), null);
                    changed.put(entry.getKey(), null);
                }
                default -> {}
            }
        }
        assertThat(seen).isEqualTo(expected);
        expected.clear();
        expected.putAll(changed);
    }

    private void visitExpiring(Model model, int key, int namespace, Random random)
            throws Exception {
        Place place = new Place(key, namespace);
        expiring.setCurrentNamespace(text(namespace));
        switch (random.nextInt(4)) {
            case 0 -> {
                expiring.clear();
                model.expiring.remove(place);
            }
            case 1, 2 -> {
                String text = "t".repeat(random.nextInt(50)) + random.nextInt();
                expiring.update(text);
                model.expiring.put(place, Tuple2.of(text, time.currentTimestamp()));
            }
            default ->
                    assertThat(expiring.value())
                            .isEqualTo(model.readExpiring(place, time.currentTimestamp()));
        }
    }

    private void scan(Model model, Random random) throws Exception {
        int namespace = random.nextInt(NAMESPACES);
        switch (random.nextInt(5)) {
            case 4 -> {
                try (Stream<Tuple2<Tuple2<Long, String>, Long>> keys =
                        backend.getKeysAndNamespaces("list")) {
                    assertThat(keys.map(t -> new Place(index(t.f0), t.f1.intValue())))
                            .containsExactlyInAnyOrderElementsOf(model.list.keySet());
                }
            }
            case 0 -> {
                try (Stream<Tuple2<Long, String>> keys =
                        backend.getKeys("value", text(namespace))) {
                    assertThat(keys.collect(Collectors.toSet()))
                            .isEqualTo(Model.keys(model.value, namespace));
                }
            }
            case 1 -> {
                try (Stream<Tuple2<Tuple2<Long, String>, Long>> keys =
                        backend.getKeysAndNamespaces("reducing")) {
                    assertThat(keys.map(t -> new Place(index(t.f0), t.f1.intValue())))
                            .containsExactlyInAnyOrderElementsOf(model.reducing.keySet());
                }
            }
            case 2 -> {
                Set<Tuple2<Long, String>> expected = Model.keys(model.value, namespace);
                expected.addAll(Model.keys(model.count, namespace));
                try (Stream<Tuple2<Long, String>> keys =
                        BackendCalls.keys(backend, List.of("value", "count"), text(namespace))) {
                    assertThat(keys.collect(Collectors.toSet())).isEqualTo(expected);
                }
            }
            default -> {
                boolean clear = random.nextBoolean();
                Set<Tuple2<Long, String>> seen = new HashSet<>();
                backend.applyToAllKeys(
                        text(namespace),
                        StringSerializer.INSTANCE,
                        COUNT,
                        (key, state) -> {
                            seen.add(Tuple2.of(key.f0, key.f1));
                            Place place = new Place(index(key), namespace);
                            assertThat(state.value()).isEqualTo(model.count.get(place));
                            if (clear) {
                                state.clear();
                                model.count.remove(place);
                            } else {
                                state.update(1000L);
                                model.count.put(place, 1000L);
                            }
                        });
                assertThat(seen)
                        .containsAll(Model.keys(model.count, namespace))
                        .hasSizeGreaterThanOrEqualTo(Model.keys(model.count, namespace).size());
            }
        }
    }

    /** The asynchronous part of a snapshot runs when the state has long been changed again. */
    private Model snapshotAndPerhapsRestore(String cacheSize, Model model, Random random)
            throws Exception {
        Snapshot kind = Snapshot.values()[random.nextInt(Snapshot.values().length)];
        RunnableFuture<SnapshotResult<KeyedStateHandle>> future =
                BackendHarness.start(kind, ++checkpointId, backend);
        Model then = model.copy();
        for (int i = random.nextInt(30); i > 0; i--) {
            visit(model, random);
        }
        future.run();
        KeyedStateHandle handle = future.get().getJobManagerOwnedSnapshot();
        if (handle != null) {
            handle.registerSharedStates(registry, checkpointId);
        }
        backend.notifyCheckpointComplete(checkpointId);
        if (random.nextBoolean()) {
            return model;
        }
        close();
        Make make = random.nextInt(3) == 0 ? Make.STOCK : anyMake(random);
        open(make, cacheSize, handle == null ? List.of() : List.of(handle));
        return then;
    }

    private static Make anyMake(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> Make.ACCELERATED_HASH_SKIP_LIST;
            case 1 -> Make.ACCELERATED_HASH_LINKED_LIST;
            case 2 -> Make.ACCELERATED_JAVA;
            default -> Make.ACCELERATED;
        };
    }

    private void checkAll(Model model) throws Exception {
        for (int key = 0; key < KEYS; key++) {
            for (int namespace = 0; namespace < NAMESPACES; namespace++) {
                Place place = new Place(key, namespace);
                setKey(key);
                assertThat(serialized(value, key, text(namespace)))
                        .isEqualTo(bytes(model.value.get(place)));
                value.setCurrentNamespace(text(namespace));
                assertThat(value.value()).isEqualTo(model.value.get(place));
                count.setCurrentNamespace(text(namespace));
                assertThat(count.value()).isEqualTo(model.count.getOrDefault(place, DEFAULT_COUNT));
                reducing.setCurrentNamespace((long) namespace);
                assertThat(reducing.get()).isEqualTo(model.reducing.get(place));
                aggregating.setCurrentNamespace((long) namespace);
                assertThat(aggregating.get()).isEqualTo(sum(model.aggregating.get(place)));
                map.setCurrentNamespace(text(namespace));
                Map<Integer, List<Long>> entries = new HashMap<>();
                map.entries().forEach(entry -> entries.put(entry.getKey(), entry.getValue()));
                assertThat(entries).isEqualTo(model.map.getOrDefault(place, Map.of()));
                list.setCurrentNamespace((long) namespace);
                assertThat(list.get()).isEqualTo(model.list.get(place));
                expiring.setCurrentNamespace(text(namespace));
                assertThat(expiring.value())
                        .isEqualTo(model.readExpiring(place, time.currentTimestamp()));
            }
        }
    }

    private <N, V> byte[] serialized(
            InternalKvState<Tuple2<Long, String>, N, V> state, int key, N namespace)
            throws Exception {
        return state.getSerializedValue(
                KvStateSerializer.serializeKeyAndNamespace(
                        key(key), KEY_SERIALIZER, namespace, state.getNamespaceSerializer()),
                KEY_SERIALIZER,
                state.getNamespaceSerializer(),
                state.getValueSerializer());
    }

    private static byte[] bytes(List<Long> numbers) throws Exception {
        return numbers == null ? null : KvStateSerializer.serializeValue(numbers, NUMBERS);
    }

    private void open(Make make, String cacheSize, Collection<KeyedStateHandle> handles)
            throws Exception {
        Configuration config =
                BackendHarness.config(
                        directory, Map.of(StateAccelOptions.CACHE_SIZE.key(), cacheSize));
        backend =
                BackendHarness.open(
                        make.create(BackendHarness.incremental(config, true)),
                        KEY_SERIALIZER,
                        MAX_PARALLELISM,
                        KeyGroupRange.of(0, MAX_PARALLELISM - 1),
                        handles,
                        time,
                        new UnregisteredMetricsGroup());
        value = state(StringSerializer.INSTANCE, VALUE);
        count = state(StringSerializer.INSTANCE, COUNT);
        reducing = state(LongSerializer.INSTANCE, REDUCING);
        aggregating = state(LongSerializer.INSTANCE, AGGREGATING);
        map = state(StringSerializer.INSTANCE, MAP);
        list = state(LongSerializer.INSTANCE, LIST);
        expiring = state(StringSerializer.INSTANCE, EXPIRING);
    }

    @SuppressWarnings("unchecked")
    private <N, S> S state(TypeSerializer<N> namespaces, StateDescriptor<?, ?> descriptor)
            throws Exception {
        return (S) backend.getOrCreateKeyedState(namespaces, descriptor);
    }

    private void close() {
        if (backend instanceof StateAccelKeyedStateBackend<?> accelerated) {
            for (StateDescriptor<?, ?> descriptor :
                    List.of(VALUE, COUNT, REDUCING, AGGREGATING, MAP, EXPIRING)) {
                accelerated.cacheStatistics(descriptor.getName()).ifPresent(this::add);
            }
        }
        backend.dispose();
    }

    private void add(StateCacheStatistics statistics) {
        readHits += statistics.readHits();
        evictions += statistics.evictions();
        coalescedWrites += statistics.coalescedWrites();
    }

    /** Sets a key in the one object that all keys come in, as under object reuse. */
    private void setKey(int index) {
        Tuple2<Long, String> key = key(index);
        reusedKey.f0 = key.f0;
        reusedKey.f1 = key.f1;
        if (index % 2 == 0) {
            backend.setCurrentKey(reusedKey);
        } else {
            BackendCalls.setKey(
                    backend,
                    reusedKey,
                    KeyGroupRangeAssignment.assignToKeyGroup(key, MAX_PARALLELISM));
        }
        reusedKey.f0 = -1L; // The next key is read into the object while this one is current.
    }

    private static Tuple2<Long, String> key(int index) {
        return Tuple2.of((long) index, "k".repeat(index % 5));
    }

    private static int index(Tuple2<Long, String> key) {
        return key.f0.intValue();
    }

    private static String text(int namespace) {
        return "n".repeat(namespace);
    }

    private static List<Long> numbers(Random random) {
        List<Long> numbers = new ArrayList<>();
        for (int i = random.nextInt(random.nextInt(10) == 0 ? 60 : 4); i >= 0; i--) {
            numbers.add((long) random.nextInt(100));
        }
        return numbers;
    }

    private static List<Integer> sources(Random random) {
        return random.ints(random.nextInt(3), 0, NAMESPACES).boxed().distinct().toList();
    }

    private static List<Long> longs(List<Integer> numbers) {
        return numbers.stream().map(Integer::longValue).toList();
    }

    private static Long sum(List<Long> numbers) {
        return numbers == null ? null : (Long) numbers.stream().mapToLong(Long::longValue).sum();
    }

    private static List<Long> joined(List<Long> left, List<Long> right) {
        return append(new ArrayList<>(left), right);
    }

    /** Changes its first argument, as functions do whose accumulators are reused. */
    private static List<Long> append(List<Long> left, List<Long> right) {
        left.addAll(right);
        return left;
    }

    @SuppressWarnings("unchecked")
    private static TypeSerializer<Tuple2<Long, String>> keySerializer() {
        return new TupleSerializer<>(
                (Class<Tuple2<Long, String>>) (Class<?>) Tuple2.class,
                new TypeSerializer<?>[] {LongSerializer.INSTANCE, StringSerializer.INSTANCE});
    }

    private record Place(int key, int namespace) {}

    private static final class Model {
        final Map<Place, List<Long>> value = new HashMap<>();
        final Map<Place, Long> count = new HashMap<>();
        final Map<Place, List<Long>> reducing = new HashMap<>();
        final Map<Place, List<Long>> aggregating = new HashMap<>();
        final Map<Place, Map<Integer, List<Long>>> map = new HashMap<>();
        final Map<Place, List<Long>> list = new HashMap<>();
        final Map<Place, Tuple2<String, Long>> expiring = new HashMap<>();

        Model copy() {
            Model copy = new Model();
            copy.value.putAll(value);
            copy.count.putAll(count);
            copy.reducing.putAll(reducing);
            copy.aggregating.putAll(aggregating);
            map.forEach((place, entries) -> copy.map.put(place, new HashMap<>(entries)));
            copy.list.putAll(list);
            copy.expiring.putAll(expiring);
            return copy;
        }

        String readExpiring(Place place, long now) {
            Tuple2<String, Long> stored = expiring.get(place);
            if (stored == null || stored.f1 + TTL_MILLIS <= now) {
                expiring.remove(place);
                return null;
            }
            expiring.put(place, Tuple2.of(stored.f0, now));
            return stored.f0;
        }

        /** What {@code mergeNamespaces} does: sources are removed, then the target is added. */
        static void merge(
                Map<Place, List<Long>> state, int key, int target, List<Integer> sources) {
            List<Long> merged =
                    sources.stream()
                            .map(source -> state.remove(new Place(key, source)))
                            .filter(Objects::nonNull)
                            .reduce(CachedStateModelTest::joined)
                            .orElse(null);
            if (merged != null) {
                List<Long> before = state.get(new Place(key, target));
                state.put(new Place(key, target), before == null ? merged : joined(merged, before));
            }
        }

        static Set<Tuple2<Long, String>> keys(Map<Place, ?> state, int namespace) {
            return state.keySet().stream()
                    .filter(place -> place.namespace == namespace)
                    .map(place -> CachedStateModelTest.key(place.key))
                    .collect(Collectors.toCollection(HashSet::new));
        }
    }

    private static final class Append implements AggregateFunction<Long, List<Long>, Long> {
        private static final long serialVersionUID = 1L;

        @Override
        public List<Long> createAccumulator() {
            return new ArrayList<>();
        }

        @Override
        public List<Long> add(Long number, List<Long> accumulator) {
            accumulator.add(number);
            return accumulator;
        }

        @Override
        public Long getResult(List<Long> accumulator) {
            long sum = accumulator.stream().mapToLong(Long::longValue).sum();
            accumulator.clear();
            return sum;
        }

        @Override
        public List<Long> merge(List<Long> left, List<Long> right) {
            return append(left, right);
        }
    }
}
