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
package io.stateaccel.views.aggregate;

import io.stateaccel.views.time.AgedValue;
import io.stateaccel.views.time.Lifetime;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;

/**
 * The accumulators of the groups below the current key: a value per key and group, which is its
 * namespace.
 */
public final class KeyedAccumulators implements Accumulators {

    private final AgedValue<RowData, RowData> state;
    private final RowDataSerializer serializer;

    /**
     * @param backend holds the state
     * @param name of the state
     * @param groupType the groups
     * @param accumulatorType the accumulators
     * @param lifetime of an accumulator after it was changed
     */
    public KeyedAccumulators(
            KeyedStateBackend<RowData> backend,
            String name,
            InternalTypeInfo<RowData> groupType,
            InternalTypeInfo<RowData> accumulatorType,
            Lifetime lifetime)
            throws Exception {
        this.serializer = accumulatorType.toRowSerializer();
        this.state =
                AgedValue.open(backend, groupType.toRowSerializer(), name, serializer, lifetime);
    }

    @Override
    @Nullable
    public RowData get(RowData group) throws Exception {
        state.setCurrentNamespace(group);
        RowData stored = state.value();
        // A heap backend hands out the object it stores, which the functions may change in place.
        return stored == null || stored instanceof BinaryRowData ? stored : serializer.copy(stored);
    }

    @Override
    public void put(RowData group, RowData accumulator, long lastWrite) throws Exception {
        state.setCurrentNamespace(group);
        state.update(serializer.toBinaryRow(accumulator).copy(), lastWrite);
    }

    @Override
    public void remove(RowData group) throws Exception {
        state.setCurrentNamespace(group);
        state.clear();
    }
}
