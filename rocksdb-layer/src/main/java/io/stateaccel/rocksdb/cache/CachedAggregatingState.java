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

import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.runtime.state.internal.InternalAggregatingState;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;

/** Cached {@code AggregatingState}. */
final class CachedAggregatingState<K, N, IN, ACC, OUT>
        extends CachedMergingState<K, N, IN, ACC, OUT>
        implements InternalAggregatingState<K, N, IN, ACC, OUT> {

    private AggregateFunction<IN, ACC, OUT> function;

    CachedAggregatingState(
            RocksDBKeyedStateBackend<K> backend, CurrentKey<K> currentKey, StateCache cache) {
        super(backend, currentKey, cache);
    }

    void setFunction(AggregateFunction<IN, ACC, OUT> function) {
        this.function = function;
    }

    @Override
    public OUT get() throws Exception {
        ACC accumulator = load();
        return accumulator == null ? null : function.getResult(accumulator);
    }

    @Override
    public void add(IN value) throws Exception {
        ACC before = load();
        store(function.add(value, before == null ? function.createAccumulator() : before));
    }

    @Override
    ACC merge(ACC left, ACC right) {
        return function.merge(left, right);
    }
}
