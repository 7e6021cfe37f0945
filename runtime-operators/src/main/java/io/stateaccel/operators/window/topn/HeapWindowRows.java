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

import io.stateaccel.operators.bundle.HeapBytes;
import io.stateaccel.operators.window.WindowedRows;
import io.stateaccel.operators.window.slice.CurrentKey;
import io.stateaccel.operators.window.slice.HeapSlices;
import io.stateaccel.operators.window.slice.HeapTimers;
import io.stateaccel.operators.window.slice.SliceStore;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.runtime.operators.window.tvf.common.WindowAggOperator;
import org.apache.flink.table.runtime.operators.window.tvf.common.WindowTimerService;
import org.apache.flink.table.runtime.operators.window.tvf.slicing.SlicingSyncStateWindowProcessor;
import org.apache.flink.table.runtime.operators.window.tvf.slicing.SlicingWindowTimerServiceImpl;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.runtime.util.TimeWindowUtil;

/**
 * Picks rows of each key and window, which are the result when the watermark ends the window. They
 * are on the heap, as {@link HeapSlices}, and get to the state at a checkpoint, or where the heap
 * that they may take is used up; a window that ends before that never does.
 *
 * <p>It runs in Flink's own operator, with Flink's states and timers, so late rows, metrics and the
 * layout of the state are Flink's.
 *
 * @param <V> the rows that are picked of a key and window
 */
abstract class HeapWindowRows<V> implements SlicingSyncStateWindowProcessor<Long> {

    private static final long serialVersionUID = 1L;

    /** What comes. */
    protected final WindowedRows rows;

    private transient RowDataSerializer serializer;
    private transient CurrentKey key;
    private transient HeapSlices<V> slices;
    private transient HeapTimers<V> timers;
    private transient WindowTimerService<Long> windowTimers;
    private transient SyncStateContext<Long> operator;
    private transient long progress;

    protected HeapWindowRows(WindowedRows rows) {
        this.rows = rows;
    }

    /** Makes Flink's operator, which runs this processor. */
    public OneInputStreamOperator<RowData, RowData> operator() {
        return new WindowAggOperator<RowData, Long>(this, true);
    }

    /**
     * Where rows go that may not stay on the heap, in the same layout as Flink's own.
     *
     * @param backend of the operator
     * @param userCode loads generated classes
     */
    protected abstract SliceStore<V> open(KeyedStateBackend<RowData> backend, ClassLoader userCode)
            throws Exception;

    /**
     * Whether a row is one of those that are picked.
     *
     * @param picked what was picked before, if anything
     * @param row may be reused after the call
     */
    protected abstract boolean picks(@Nullable V picked, RowData row);

    /**
     * Takes a row that is picked.
     *
     * @param picked what was picked before, if anything; it may be changed
     * @return what is picked now
     */
    protected abstract V add(@Nullable V picked, BinaryRowData row);

    /** Emits what was picked of a key and a window that has ended. */
    protected abstract void emit(V picked, SyncStateContext<Long> to);

    @Override
    public final void open(SyncStateContext<Long> context) throws Exception {
        operator = context;
        serializer = rows.type().toRowSerializer();
        key = new CurrentKey(context.getKeyedStateBackend());
        slices = new HeapSlices<>(key, rows.heapBytes());
        timers =
                new HeapTimers<>(
                        context.getTimerService(),
                        context.getTimerService(),
                        slices,
                        key,
                        true,
                        false);
        slices.spillTimersTo(timers);
        slices.spillTo(
                open(
                        context.getKeyedStateBackend(),
                        context.getRuntimeContext().getUserCodeClassLoader()));
        windowTimers = new SlicingWindowTimerServiceImpl(timers, rows.shiftTimeZone());
        progress = Long.MIN_VALUE;
    }

    @Override
    public void initializeWatermark(long watermark) {
        progress = watermark;
    }

    @Override
    public boolean processElement(RowData currentKey, RowData row) throws Exception {
        long windowEnd = row.getLong(rows.windowEndIndex());
        if (TimeWindowUtil.isWindowFired(windowEnd, progress, rows.shiftTimeZone())) {
            return true;
        }
        if (!RowDataUtil.isAccumulateMsg(row)) {
            throw new UnsupportedOperationException(
                    "Rows of windows are not taken back: " + row.getRowKind().shortString());
        }
        HeapSlices.Entry<V> entry = slices.entry(currentKey, windowEnd);
        boolean hasTimer = entry.hasTimer();
        if (picks(entry.value(), row)) {
            BinaryRowData kept = serializer.toBinaryRow(row).copy();
            slices.set(entry, add(entry.value(), kept), HeapBytes.ofValues(kept));
        }
        if (!hasTimer) {
            windowTimers.registerEventTimeWindowTimer(windowEnd);
        }
        return false;
    }

    @Override
    public void advanceProgress(long watermark) throws Exception {
        if (watermark > progress) {
            progress = watermark;
            timers.advance(
                    watermark,
                    (time, windowEnd) -> {
                        fireWindow(time, windowEnd);
                        clearWindow(time, windowEnd);
                    });
        }
    }

    @Override
    public void prepareCheckpoint() throws Exception {
        slices.writeBack();
    }

    @Override
    public void fireWindow(long time, Long windowEnd) throws IOException {
        V picked = slices.entry(key.get(), windowEnd).value();
        if (picked != null) {
            emit(picked, operator);
        }
    }

    @Override
    public void clearWindow(long time, Long windowEnd) {
        slices.remove(key.get(), windowEnd);
    }

    @Override
    public void close() {
        if (slices != null) {
            slices.close();
        }
    }

    @Override
    public TypeSerializer<Long> createWindowSerializer() {
        return LongSerializer.INSTANCE;
    }
}
