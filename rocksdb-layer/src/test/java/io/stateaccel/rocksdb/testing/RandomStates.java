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
package io.stateaccel.rocksdb.testing;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.state.AggregatingState;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;

/**
 * One state of every kind, spread over one or more keyed backends by key group, as in sub-tasks of
 * one operator. {@link #mutate} makes the same random changes for the same random numbers, {@link
 * #dump} shows everything that the backends return, so two makes of backend can be compared.
 *
 * @param <K> the type of the keys
 */
public final class RandomStates<K> {

    public static final ValueStateDescriptor<String> VALUE =
            new ValueStateDescriptor<>("value", StringSerializer.INSTANCE);
    public static final ListStateDescriptor<String> LIST =
            new ListStateDescriptor<>("list", StringSerializer.INSTANCE);
    public static final MapStateDescriptor<String, Long> MAP =
            new MapStateDescriptor<>("map", StringSerializer.INSTANCE, LongSerializer.INSTANCE);
    public static final ReducingStateDescriptor<Long> REDUCING =
            new ReducingStateDescriptor<>("reducing", Long::sum, LongSerializer.INSTANCE);
    public static final AggregatingStateDescriptor<Long, Long, Long> AGGREGATING =
            new AggregatingStateDescriptor<>("aggregating", new Sum(), LongSerializer.INSTANCE);
    public static final String TIMERS = "timers";

    private static final List<StateDescriptor<?, ?>> ALL =
            List.of(VALUE, LIST, MAP, REDUCING, AGGREGATING);
    private static final List<String> NAMESPACES = List.of("", "a", "a namespace that is longer");
    private static final int KEYS = 200;

    private final List<AbstractKeyedStateBackend<K>> backends;
    private final List<KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, String>>> timers =
            new ArrayList<>();
    private final Keys<K> keys;

    public RandomStates(List<AbstractKeyedStateBackend<K>> backends, Keys<K> keys) {
        this.backends = backends;
        this.keys = keys;
        for (AbstractKeyedStateBackend<K> backend : backends) {
            timers.add(
                    backend.create(
                            TIMERS,
                            new TimerSerializer<>(keys.serializer(), StringSerializer.INSTANCE)));
        }
    }

    /** A type of keys. */
    public interface Keys<K> {
        TypeSerializer<K> serializer();

        K key(int index);

        Keys<Integer> FIXED_LENGTH =
                new Keys<>() {
                    @Override
                    public TypeSerializer<Integer> serializer() {
                        return IntSerializer.INSTANCE;
                    }

                    @Override
                    public Integer key(int index) {
                        return index * 31;
                    }
                };

        /** From no character to some 400, many of them prefixes of one another. */
        Keys<String> VARIABLE_LENGTH =
                new Keys<>() {
                    @Override
                    public TypeSerializer<String> serializer() {
                        return StringSerializer.INSTANCE;
                    }

                    @Override
                    public String key(int index) {
                        return "k".repeat(index % 7 == 0 ? index * 2 : index % 5)
                                + (index == 0 ? "" : index);
                    }
                };
    }

    public void mutate(Random random, int operations) throws Exception {
        for (int i = 0; i < operations; i++) {
            mutateOnce(random);
        }
    }

    private void mutateOnce(Random random) throws Exception {
        K key = keys.key(random.nextInt(KEYS));
        String namespace = NAMESPACES.get(random.nextInt(NAMESPACES.size()));
        String text = "v" + random.nextInt(1000) + "x".repeat(random.nextInt(60));
        long number = random.nextInt(100);
        boolean clear = random.nextInt(8) == 0;
        switch (random.nextInt(6)) {
            case 0 -> {
                ValueState<String> state = state(key, namespace, VALUE);
                if (clear) {
                    state.clear();
                } else {
                    state.update(state.value() == null ? text : text + number);
                }
            }
            case 1 -> {
                ListState<String> state = state(key, namespace, LIST);
                if (clear) {
                    state.clear();
                } else if (number < 10) {
                    state.update(List.of(text, text + 1));
                } else if (number < 20) {
                    state.addAll(List.of(text, text + 2));
                } else {
                    state.add(text);
                }
            }
            case 2 -> mutateMap(random, key, namespace, number, clear);
            case 3 -> {
                ReducingState<Long> state = state(key, namespace, REDUCING);
                if (clear) {
                    state.clear();
                } else {
                    state.add(number);
                }
            }
            case 4 -> {
                AggregatingState<Long, Long> state = state(key, namespace, AGGREGATING);
                if (clear) {
                    state.clear();
                } else {
                    state.add(number);
                }
            }
            default -> {
                TimerHeapInternalTimer<K, String> timer =
                        new TimerHeapInternalTimer<>(number, key, namespace);
                if (clear) {
                    timers.get(indexFor(key)).remove(timer);
                } else {
                    timers.get(indexFor(key)).add(timer);
                }
            }
        }
    }

    private void mutateMap(Random random, K key, String namespace, long number, boolean clear)
            throws Exception {
        MapState<String, Long> state = state(key, namespace, MAP);
        String mapKey = "m" + random.nextInt(20);
        K otherKey = keys.key(random.nextInt(KEYS));
        if (clear) {
            state.clear();
        } else if (number < 15) {
            state.remove(mapKey);
        } else if (number < 30) {
            state.putAll(Map.of(mapKey, number, "k" + mapKey, number + 1));
        } else if (number < 45) {
            // Reads on while other keys are written and entries of its own are taken out.
            Iterator<Map.Entry<String, Long>> entries = state.iterator();
            while (entries != null && entries.hasNext()) {
                Map.Entry<String, Long> entry = entries.next();
                if (entry.getValue() % 5 == 0) {
                    entries.remove();
                }
                if (!otherKey.equals(key)) {
                    MapState<String, Long> other = state(otherKey, namespace, MAP);
                    other.put("from " + entry.getKey(), number);
                    state(key, namespace, MAP);
                }
            }
            if (state.isEmpty()) {
                // The hashmap backend goes on to list a key whose entries an iterator took out.
                state.clear();
            }
        } else {
            state.put(mapKey, number);
        }
    }

    /** Everything in all backends, read in every way there is. */
    public SortedMap<String, String> dump() throws Exception {
        SortedMap<String, String> out = new TreeMap<>();
        for (AbstractKeyedStateBackend<K> backend : backends) {
            for (StateDescriptor<?, ?> descriptor : ALL) {
                dumpState(backend, descriptor, out);
            }
        }
        for (KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, String>> queue : timers) {
            // Polled, as timers are when they fire: Flink's RocksDB queue iterates from the last
            // element removed on, and so can miss earlier ones that were added since.
            List<TimerHeapInternalTimer<K, String>> all = new ArrayList<>();
            for (var timer = queue.poll(); timer != null; timer = queue.poll()) {
                all.add(timer);
                out.merge("timer " + timer, "1", String::concat);
            }
            queue.addAll(all);
        }
        return out;
    }

    private void dumpState(
            AbstractKeyedStateBackend<K> backend,
            StateDescriptor<?, ?> descriptor,
            SortedMap<String, String> out)
            throws Exception {
        String name = descriptor.getName();
        // A state that was never used is known to no backend.
        backend.getPartitionedState("", StringSerializer.INSTANCE, descriptor);
        Set<Tuple2<K, String>> found;
        try (Stream<Tuple2<K, String>> all = backend.getKeysAndNamespaces(name)) {
            found = all.map(t -> Tuple2.of(t.f0, t.f1)).collect(Collectors.toSet());
        }
        for (Tuple2<K, String> at : found) {
            out.put(name + " at " + at, content(state(at.f0, at.f1, descriptor)));
        }
        for (String namespace : NAMESPACES) {
            Set<String> keysOfNamespace = new TreeSet<>();
            try (Stream<K> all = backend.getKeys(name, namespace)) {
                all.forEach(key -> keysOfNamespace.add(String.valueOf(key)));
            }
            out.merge(
                    name + " keys in '" + namespace + "'",
                    keysOfNamespace.toString(),
                    RandomStates::union);
            Set<String> applied = new TreeSet<>();
            backend.applyToAllKeys(
                    namespace,
                    StringSerializer.INSTANCE,
                    descriptor,
                    (key, state) -> applied.add(key + "=" + content(state)));
            out.merge(
                    name + " applied in '" + namespace + "'",
                    applied.toString(),
                    RandomStates::union);
        }
    }

    /** What two dumps have different, for a failure message that can be read. */
    public static List<String> differences(
            SortedMap<String, String> actual, SortedMap<String, String> expected) {
        Set<String> all = new TreeSet<>(actual.keySet());
        all.addAll(expected.keySet());
        return all.stream()
                .filter(key -> !Objects.equals(actual.get(key), expected.get(key)))
                .map(key -> key + ": " + actual.get(key) + " instead of " + expected.get(key))
                .toList();
    }

    /** Clears the state of every key in one namespace, the way a session clean-up would. */
    public void clearAll(StateDescriptor<?, ?> descriptor) throws Exception {
        for (AbstractKeyedStateBackend<K> backend : backends) {
            backend.applyToAllKeys(
                    "a", StringSerializer.INSTANCE, descriptor, (key, state) -> state.clear());
        }
    }

    private static String union(String left, String right) {
        Set<String> all = new TreeSet<>();
        for (String side : List.of(left, right)) {
            String inner = side.substring(1, side.length() - 1);
            if (!inner.isEmpty()) {
                all.addAll(List.of(inner.split(", ")));
            }
        }
        return all.toString();
    }

    private static String content(State state) throws Exception {
        if (state instanceof ValueState<?> value) {
            return String.valueOf(value.value());
        }
        if (state instanceof ListState<?> list) {
            List<String> elements = new ArrayList<>();
            list.get().forEach(element -> elements.add(String.valueOf(element)));
            return String.join(";", elements);
        }
        if (state instanceof MapState<?, ?> map) {
            Map<String, String> entries = new HashMap<>();
            map.entries().forEach(e -> entries.put(String.valueOf(e.getKey()), "" + e.getValue()));
            return new TreeMap<>(entries).toString().replace(", ", ";");
        }
        if (state instanceof ReducingState<?> reducing) {
            return String.valueOf(reducing.get());
        }
        return String.valueOf(((AggregatingState<?, ?>) state).get());
    }

    private <S extends State> S state(K key, String namespace, StateDescriptor<S, ?> descriptor)
            throws Exception {
        AbstractKeyedStateBackend<K> backend = backends.get(indexFor(key));
        backend.setCurrentKey(key);
        return backend.getPartitionedState(namespace, StringSerializer.INSTANCE, descriptor);
    }

    private int indexFor(K key) {
        int keyGroup =
                KeyGroupRangeAssignment.assignToKeyGroup(
                        key, backends.get(0).getNumberOfKeyGroups());
        for (int i = 0; i < backends.size(); i++) {
            if (backends.get(i).getKeyGroupRange().contains(keyGroup)) {
                return i;
            }
        }
        throw new IllegalStateException("no backend for key group " + keyGroup);
    }

    private static final class Sum implements AggregateFunction<Long, Long, Long> {
        private static final long serialVersionUID = 1L;

        @Override
        public Long createAccumulator() {
            return 0L;
        }

        @Override
        public Long add(Long value, Long accumulator) {
            return accumulator + value;
        }

        @Override
        public Long getResult(Long accumulator) {
            return accumulator;
        }

        @Override
        public Long merge(Long a, Long b) {
            return a + b;
        }
    }
}
