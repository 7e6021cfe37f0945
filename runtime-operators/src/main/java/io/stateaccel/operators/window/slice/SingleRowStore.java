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
package io.stateaccel.operators.window.slice;

import io.stateaccel.operators.aggregate.AccumulatorBytes;
import io.stateaccel.operators.bundle.HeapBytes;
import java.io.IOException;
import java.util.function.LongFunction;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * One row per key and slice in a state, an accumulator for instance.
 *
 * @param <N> what the state knows slices by
 */
public final class SingleRowStore<N> implements SliceStore<RowData> {

    private final InternalValueState<RowData, N, RowData> state;
    private final LongFunction<N> namespaces;
    private final RowDataSerializer serializer;
    private final AccumulatorBytes accumulatorBytes;
    private final boolean holdsObjects;

    /**
     * @param namespaces what the state knows a slice by, of its end
     * @param types the fields of a row
     * @param holdsObjects whether the state holds the objects that it is given and gives, which
     *     whoever has them may change
     */
    public SingleRowStore(
            InternalValueState<RowData, N, RowData> state,
            LongFunction<N> namespaces,
            LogicalType[] types,
            boolean holdsObjects) {
        this.state = state;
        this.namespaces = namespaces;
        this.serializer = new RowDataSerializer(types);
        this.accumulatorBytes = new AccumulatorBytes(types);
        this.holdsObjects = holdsObjects;
    }

    @Override
    @Nullable
    public RowData read(long sliceEnd, @Nullable RowData appended) throws IOException {
        state.setCurrentNamespace(namespaces.apply(sliceEnd));
        RowData row = state.value();
        return row == null ? null : own(row);
    }

    @Override
    public void write(long sliceEnd, RowData row) throws IOException {
        state.setCurrentNamespace(namespaces.apply(sliceEnd));
        state.update(own(row));
    }

    private RowData own(RowData row) {
        return holdsObjects ? serializer.copy(row) : row;
    }

    @Override
    public void clear(long sliceEnd, @Nullable RowData row) {
        state.setCurrentNamespace(namespaces.apply(sliceEnd));
        state.clear();
    }

    @Override
    public long bytesPerValue() {
        return accumulatorBytes.ofFields();
    }

    @Override
    public long bytes(RowData row) {
        return bytes(row, 0, HeapBytes.ofValues(row));
    }

    @Override
    public long bytes(RowData row, long before, long rowBytes) {
        return accumulatorBytes.ofGrowing(row, before, rowBytes);
    }
}
