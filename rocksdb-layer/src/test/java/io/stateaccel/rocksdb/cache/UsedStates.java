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

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.flink.testing.BackendCalls;
import io.stateaccel.rocksdb.StateAccelKeyedStateBackend;
import io.stateaccel.rocksdb.testing.BackendHarness;
import io.stateaccel.rocksdb.testing.BackendHarness.Make;
import io.stateaccel.views.batch.ReadsAhead;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
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
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.internal.InternalAggregatingState;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalReducingState;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.state.ttl.MockTtlTimeProvider;
import org.junit.jupiter.api.io.TempDir;

/**
 * A backend with a state of each kind, whose keys come in one object, as under object reuse, and
 * what its caches have done.
 */
abstract class UsedStates {

    static final int MAX_PARALLELISM = 16;
    static final long TTL_MILLIS = 100;
    static final long DEFAULT_COUNT = 7;

    static final TypeSerializer<Tuple2<Long, String>> KEY_SERIALIZER = keySerializer();
    static final TypeSerializer<List<Long>> NUMBERS = new ListSerializer<>(LongSerializer.INSTANCE);

    static final ValueStateDescriptor<List<Long>> VALUE =
            new ValueStateDescriptor<>("value", NUMBERS);

    @SuppressWarnings("deprecation")
    static final ValueStateDescriptor<Long> COUNT =
            new ValueStateDescriptor<>("count", LongSerializer.INSTANCE, DEFAULT_COUNT);

    static final ReducingStateDescriptor<List<Long>> REDUCING =
            new ReducingStateDescriptor<>("reducing", StateModel::append, NUMBERS);
    static final AggregatingStateDescriptor<Long, List<Long>, Long> AGGREGATING =
            new AggregatingStateDescriptor<>("aggregating", new Append(), NUMBERS);
    static final MapStateDescriptor<Integer, List<Long>> MAP =
            new MapStateDescriptor<>("map", IntSerializer.INSTANCE, NUMBERS);
    static final ListStateDescriptor<Long> LIST =
            new ListStateDescriptor<>("list", LongSerializer.INSTANCE);
    static final ValueStateDescriptor<String> EXPIRING =
            new ValueStateDescriptor<>("expiring", StringSerializer.INSTANCE);

    static {
        EXPIRING.enableTimeToLive(
                StateTtlConfig.newBuilder(Duration.ofMillis(TTL_MILLIS))
                        .updateTtlOnReadAndWrite()
                        .build());
    }

    @TempDir Path directory;

    final MockTtlTimeProvider time = new MockTtlTimeProvider();
    final Tuple2<Long, String> reusedKey = new Tuple2<>();

    AbstractKeyedStateBackend<Tuple2<Long, String>> backend;
    InternalValueState<Tuple2<Long, String>, String, List<Long>> value;
    InternalValueState<Tuple2<Long, String>, String, Long> count;
    InternalReducingState<Tuple2<Long, String>, Long, List<Long>> reducing;
    InternalAggregatingState<Tuple2<Long, String>, Long, Long, List<Long>, Long> aggregating;
    InternalMapState<Tuple2<Long, String>, String, Integer, List<Long>> map;
    InternalListState<Tuple2<Long, String>, Long, Long> list;
    InternalValueState<Tuple2<Long, String>, String, String> expiring;

    long readHits;
    long evictions;
    long coalescedWrites;

    /** Whether lists are cached, from the next {@link #open} on. */
    boolean keepsLists;

    void open(Make make, String cacheSize, Collection<KeyedStateHandle> handles) throws Exception {
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
        if (keepsLists) {
            ReadsAhead.of(backend).keepLists(LIST.getName());
        }
    }

    @SuppressWarnings("unchecked")
    private <N, S> S state(TypeSerializer<N> namespaces, StateDescriptor<?, ?> descriptor)
            throws Exception {
        return (S) backend.getOrCreateKeyedState(namespaces, descriptor);
    }

    void close() {
        if (backend instanceof StateAccelKeyedStateBackend<?> accelerated) {
            for (StateDescriptor<?, ?> descriptor :
                    List.of(VALUE, COUNT, REDUCING, AGGREGATING, MAP, LIST, EXPIRING)) {
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
    void setKey(int index) {
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

    static Tuple2<Long, String> key(int index) {
        return Tuple2.of((long) index, "k".repeat(index % 5));
    }

    static int index(Tuple2<Long, String> key) {
        return key.f0.intValue();
    }

    static String text(int namespace) {
        return "n".repeat(namespace);
    }

    @SuppressWarnings("unchecked")
    private static TypeSerializer<Tuple2<Long, String>> keySerializer() {
        return new TupleSerializer<>(
                (Class<Tuple2<Long, String>>) (Class<?>) Tuple2.class,
                new TypeSerializer<?>[] {LongSerializer.INSTANCE, StringSerializer.INSTANCE});
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
            return StateModel.append(left, right);
        }
    }
}
