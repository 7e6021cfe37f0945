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

import io.stateaccel.rocksdb.store.KeyValueStore;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;
import org.rocksdb.RocksDBException;

/**
 * The cached states of one keyed backend. Used by the task thread only.
 *
 * @param <K> the type of the key
 */
public final class CachedStates<K> {

    private final RocksDBKeyedStateBackend<K> backend;
    private final CurrentKey<K> currentKey;
    private final SubTaskCache cache;
    private final Map<String, CachedState<K, ?, ?>> states = new HashMap<>();

    public CachedStates(
            RocksDBKeyedStateBackend<K> backend, CurrentKey<K> currentKey, SubTaskCache cache) {
        this.backend = backend;
        this.currentKey = currentKey;
        this.cache = cache;
    }

    /**
     * Whether a state is of a kind that is cached: one value per key and namespace, or a map of
     * them, read by the task thread alone.
     */
    public static boolean canCache(StateDescriptor<?, ?> descriptor) {
        return !descriptor.isQueryable()
                && switch (descriptor.getType()) {
                    case VALUE, REDUCING, AGGREGATING, MAP -> true;
                    default -> false;
                };
    }

    /**
     * Reads what keys have in the current namespace of a state, for the next read of each; a state
     * that is not cached is left alone.
     */
    public void readAhead(String stateName, List<? extends K> keys) throws RocksDBException {
        CachedState<K, ?, ?> state = states.get(stateName);
        if (state != null) {
            state.readAhead(keys);
        }
    }

    /**
     * The cached state to hand out instead of Flink's; the one of an earlier call if there was one.
     *
     * @param descriptor of a state that can be cached
     * @param plain Flink's state in RocksDB
     * @param store where {@code plain} is
     */
    @SuppressWarnings({"unchecked", "rawtypes"})
    public <S extends State, IS extends S> IS standInFor(
            StateDescriptor<S, ?> descriptor, IS plain, KeyValueStore store) throws IOException {
        String name = descriptor.getName();
        StateCache stateCache = cache.stateCache(name, store);
        CachedState state = states.get(name);
        switch (descriptor.getType()) {
            case VALUE -> {
                CachedValueState value =
                        state == null
                                ? new CachedValueState(backend, currentKey, stateCache)
                                : (CachedValueState) state;
                value.setDefaultValue(descriptor.getDefaultValue());
                state = value;
            }
            case REDUCING -> {
                CachedReducingState reducing =
                        state == null
                                ? new CachedReducingState(backend, currentKey, stateCache)
                                : (CachedReducingState) state;
                reducing.setFunction(((ReducingStateDescriptor<?>) descriptor).getReduceFunction());
                state = reducing;
            }
            case AGGREGATING -> {
                CachedAggregatingState aggregating =
                        state == null
                                ? new CachedAggregatingState(backend, currentKey, stateCache)
                                : (CachedAggregatingState) state;
                aggregating.setFunction(
                        ((AggregatingStateDescriptor<?, ?, ?>) descriptor).getAggregateFunction());
                state = aggregating;
            }
            case MAP -> {
                if (state == null) {
                    state = new CachedMapState(backend, currentKey, stateCache);
                }
            }
            default -> throw new IllegalArgumentException("cannot cache " + descriptor);
        }
        state.standInFor((InternalKvState) plain);
        states.put(name, state);
        return (IS) state;
    }
}
