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
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Random;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.tuple.Tuple1;
import org.apache.flink.api.java.typeutils.runtime.NullableSerializer;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.ttl.MockTtlTimeProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Cached map state next to Flink's: random calls, each made on both, must have the same outcome,
 * order and exceptions included. Iterators stay open while other keys and namespaces come, entries
 * are written, and snapshots are taken; null keys and values, objects and namespaces that are
 * changed after they were handed in, TTL, and restores at another parallelism and from the other's
 * snapshots.
 *
 * <p>{@code -Dstateaccel.model.seed} replays one run, {@code -Dstateaccel.model.runs} sets how many
 * there are.
 */
class CachedMapStateTest {

    private static final int RUNS = Integer.getInteger("stateaccel.model.runs", 10);
    private static final int STEPS = 600;
    private static final int MAX_PARALLELISM = 16;
    private static final int KEYS = 6;
    private static final int NAMESPACES = 3;
    private static final int MAP_KEYS = 20;

    /** So many that a map has become small again when not all of its keys are known. */
    private static final int MANY_MAP_KEYS = WholeMaps.MOST_KEYS + 20;

    private static final int OPEN_ITERATORS = 4;
    private static final long TTL_MILLIS = 100;

    private static final TypeSerializer<List<Long>> NUMBERS =
            new ListSerializer<>(LongSerializer.INSTANCE);
    private static final TypeSerializer<Tuple1<Long>> NAMESPACE =
            new TupleSerializer<>(tuple1Class(), new TypeSerializer<?>[] {LongSerializer.INSTANCE});
    private static final MapStateDescriptor<String, List<Long>> MAP =
            new MapStateDescriptor<>("map", StringSerializer.INSTANCE, NUMBERS);
    private static final MapStateDescriptor<String, List<Long>> EXPIRING =
            new MapStateDescriptor<>(
                    "expiring",
                    StringSerializer.INSTANCE,
                    NullableSerializer.wrapIfNullIsNotSupported(NUMBERS, false));

    static {
        EXPIRING.enableTimeToLive(
                StateTtlConfig.newBuilder(Duration.ofMillis(TTL_MILLIS))
                        .updateTtlOnReadAndWrite()
                        .build());
    }

    @TempDir private Path directory;

    private final MockTtlTimeProvider time = new MockTtlTimeProvider();
    private final Tuple1<Long> reusedNamespace = new Tuple1<>();

    private SharedStateRegistry registry;
    private long checkpointId;
    private Side stock;
    private Side cached;

    /** Of the run. */
    private int keys;

    private int namespaces;
    private int mapKeys;

    private long readHits;
    private long evictions;

    @ParameterizedTest
    @CsvSource({
        "2kb, ACCELERATED",
        "6kb, ACCELERATED",
        "6kb, ACCELERATED_JAVA",
        "64mb, ACCELERATED"
    })
    void behavesLikeFlinks(String cacheSize, Make make) throws Exception {
        Long replayed = Long.getLong("stateaccel.model.seed");
        long first = replayed == null ? System.nanoTime() : replayed;
        System.out.println(
                "CachedMapStateTest cache " + cacheSize + ", " + RUNS + " runs from " + first);
        for (int run = 0; run < (replayed == null ? RUNS : 1); run++) {
            long seed = first + run;
            try {
                run(cacheSize, make, new Random(seed));
            } catch (Exception | AssertionError failure) {
                throw new AssertionError(
                        "cache " + cacheSize + ", " + make + ", -Dstateaccel.model.seed=" + seed,
                        failure);
            }
        }
        assertThat(readHits).as("reads from the cache").isPositive();
        if (cacheSize.endsWith("kb")) {
            assertThat(evictions).as("evictions").isPositive();
        }
    }

    private void run(String cacheSize, Make make, Random random) throws Exception {
        boolean fewLargeMaps = random.nextInt(4) == 0;
        keys = fewLargeMaps ? 1 : KEYS;
        namespaces = fewLargeMaps ? 1 : NAMESPACES;
        mapKeys = fewLargeMaps ? MANY_MAP_KEYS : MAP_KEYS;
        time.setCurrentTimestamp(0);
        registry = new SharedStateRegistryImpl();
        checkpointId = 0;
        stock = new Side(Make.STOCK, cacheSize);
        cached = new Side(make, cacheSize);
        try {
            stock.open(1, List.of());
            cached.open(1, List.of());
            for (int step = 0; step < STEPS; step++) {
                int what = random.nextInt(200);
                if (what == 0) {
                    snapshotAndPerhapsRestore(random);
                } else if (what < 10) {
                    time.setCurrentTimestamp(time.currentTimestamp() + random.nextInt(60));
                } else if (what < 80) {
                    useIterator(random);
                } else {
                    useMap(random);
                }
            }
            for (int key = 0; key < keys; key++) {
                for (int namespace = 0; namespace < namespaces; namespace++) {
                    for (String state : List.of(MAP.getName(), EXPIRING.getName())) {
                        goTo(key, namespace);
                        onBoth(side -> all(side.map(state).entries().iterator()));
                    }
                }
            }
        } finally {
            stock.close();
            cached.close();
        }
    }

    private void useMap(Random random) throws Exception {
        goTo(random.nextInt(keys), random.nextInt(namespaces));
        String state = random.nextBoolean() ? MAP.getName() : EXPIRING.getName();
        for (int i = random.nextInt(4); i >= 0; i--) {
            String mapKey = mapKey(random);
            List<Long> numbers = random.nextInt(8) == 0 ? null : numbers(random);
            switch (random.nextInt(14)) {
                case 0 -> onBoth(side -> side.map(state).contains(mapKey));
                case 1 -> {
                    // With TTL it depends on what compaction has dropped, as in stock.
                    if (state.equals(MAP.getName())) {
                        onBoth(side -> side.map(state).isEmpty());
                    }
                }
                case 2 -> onBoth(side -> all(side.map(state).entries().iterator()));
                case 3 -> onBoth(side -> all(side.map(state).keys().iterator()));
                case 4 -> onBoth(side -> all(side.map(state).values().iterator()));
                case 5 -> onBoth(side -> all(side.map(state).iterator()));
                case 6 -> {
                    if (random.nextInt(3) == 0) {
                        onBoth(side -> nothing(() -> side.map(state).clear()));
                    }
                }
                case 7 -> onBoth(side -> nothing(() -> side.map(state).remove(mapKey)));
                case 8 -> {
                    Map<String, List<Long>> several = new HashMap<>();
                    several.put(mapKey, numbers);
                    several.put(mapKey(random), numbers);
                    onBoth(side -> nothing(() -> side.map(state).putAll(several)));
                }
                case 9, 10 -> onBoth(side -> changed(side.map(state).get(mapKey)));
                default ->
                        onBoth(
                                side ->
                                        nothing(
                                                () -> {
                                                    List<Long> mine = copy(numbers);
                                                    side.map(state).put(mapKey, mine);
                                                    changed(mine);
                                                }));
            }
        }
    }

    /** Opens an iterator, or goes on with one that was opened before for whatever key. */
    private void useIterator(Random random) throws Exception {
        goTo(random.nextInt(keys), random.nextInt(namespaces));
        String state = random.nextBoolean() ? MAP.getName() : EXPIRING.getName();
        if (cached.open.size() < OPEN_ITERATORS) {
            boolean expires = state.equals(EXPIRING.getName());
            if (expires) {
                // Else it would depend on compactions which expired entries it loads, by which it
                // removes, much later, what has been written since. Now they are in neither.
                onBoth(side -> all(side.map(state).entries().iterator()));
            }
            switch (random.nextInt(4)) {
                case 0 -> onBoth(side -> side.opened(side.map(state).keys()));
                case 1 -> onBoth(side -> side.opened(side.map(state).values()));
                case 2 -> onBoth(side -> side.opened(side.map(state).entries()));
                default ->
                        onBoth(side -> side.open.add(new OpenIterator(side.map(state).iterator())));
            }
            if (expires) {
                onBoth(side -> side.open.get(side.open.size() - 1).iterator().hasNext());
            }
            return;
        }
        int index = random.nextInt(OPEN_ITERATORS);
        for (int i = random.nextInt(6); i >= 0; i--) {
            switch (random.nextInt(8)) {
                case 0 -> {
                    onBoth(side -> side.open.get(index).iterator().hasNext());
                    onBoth(side -> side.open.remove(index) != null);
                    return;
                }
                case 1 -> onBoth(side -> side.open.get(index).iterator().hasNext());
                case 2 -> onBoth(side -> nothing(() -> side.open.get(index).iterator().remove()));
                case 3 -> onBoth(side -> described(side.open.get(index).last));
                case 4, 5 -> {
                    List<Long> numbers = random.nextInt(4) == 0 ? null : numbers(random);
                    onBoth(side -> side.open.get(index).setValue(copy(numbers)));
                }
                default -> onBoth(side -> described(side.open.get(index).next()));
            }
        }
    }

    private void snapshotAndPerhapsRestore(Random random) throws Exception {
        Snapshot kind = Snapshot.values()[random.nextInt(Snapshot.values().length)];
        checkpointId++;
        List<KeyedStateHandle> ofStock = stock.take(kind);
        List<KeyedStateHandle> ofCached = cached.take(kind);
        if (random.nextBoolean()) {
            return;
        }
        stock.close();
        cached.close();
        int parallelism = 1 + random.nextInt(2);
        boolean exchanged = random.nextInt(3) == 0;
        stock.open(parallelism, exchanged ? ofCached : ofStock);
        cached.open(parallelism, exchanged ? ofStock : ofCached);
    }

    private void goTo(int key, long namespace) {
        stock.goTo(key, namespace);
        cached.goTo(key, namespace);
    }

    private void onBoth(Call call) throws Exception {
        assertThat(outcome(call, cached)).isEqualTo(outcome(call, stock));
    }

    private static Object outcome(Call call, Side side) throws Exception {
        try {
            return call.on(side);
        } catch (IllegalStateException | NoSuchElementException expected) {
            return expected.toString();
        }
    }

    @FunctionalInterface
    private interface Call {
        Object on(Side side) throws Exception;
    }

    @FunctionalInterface
    private interface Action {
        void run() throws Exception;
    }

    private static Object nothing(Action action) throws Exception {
        action.run();
        return null;
    }

    private static List<Object> all(Iterator<?> elements) {
        List<Object> all = new ArrayList<>();
        elements.forEachRemaining(element -> all.add(described(element)));
        return all;
    }

    private static Object described(Object element) {
        return element instanceof Map.Entry<?, ?> entry
                ? entry.getKey() + "=" + entry.getValue()
                : element;
    }

    /** What was read, which is then changed, as user code may do. */
    private static List<Long> changed(List<Long> numbers) {
        List<Long> before = copy(numbers);
        if (numbers != null) {
            numbers.add(-1L);
        }
        return before;
    }

    private static List<Long> copy(List<Long> numbers) {
        return numbers == null ? null : new ArrayList<>(numbers);
    }

    private String mapKey(Random random) {
        int number = random.nextInt(mapKeys);
        return number == 0 ? null : "m".repeat(number % 3) + number;
    }

    private static List<Long> numbers(Random random) {
        List<Long> numbers = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            numbers.add((long) random.nextInt(100));
        }
        return numbers;
    }

    @SuppressWarnings("unchecked")
    private static Class<Tuple1<Long>> tuple1Class() {
        return (Class<Tuple1<Long>>) (Class<?>) Tuple1.class;
    }

    /** An iterator, made when it is first used, which may be under another key. */
    private static final class OpenIterator {
        private Iterable<?> elements;
        private Iterator<?> iterator;
        private Object last;

        OpenIterator(Iterable<?> elements) {
            this.elements = elements;
        }

        OpenIterator(Iterator<?> iterator) {
            this.iterator = iterator;
        }

        Iterator<?> iterator() {
            if (iterator == null) {
                iterator = elements.iterator();
            }
            return iterator;
        }

        Object next() {
            last = iterator().next();
            return last;
        }

        @SuppressWarnings("unchecked")
        Object setValue(List<Long> numbers) {
            return last instanceof Map.Entry<?, ?> entry
                    ? ((Map.Entry<String, List<Long>>) entry).setValue(numbers)
                    : null;
        }
    }

    /** The backends of one make, one for each sub-task. */
    private final class Side {
        private final Make make;
        private final Configuration config;
        private final List<AbstractKeyedStateBackend<String>> subTasks = new ArrayList<>();
        private final List<Map<String, InternalMapState<String, Tuple1<Long>, String, List<Long>>>>
                states = new ArrayList<>();
        private final List<OpenIterator> open = new ArrayList<>();
        private int current;

        Side(Make make, String cacheSize) {
            this.make = make;
            this.config =
                    BackendHarness.incremental(
                            BackendHarness.config(
                                    directory,
                                    Map.of(StateAccelOptions.CACHE_SIZE.key(), cacheSize)),
                            true);
        }

        void open(int parallelism, List<KeyedStateHandle> handles) throws Exception {
            for (int subTask = 0; subTask < parallelism; subTask++) {
                KeyGroupRange range =
                        KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                                MAX_PARALLELISM, parallelism, subTask);
                AbstractKeyedStateBackend<String> backend =
                        BackendHarness.open(
                                make.create(config),
                                StringSerializer.INSTANCE,
                                MAX_PARALLELISM,
                                range,
                                BackendHarness.assign(handles, range),
                                time,
                                new UnregisteredMetricsGroup());
                subTasks.add(backend);
                states.add(
                        Map.of(
                                MAP.getName(), state(backend, MAP),
                                EXPIRING.getName(), state(backend, EXPIRING)));
            }
        }

        private InternalMapState<String, Tuple1<Long>, String, List<Long>> state(
                AbstractKeyedStateBackend<String> backend,
                MapStateDescriptor<String, List<Long>> descriptor)
                throws Exception {
            return (InternalMapState<String, Tuple1<Long>, String, List<Long>>)
                    backend.getOrCreateKeyedState(NAMESPACE, descriptor);
        }

        void goTo(int index, long namespace) {
            String key = "k".repeat(index) + index;
            current =
                    KeyGroupRangeAssignment.assignKeyToParallelOperator(
                            key, MAX_PARALLELISM, subTasks.size());
            subTasks.get(current).setCurrentKey(key);
            reusedNamespace.f0 = namespace;
            states.get(current).values().forEach(map -> map.setCurrentNamespace(reusedNamespace));
        }

        InternalMapState<String, Tuple1<Long>, String, List<Long>> map(String name) {
            return states.get(current).get(name);
        }

        boolean opened(Iterable<?> elements) {
            return open.add(new OpenIterator(elements));
        }

        List<KeyedStateHandle> take(Snapshot kind) throws Exception {
            List<KeyedStateHandle> handles = new ArrayList<>();
            for (AbstractKeyedStateBackend<String> backend : subTasks) {
                handles.add(BackendHarness.take(kind, checkpointId, backend, registry));
                backend.notifyCheckpointComplete(checkpointId);
            }
            return handles.stream().filter(Objects::nonNull).toList();
        }

        void close() {
            for (AbstractKeyedStateBackend<String> backend : subTasks) {
                if (backend instanceof StateAccelKeyedStateBackend<?> accelerated) {
                    accelerated.cacheStatistics(MAP.getName()).ifPresent(this::add);
                    accelerated.cacheStatistics(EXPIRING.getName()).ifPresent(this::add);
                }
                backend.dispose();
            }
            subTasks.clear();
            states.clear();
            open.clear();
        }

        private void add(StateCacheStatistics statistics) {
            readHits += statistics.readHits();
            evictions += statistics.evictions();
        }
    }
}
