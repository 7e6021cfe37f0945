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

import java.util.Collection;
import org.apache.flink.runtime.state.internal.InternalMergingState;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;

/** Cached state whose values of several namespaces can be merged into one (session windows). */
abstract class CachedMergingState<K, N, IN, V, OUT> extends CachedSingleState<K, N, V>
        implements InternalMergingState<K, N, IN, V, OUT> {

    CachedMergingState(
            RocksDBKeyedStateBackend<K> backend, CurrentKey<K> currentKey, StateCache cache) {
        super(backend, currentKey, cache);
    }

    /** Merges two values, neither of them null. */
    abstract V merge(V left, V right) throws Exception;

    @Override
    public final V getInternal() throws Exception {
        return load();
    }

    @Override
    public final void updateInternal(V value) throws Exception {
        store(value);
    }

    @Override
    public final void mergeNamespaces(N target, Collection<N> sources) throws Exception {
        if (sources == null) {
            return;
        }
        V merged = null;
        for (N source : sources) {
            if (source == null) {
                continue;
            }
            setCurrentNamespace(source);
            V value = load();
            if (value != null) {
                clear();
                merged = merged == null ? value : merge(merged, value);
            }
        }
        if (merged != null) {
            setCurrentNamespace(target);
            V value = load();
            store(value == null ? merged : merge(merged, value));
        }
    }
}
