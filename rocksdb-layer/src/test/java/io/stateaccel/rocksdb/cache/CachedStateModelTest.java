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

import io.stateaccel.flink.testing.BackendCalls;
import io.stateaccel.rocksdb.cache.StateModel.Place;
import io.stateaccel.rocksdb.testing.BackendHarness;
import io.stateaccel.rocksdb.testing.BackendHarness.Make;
import io.stateaccel.rocksdb.testing.BackendHarness.Snapshot;
import io.stateaccel.views.batch.ReadsAhead;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.queryablestate.client.state.serialization.KvStateSerializer;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.internal.InternalKvState;
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
class CachedStateModelTest extends UsedStates {

    private static final int RUNS = Integer.getInteger("stateaccel.model.runs", 12);
    private static final int STEPS = 400;
    private static final int KEYS = 40;
    private static final int NAMESPACES = 4;

    private SharedStateRegistry registry;
    private long checkpointId;

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
        StateModel model = new StateModel();
        time.setCurrentTimestamp(0);
        registry = new SharedStateRegistryImpl();
        checkpointId = 0;
        keepsLists = random.nextBoolean();
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
    private void visit(StateModel model, Random random) throws Exception {
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
                        .mapToObj(UsedStates::key)
                        .toList();
        for (StateDescriptor<?, ?> state : List.of(VALUE, COUNT, REDUCING, LIST, EXPIRING)) {
            if (random.nextBoolean()) {
                ReadsAhead.of(backend).readAhead(state.getName(), keys);
            }
        }
    }

    private void visitValue(StateModel model, int key, int namespace, Random random)
            throws Exception {
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

    private void visitCount(StateModel model, int key, int namespace, Random random)
            throws Exception {
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

    private void visitReducing(StateModel model, int key, int namespace, Random random)
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
                StateModel.merge(model.reducing, key, namespace, sources);
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
                model.reducing.merge(place, List.copyOf(numbers), StateModel::joined);
                numbers.clear();
            }
        }
        assertThat(reducing.get()).isEqualTo(model.reducing.get(place));
    }

    private void visitAggregating(StateModel model, int key, int namespace, Random random)
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
                StateModel.merge(model.aggregating, key, namespace, sources);
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
                model.aggregating.merge(place, List.of(number), StateModel::joined);
            }
        }
        assertThat(aggregating.get()).isEqualTo(sum(model.aggregating.get(place)));
    }

    private void visitList(StateModel model, int key, int namespace, Random random)
            throws Exception {
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
                        model.list.merge(place, moved, StateModel::joined);
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
                model.list.merge(place, List.of(number), StateModel::joined);
            }
            case 5, 6, 7 -> assertThat(list.get()).isEqualTo(model.list.get(place));
            default -> {
                List<Long> numbers = numbers(random);
                list.addAll(numbers);
                model.list.merge(place, List.copyOf(numbers), StateModel::joined);
                numbers.clear();
            }
        }
    }

    /** A map of key 0 has more entries than are read at once. */
    private void visitMap(StateModel model, int key, int namespace, Random random)
            throws Exception {
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

    private void visitExpiring(StateModel model, int key, int namespace, Random random)
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

    private void scan(StateModel model, Random random) throws Exception {
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
                            .isEqualTo(StateModel.keys(model.value, namespace));
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
                Set<Tuple2<Long, String>> expected = StateModel.keys(model.value, namespace);
                expected.addAll(StateModel.keys(model.count, namespace));
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
                        .containsAll(StateModel.keys(model.count, namespace))
                        .hasSizeGreaterThanOrEqualTo(
                                StateModel.keys(model.count, namespace).size());
            }
        }
    }

    /** The asynchronous part of a snapshot runs when the state has long been changed again. */
    private StateModel snapshotAndPerhapsRestore(String cacheSize, StateModel model, Random random)
            throws Exception {
        Snapshot kind = Snapshot.values()[random.nextInt(Snapshot.values().length)];
        RunnableFuture<SnapshotResult<KeyedStateHandle>> future =
                BackendHarness.start(kind, ++checkpointId, backend);
        StateModel then = model.copy();
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

    private void checkAll(StateModel model) throws Exception {
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
}
