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
import io.stateaccel.operators.window.slice.SliceStore;
import java.util.Comparator;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.generated.GeneratedRecordComparator;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.types.RowKind;

/**
 * Top-N of each key and window, by {@code ROW_NUMBER}: of rows that are equal in what they are
 * ranked by, those that came first come first. There are no more than N rows of a key and window.
 */
public final class HeapWindowRank extends HeapWindowRows<TopRows> {

    private static final long serialVersionUID = 1L;

    /** As Flink calls the state. */
    private static final String ROWS = "window_rank";

    private final GeneratedRecordComparator rowComparator;
    private final RowDataKeySelector sortKeySelector;
    private final long rankStart;
    private final long rankEnd;
    private final boolean outputRankNumber;

    private transient Comparator<RowData> order;
    private transient JoinedRowData result;
    private transient GenericRowData rank;

    /**
     * @param rows what comes
     * @param rowComparator compares two rows by what they are ranked by
     * @param sortKeySelector extracts what rows are ranked by; it does not reuse what it returns
     * @param rankStart the first rank of the result, 1 or more
     * @param rankEnd the last rank of the result
     * @param outputRankNumber whether the rank is the last column of the result
     */
    public HeapWindowRank(
            WindowedRows rows,
            GeneratedRecordComparator rowComparator,
            RowDataKeySelector sortKeySelector,
            long rankStart,
            long rankEnd,
            boolean outputRankNumber) {
        super(rows);
        this.rowComparator = rowComparator;
        this.sortKeySelector = sortKeySelector;
        this.rankStart = rankStart;
        this.rankEnd = rankEnd;
        this.outputRankNumber = outputRankNumber;
    }

    @Override
    @SuppressWarnings("unchecked")
    protected SliceStore<TopRows> open(KeyedStateBackend<RowData> backend, ClassLoader userCode)
            throws Exception {
        order = rowComparator.newInstance(userCode);
        result = new JoinedRowData();
        rank = new GenericRowData(1);
        return new TopRowsStore(
                (InternalMapState<RowData, Long, RowData, List<RowData>>)
                        backend.getOrCreateKeyedState(
                                LongSerializer.INSTANCE,
                                new MapStateDescriptor<>(
                                        ROWS,
                                        sortKeySelector.getProducedType().toSerializer(),
                                        new ListSerializer<>(rows.type().toRowSerializer()))),
                sortKeySelector,
                this::noRows);
    }

    private TopRows noRows() {
        return new TopRows(order, rankEnd);
    }

    @Override
    protected boolean picks(@Nullable TopRows picked, RowData row) {
        return picked == null || picked.accepts(row);
    }

    @Override
    protected TopRows add(@Nullable TopRows picked, BinaryRowData row) {
        TopRows topRows = picked == null ? noRows() : picked;
        topRows.add(row);
        return topRows;
    }

    @Override
    protected void emit(TopRows picked, SyncStateContext<Long> to) {
        long number = 0;
        for (RowData row : picked) {
            if (++number >= rankStart) {
                to.output(outputRankNumber ? withRank(row, number) : row);
            }
        }
    }

    private RowData withRank(RowData row, long number) {
        rank.setField(0, number);
        result.replace(row, rank);
        result.setRowKind(RowKind.INSERT);
        return result;
    }
}
