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
package io.stateaccel.operators.window.topn;

import io.stateaccel.operators.window.WindowedRows;
import io.stateaccel.operators.window.slice.SingleRowStore;
import io.stateaccel.operators.window.slice.SliceStore;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;

/**
 * The first or the last row, by row time, of each key and window. Of rows of the same time it is
 * the one that came first, or last.
 */
public final class HeapWindowDeduplicate extends HeapWindowRows<RowData> {

    private static final long serialVersionUID = 1L;

    /** As Flink calls the state. */
    private static final String ROWS = "window_deduplicate";

    private final int rowtimeIndex;
    private final boolean keepLastRow;

    /**
     * @param rows what comes
     * @param rowtimeIndex the column that has the time of a row
     * @param keepLastRow or the first one
     */
    public HeapWindowDeduplicate(WindowedRows rows, int rowtimeIndex, boolean keepLastRow) {
        super(rows);
        this.rowtimeIndex = rowtimeIndex;
        this.keepLastRow = keepLastRow;
    }

    @Override
    @SuppressWarnings("unchecked")
    protected SliceStore<RowData> open(KeyedStateBackend<RowData> backend, ClassLoader userCode)
            throws Exception {
        InternalValueState<RowData, Long, RowData> state =
                (InternalValueState<RowData, Long, RowData>)
                        backend.getOrCreateKeyedState(
                                LongSerializer.INSTANCE,
                                new ValueStateDescriptor<>(ROWS, rows.type().toRowSerializer()));
        return new SingleRowStore<>(
                state,
                Long::valueOf,
                rows.type().toRowFieldTypes(),
                !backend.isSafeToReuseKVState());
    }

    @Override
    protected boolean picks(@Nullable RowData picked, RowData row) {
        if (picked == null) {
            return true;
        }
        long time = row.getLong(rowtimeIndex);
        long pickedTime = picked.getLong(rowtimeIndex);
        return keepLastRow ? time >= pickedTime : time < pickedTime;
    }

    @Override
    protected RowData add(@Nullable RowData picked, BinaryRowData row) {
        return row;
    }

    @Override
    protected void emit(RowData picked, SyncStateContext<Long> to) {
        to.output(picked);
    }
}
