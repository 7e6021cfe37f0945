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

import io.stateaccel.views.batch.MappedIterator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.Map;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.table.runtime.dataview.NullAwareMapIterator;
import org.apache.flink.table.runtime.dataview.StateMapView;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * The values that an aggregate with DISTINCT has seen, each with how often or for which of its
 * filters, in a {@link PackedMap}; the one value that is null, as Flink keeps it. Used by the task
 * thread.
 *
 * @param <N> not used: each key has one
 * @param <K> the values
 * @param <V> what is known of a value
 */
final class PackedMapView<N, K, V> extends StateMapView<N, K, V> {

    private final PackedMap<K, V> map;
    private final ValueState<V> ofNull;

    PackedMapView(PackedMap<K, V> map, ValueState<V> ofNull) {
        this.map = map;
        this.ofNull = ofNull;
    }

    @Override
    public void setCurrentNamespace(N namespace) {
        throw new UnsupportedOperationException("There is one per key.");
    }

    @Override
    public V get(K key) throws Exception {
        return key == null ? ofNull.value() : map.get(key);
    }

    @Override
    public void put(K key, V value) throws Exception {
        if (key == null) {
            ofNull.update(value);
        } else {
            map.put(key, value);
        }
    }

    @Override
    public void putAll(Map<K, V> entries) throws Exception {
        for (Map.Entry<K, V> entry : entries.entrySet()) {
            put(entry.getKey(), entry.getValue());
        }
    }

    @Override
    public void remove(K key) throws Exception {
        if (key == null) {
            ofNull.clear();
        } else {
            map.remove(key);
        }
    }

    @Override
    public boolean contains(K key) throws Exception {
        return key == null ? ofNull.value() != null : map.contains(key);
    }

    @Override
    public Iterable<Map.Entry<K, V>> entries() {
        return this::iterator;
    }

    @Override
    public Iterable<K> keys() {
        return () -> new MappedIterator<>(iterator(), Map.Entry::getKey);
    }

    @Override
    public Iterable<V> values() {
        return () -> new MappedIterator<>(iterator(), Map.Entry::getValue);
    }

    @Override
    public Iterator<Map.Entry<K, V>> iterator() {
        return new NullAwareMapIterator<>(map.iterator(), new NullEntry());
    }

    @Override
    public boolean isEmpty() throws Exception {
        return map.isEmpty() && ofNull.value() == null;
    }

    @Override
    public void clear() {
        try {
            map.clear();
        } catch (Exception e) {
            throw new FlinkRuntimeException("Error while removing packed entries.", e);
        }
        ofNull.clear();
    }

    private final class NullEntry implements NullAwareMapIterator.NullMapEntry<K, V> {

        @Override
        public V getValue() {
            try {
                return ofNull.value();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public V setValue(V value) {
            V before = getValue();
            try {
                ofNull.update(value);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return before;
        }

        @Override
        public void remove() {
            ofNull.clear();
        }
    }
}
