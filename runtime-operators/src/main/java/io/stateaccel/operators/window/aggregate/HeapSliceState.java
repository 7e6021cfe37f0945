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
package io.stateaccel.operators.window.aggregate;

import io.stateaccel.operators.window.slice.CurrentKey;
import io.stateaccel.operators.window.slice.HeapSlices;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.table.data.RowData;

/** {@link HeapSlices} as Flink's processor sees them: the accumulator of a key and slice. */
final class HeapSliceState implements InternalValueState<RowData, Long, RowData> {

    private final HeapSlices<RowData> slices;
    private final CurrentKey key;
    private final InternalValueState<RowData, Long, RowData> state;
    private long sliceEnd;

    /**
     * @param state what is not on the heap
     */
    HeapSliceState(
            HeapSlices<RowData> slices,
            CurrentKey key,
            InternalValueState<RowData, Long, RowData> state) {
        this.slices = slices;
        this.key = key;
        this.state = state;
    }

    @Override
    public void setCurrentNamespace(Long namespace) {
        sliceEnd = namespace;
    }

    @Override
    public RowData value() throws IOException {
        return slices.get(key.get(), sliceEnd);
    }

    @Override
    public void update(RowData accumulator) throws IOException {
        slices.put(key.get(), sliceEnd, accumulator);
    }

    @Override
    public void clear() {
        slices.remove(key.get(), sliceEnd);
    }

    @Override
    public TypeSerializer<RowData> getKeySerializer() {
        return state.getKeySerializer();
    }

    @Override
    public TypeSerializer<Long> getNamespaceSerializer() {
        return state.getNamespaceSerializer();
    }

    @Override
    public TypeSerializer<RowData> getValueSerializer() {
        return state.getValueSerializer();
    }

    /** Only queryable state asks for it, and this is none. */
    @Override
    public byte[] getSerializedValue(
            byte[] serializedKeyAndNamespace,
            TypeSerializer<RowData> keySerializer,
            TypeSerializer<Long> namespaceSerializer,
            TypeSerializer<RowData> valueSerializer)
            throws Exception {
        return state.getSerializedValue(
                serializedKeyAndNamespace, keySerializer, namespaceSerializer, valueSerializer);
    }

    @Override
    public StateIncrementalVisitor<RowData, Long, RowData> getStateIncrementalVisitor(
            int recommendedMaxNumberOfReturnedRecords) {
        return state.getStateIncrementalVisitor(recommendedMaxNumberOfReturnedRecords);
    }
}
