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
package io.stateaccel.operators.sort;

import io.stateaccel.operators.bundle.HeapBudget;
import io.stateaccel.operators.bundle.HeapBytes;
import io.stateaccel.operators.bundle.RowKeeper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.BasicTypeInfo;
import org.apache.flink.api.java.typeutils.ListTypeInfo;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.binary.BinaryRowDataUtil;
import org.apache.flink.table.runtime.generated.GeneratedRecordComparator;
import org.apache.flink.table.runtime.generated.RecordComparator;
import org.apache.flink.table.runtime.operators.sort.RowTimeSortOperator;

/**
 * Flink's sort by row time, whose rows wait on the heap for a watermark. They get to Flink's states
 * before a checkpoint, or where they take too much heap, and Flink's timers say then when they are
 * due; rows of the state and of the heap are emitted in one order. Flink reads and writes the list
 * of all rows of a time for every row, and has a timer for each time.
 *
 * <p>States, timers, results and which rows are dropped as late are Flink's.
 */
public class HeapRowTimeSortOperator extends RowTimeSortOperator {

    private static final long serialVersionUID = 1L;

    private final HeapRowTimeSortSpec spec;

    /** As Flink's, which keeps its own to itself. */
    @Nullable private transient RecordComparator comparator;

    private transient MapState<Long, List<RowData>> rowsInState;
    private transient ValueState<Long> lastTimeInState;

    private transient RowKeeper keeper;

    /** By their time, those of one time as they came. */
    private transient TreeMap<Long, List<RowData>> rowsOnHeap;

    private transient HeapBudget budget;

    /** Up to which time rows have been emitted; null if none have. */
    @Nullable private transient Long lastTime;

    private transient boolean isLastTimeLoaded;

    /**
     * @param spec what to sort and how
     */
    public HeapRowTimeSortOperator(HeapRowTimeSortSpec spec) {
        super(spec.inputType(), spec.timeColumn(), spec.comparator());
        this.spec = spec;
    }

    @Override
    public void open() throws Exception {
        super.open();
        GeneratedRecordComparator generated = spec.comparator();
        if (generated != null) {
            comparator = generated.newInstance(getUserCodeClassloader());
        }
        rowsInState =
                getRuntimeContext()
                        .getMapState(
                                new MapStateDescriptor<>(
                                        "dataState",
                                        BasicTypeInfo.LONG_TYPE_INFO,
                                        new ListTypeInfo<>(spec.inputType())));
        lastTimeInState =
                getRuntimeContext()
                        .getState(new ValueStateDescriptor<>("lastTriggeringTsState", Long.class));
        keeper = new RowKeeper(spec.inputType(), getExecutionConfig().isObjectReuseEnabled());
        rowsOnHeap = new TreeMap<>();
        budget = HeapBudget.open(spec.heapBytes());
    }

    @Override
    public void close() throws Exception {
        if (budget != null) {
            budget.close();
        }
        super.close();
    }

    @Override
    public void processElement(StreamRecord<RowData> element) throws Exception {
        RowData row = element.getValue();
        long time = row.getLong(spec.timeColumn());
        if (lastTime() != null && time <= lastTime()) {
            return;
        }
        List<RowData> rows = rowsOnHeap.get(time);
        if (rows == null) {
            rows = new ArrayList<>(1);
            rowsOnHeap.put(time, rows);
            budget.add(HeapBytes.ofKey(BinaryRowDataUtil.EMPTY_ROW));
        }
        BinaryRowData kept = keeper.keep(row);
        rows.add(kept);
        budget.add(HeapBytes.ofRow(kept));
        if (time <= timerService.currentWatermark()) {
            // Not dropped, as no row of its time, or of a later one, has been emitted. Timers may
            // be about to be called, so as in Flink it is one of them.
            timerService.registerEventTimeTimer(time);
        }
        if (budget.isExceeded()) {
            store();
        }
    }

    @Nullable
    private Long lastTime() throws Exception {
        if (!isLastTimeLoaded) {
            lastTime = lastTimeInState.value();
            isLastTimeLoaded = true;
        }
        return lastTime;
    }

    /**
     * One timer for all rows on the heap that are due, which comes when those in the state have.
     */
    @Override
    public void processWatermark(Watermark mark) throws Exception {
        Long lastDue = rowsOnHeap.floorKey(mark.getTimestamp());
        if (lastDue != null) {
            setCurrentKey(BinaryRowDataUtil.EMPTY_ROW);
            timerService.registerEventTimeTimer(lastDue);
        }
        super.processWatermark(mark);
    }

    @Override
    public void onEventTime(InternalTimer<RowData, VoidNamespace> timer) throws Exception {
        long time = timer.getTimestamp();
        while (!rowsOnHeap.isEmpty() && rowsOnHeap.firstKey() < time) {
            Map.Entry<Long, List<RowData>> first = rowsOnHeap.pollFirstEntry();
            release(first.getValue());
            emit(first.getKey(), first.getValue());
        }
        List<RowData> onHeap = rowsOnHeap.remove(time);
        if (onHeap != null) {
            release(onHeap);
        }
        List<RowData> rows = with(rowsInState.get(time), onHeap);
        if (rows != null) {
            rowsInState.remove(time);
            emit(time, rows);
        }
    }

    private void release(List<RowData> rows) {
        budget.add(-HeapBytes.ofKey(BinaryRowDataUtil.EMPTY_ROW));
        for (RowData row : rows) {
            budget.add(-HeapBytes.ofRow((BinaryRowData) row));
        }
    }

    /** Rows that came before, and those that came after them; null if there are none. */
    @Nullable
    private static List<RowData> with(
            @Nullable List<RowData> earlier, @Nullable List<RowData> later) {
        if (earlier == null || later == null) {
            return earlier == null ? later : earlier;
        }
        List<RowData> all = new ArrayList<>(earlier.size() + later.size());
        all.addAll(earlier);
        all.addAll(later);
        return all;
    }

    private void emit(long time, List<RowData> rows) {
        List<RowData> sorted = rows;
        if (comparator != null && rows.size() > 1) {
            sorted = new ArrayList<>(rows);
            sorted.sort(comparator);
        }
        sorted.forEach(collector::collect);
        lastTime = time;
        isLastTimeLoaded = true;
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        super.prepareSnapshotPreBarrier(checkpointId);
        store();
    }

    /** So that the state has all that Flink's has. */
    private void store() throws Exception {
        setCurrentKey(BinaryRowDataUtil.EMPTY_ROW);
        for (Map.Entry<Long, List<RowData>> rows : rowsOnHeap.entrySet()) {
            long time = rows.getKey();
            rowsInState.put(time, with(rowsInState.get(time), rows.getValue()));
            timerService.registerEventTimeTimer(time);
        }
        rowsOnHeap.clear();
        budget.clear();
        if (lastTime != null) {
            lastTimeInState.update(lastTime);
        }
    }
}
