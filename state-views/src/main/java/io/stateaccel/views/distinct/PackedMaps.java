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
package io.stateaccel.views.distinct;

import io.stateaccel.views.batch.ReadsAhead;
import io.stateaccel.views.batch.SerializedLists;
import io.stateaccel.views.time.IncrementalCleanup;
import io.stateaccel.views.time.Lifetime;
import java.util.Optional;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializer;
import org.apache.flink.runtime.state.ttl.TtlValue;

/** Opens states of {@linkplain PackedMap packed maps}. */
public final class PackedMaps {

    private PackedMaps() {}

    /** Whether there may be a map of these types. */
    static boolean mayBeOf(TypeSerializer<?> keySerializer, TypeSerializer<?> valueSerializer) {
        return EntryFormat.of(keySerializer, valueSerializer, false).isPresent();
    }

    /**
     * Opens a state of such maps.
     *
     * @param backend any; made for those that keep lists on the heap ({@link SerializedLists}), and
     *     slow on others
     * @param keySerializer of keys, of which the same ones have the same bytes
     * @param lifetime of an entry after it was put last
     */
    @SuppressWarnings("unchecked")
    public static <K, V> PackedMap<K, V> open(
            KeyedStateBackend<?> backend,
            String stateName,
            TypeSerializer<K> keySerializer,
            TypeSerializer<V> valueSerializer,
            Lifetime lifetime)
            throws Exception {
        TypeSerializer<Tuple2<K, V>> entrySerializer =
                new TupleSerializer<>(
                        (Class<Tuple2<K, V>>) (Class<?>) Tuple2.class,
                        new TypeSerializer<?>[] {keySerializer, valueSerializer});
        if (lifetime.isForever()) {
            InternalListState<?, Integer, Tuple2<K, V>> state =
                    openState(backend, stateName, entrySerializer, lifetime);
            return new PackedMap<>(
                    lists(backend, stateName, state, entrySerializer),
                    keySerializer,
                    valueSerializer,
                    lifetime,
                    () -> {});
        }
        TypeSerializer<TtlValue<Tuple2<K, V>>> expiringSerializer =
                new TtlSerializer<>(LongSerializer.INSTANCE, entrySerializer);
        InternalListState<?, Integer, TtlValue<Tuple2<K, V>>> state =
                openState(backend, stateName, expiringSerializer, lifetime);
        IncrementalCleanup<?, ?, ?> cleanup =
                new IncrementalCleanup<>(state, lifetime::unexpired, lifetime);
        return new PackedMap<>(
                lists(backend, stateName, state, expiringSerializer),
                keySerializer,
                valueSerializer,
                lifetime,
                cleanup::stateAccessed);
    }

    /** Without Flink's wrapper of states that expire, which would read whole lists. */
    private static <E> InternalListState<?, Integer, E> openState(
            KeyedStateBackend<?> backend,
            String stateName,
            TypeSerializer<E> elements,
            Lifetime lifetime)
            throws Exception {
        InternalListState<?, Integer, E> state =
                backend.createOrUpdateInternalState(
                        IntSerializer.INSTANCE,
                        lifetime.applyTo(new ListStateDescriptor<>(stateName, elements)));
        ReadsAhead.of(backend).keepLists(stateName);
        return state;
    }

    private static <E> SerializedLists lists(
            KeyedStateBackend<?> backend,
            String stateName,
            InternalListState<?, Integer, E> state,
            TypeSerializer<E> elements) {
        Optional<SerializedLists> lists = SerializedLists.of(backend, stateName);
        return lists.isPresent() ? lists.get() : new ListStateLists<>(state, elements);
    }
}
