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

import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;
import org.rocksdb.RocksDBException;

/** Cached {@code ValueState}. */
final class CachedValueState<K, N, V> extends CachedSingleState<K, N, V>
        implements InternalValueState<K, N, V> {

    @Nullable private V defaultValue;

    CachedValueState(
            RocksDBKeyedStateBackend<K> backend, CurrentKey<K> currentKey, StateCache cache) {
        super(backend, currentKey, cache);
    }

    void setDefaultValue(@Nullable V defaultValue) {
        this.defaultValue = defaultValue;
    }

    @Override
    public V value() throws IOException {
        try {
            V value = load();
            return value == null && defaultValue != null
                    ? getValueSerializer().copy(defaultValue)
                    : value;
        } catch (RocksDBException e) {
            throw new IOException("Error while retrieving data from RocksDB.", e);
        }
    }

    @Override
    public void update(V value) throws IOException {
        if (value == null) {
            clear();
            return;
        }
        try {
            store(value);
        } catch (RocksDBException e) {
            throw new IOException("Error while adding data to RocksDB", e);
        }
    }
}
