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
package io.stateaccel.views.time;

import javax.annotation.Nullable;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializer;
import org.apache.flink.runtime.state.ttl.TtlValue;

/**
 * A value per key and namespace, with the time at which it was written last. Who writes says when
 * that was, so that a value may be written later than it was changed and still expires at the right
 * time.
 *
 * <p>The layout is that of Flink's value state, and with a time to live that of its {@code
 * TtlValueState}: a stock operator can go on from it, and RocksDB's compaction filter, which Flink
 * configures for it, drops what has expired. Used by the task thread.
 *
 * @param <N> the namespaces
 * @param <V> the values
 */
public interface AgedValue<N, V> {

    void setCurrentNamespace(N namespace);

    /** The value of the current key and namespace, null if there is none or it has expired. */
    @Nullable
    V value() throws Exception;

    /**
     * Sets the value of the current key and namespace.
     *
     * @param lastWrite when it became that, as {@link Lifetime#now} has it; ignored where values
     *     live for ever
     */
    void update(V value, long lastWrite) throws Exception;

    /** Removes the value of the current key and namespace. */
    void clear();

    /**
     * Opens a state.
     *
     * @param backend holds it
     * @param namespaces serializes namespaces; one has to be set before anything else is done
     * @param name of the state
     * @param values serializes values
     * @param lifetime of a value after it was written
     */
    @SuppressWarnings("unchecked")
    static <N, V> AgedValue<N, V> open(
            KeyedStateBackend<?> backend,
            TypeSerializer<N> namespaces,
            String name,
            TypeSerializer<V> values,
            Lifetime lifetime)
            throws Exception {
        if (lifetime.isForever()) {
            return new LastingValue<>(
                    (InternalValueState<?, N, V>)
                            backend.getOrCreateKeyedState(
                                    namespaces, new ValueStateDescriptor<>(name, values)));
        }
        ValueStateDescriptor<TtlValue<V>> descriptor =
                new ValueStateDescriptor<>(
                        name, new TtlSerializer<>(LongSerializer.INSTANCE, values));
        return new ExpiringValue<>(
                backend.createOrUpdateInternalState(namespaces, lifetime.applyTo(descriptor)),
                lifetime);
    }
}
