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

import org.apache.flink.api.common.functions.ReduceFunction;
import org.apache.flink.runtime.state.internal.InternalReducingState;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;

/** Cached {@code ReducingState}. */
final class CachedReducingState<K, N, V> extends CachedMergingState<K, N, V, V, V>
        implements InternalReducingState<K, N, V> {

    private ReduceFunction<V> function;

    CachedReducingState(
            RocksDBKeyedStateBackend<K> backend, CurrentKey<K> currentKey, StateCache cache) {
        super(backend, currentKey, cache);
    }

    void setFunction(ReduceFunction<V> function) {
        this.function = function;
    }

    @Override
    public V get() throws Exception {
        return load();
    }

    @Override
    public void add(V value) throws Exception {
        V before = load();
        store(before == null ? value : function.reduce(before, value));
    }

    @Override
    V merge(V left, V right) throws Exception {
        return function.reduce(left, right);
    }
}
