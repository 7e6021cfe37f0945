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
package io.stateaccel.operators.window.join;

import io.stateaccel.operators.window.slice.CurrentKey;
import io.stateaccel.operators.window.slice.HeapSlices;
import io.stateaccel.operators.window.slice.HeapTimers;
import java.io.IOException;
import org.apache.flink.api.common.functions.DefaultOpenContext;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.metrics.Meter;
import org.apache.flink.metrics.MeterView;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.KeyContext;
import org.apache.flink.streaming.api.operators.TimestampedCollector;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.runtime.operators.TableStreamOperator;
import org.apache.flink.table.runtime.operators.join.JoinConditionWithNullFilters;
import org.apache.flink.table.runtime.operators.window.tvf.common.WindowTimerService;
import org.apache.flink.table.runtime.operators.window.tvf.slicing.SlicingWindowTimerServiceImpl;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.runtime.util.TimeWindowUtil;

/**
 * Joins the rows of each key and window when the watermark ends the window. They are on the heap,
 * as {@link HeapSlices}, and are appended to the state at a checkpoint, or where the heap that they
 * may take is used up; a window that ends before that never gets there. Nothing is read before a
 * window ends, and then only what has left the heap.
 *
 * <p>Takes the place of Flink's {@code WindowJoinOperator}, and has its states, timers and metrics.
 */
public final class HeapWindowJoin extends TableStreamOperator<RowData>
        implements TwoInputStreamOperator<RowData, RowData, RowData>, Triggerable<RowData, Long> {

    private static final long serialVersionUID = 1L;

    private final HeapWindowJoinSpec spec;

    private transient RowDataSerializer leftSerializer;
    private transient RowDataSerializer rightSerializer;
    private transient CurrentKey key;
    private transient HeapSlices<WindowSides> slices;
    private transient HeapTimers<WindowSides> timers;
    private transient WindowTimerService<Long> windowTimers;
    private transient JoinConditionWithNullFilters condition;
    private transient WindowJoinResults results;
    private transient Meter leftLateRows;
    private transient Meter rightLateRows;

    /**
     * @param spec what to join and how
     */
    public HeapWindowJoin(HeapWindowJoinSpec spec) {
        this.spec = spec;
    }

    @Override
    public void open() throws Exception {
        super.open();
        leftSerializer = spec.left().type().toRowSerializer();
        rightSerializer = spec.right().type().toRowSerializer();
        KeyedStateBackend<RowData> backend = getKeyedStateBackend();
        InternalTimerService<Long> stateTimers =
                getInternalTimerService("window-timers", LongSerializer.INSTANCE, this);
        key = new CurrentKey(backend);
        slices = new HeapSlices<>(key, spec.left().heapBytes());
        timers = new HeapTimers<>(stateTimers, stateTimers, slices, key, true, false);
        slices.spillTimersTo(timers);
        slices.spillTo(
                new WindowSidesStore(
                        rows(backend, "left-records", spec.left().type()),
                        rows(backend, "right-records", spec.right().type())));
        windowTimers = new SlicingWindowTimerServiceImpl(timers, spec.left().shiftTimeZone());

        condition =
                new JoinConditionWithNullFilters(
                        spec.condition().newInstance(getRuntimeContext().getUserCodeClassLoader()),
                        spec.filterNullKeys(),
                        new JoinedKey());
        condition.setRuntimeContext(getRuntimeContext());
        condition.open(DefaultOpenContext.INSTANCE);
        TimestampedCollector<RowData> collector = new TimestampedCollector<>(output);
        collector.eraseTimestamp();
        results =
                new WindowJoinResults(
                        spec.joinType(),
                        condition,
                        leftSerializer.getArity(),
                        rightSerializer.getArity(),
                        collector);
        leftLateRows = lateRows("left");
        rightLateRows = lateRows("right");
        metrics.gauge("watermarkLatency", this::watermarkLatency);
    }

    @SuppressWarnings("unchecked")
    private static InternalListState<RowData, Long, RowData> rows(
            KeyedStateBackend<RowData> backend, String name, InternalTypeInfo<RowData> type)
            throws Exception {
        return (InternalListState<RowData, Long, RowData>)
                backend.getOrCreateKeyedState(
                        LongSerializer.INSTANCE,
                        new ListStateDescriptor<>(name, type.toRowSerializer()));
    }

    private Meter lateRows(String side) {
        return metrics.meter(
                side + "LateRecordsDroppedRate",
                new MeterView(metrics.counter(side + "NumLateRecordsDropped")));
    }

    private long watermarkLatency() {
        long watermark = windowTimers.currentWatermark();
        return watermark < 0 ? 0 : windowTimers.currentProcessingTime() - watermark;
    }

    @Override
    public void processElement1(StreamRecord<RowData> element) throws Exception {
        add(true, element.getValue(), spec.left().windowEndIndex(), leftSerializer, leftLateRows);
    }

    @Override
    public void processElement2(StreamRecord<RowData> element) throws Exception {
        add(
                false,
                element.getValue(),
                spec.right().windowEndIndex(),
                rightSerializer,
                rightLateRows);
    }

    private void add(
            boolean isLeft,
            RowData row,
            int windowEndIndex,
            RowDataSerializer serializer,
            Meter lateRows)
            throws Exception {
        long windowEnd = row.getLong(windowEndIndex);
        if (TimeWindowUtil.isWindowFired(
                windowEnd, windowTimers.currentWatermark(), spec.left().shiftTimeZone())) {
            lateRows.markEvent();
            return;
        }
        if (!RowDataUtil.isAccumulateMsg(row)) {
            throw new UnsupportedOperationException(
                    "Rows of windows are not taken back: " + row.getRowKind().shortString());
        }
        HeapSlices.Entry<WindowSides> entry = slices.unread(key.get(), windowEnd);
        boolean hasTimer = entry.hasTimer();
        WindowSides sides = entry.value() == null ? new WindowSides() : entry.value();
        sides.add(isLeft, serializer.toBinaryRow(row).copy());
        slices.append(entry, sides, 0);
        if (!hasTimer) {
            windowTimers.registerEventTimeWindowTimer(windowEnd);
        }
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        timers.advance(mark.getTimestamp(), (time, windowEnd) -> join(windowEnd));
        super.processWatermark(mark);
    }

    @Override
    public void onEventTime(InternalTimer<RowData, Long> timer) throws Exception {
        setCurrentKey(timer.getKey());
        join(timer.getNamespace());
    }

    private void join(long windowEnd) throws IOException {
        WindowSides sides = slices.entry(key.get(), windowEnd).value();
        if (sides != null) {
            results.emit(sides.side(true).rows(), sides.side(false).rows());
        }
        slices.remove(key.get(), windowEnd);
    }

    @Override
    public void onProcessingTime(InternalTimer<RowData, Long> timer) {
        throw new IllegalStateException("There are no timers of processing time.");
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpoint) throws Exception {
        slices.writeBack();
    }

    @Override
    public void close() throws Exception {
        if (slices != null) {
            slices.close();
        }
        super.close();
        if (condition != null) {
            condition.close();
        }
    }

    /** The key of the window that is joined. */
    private final class JoinedKey implements KeyContext {

        @Override
        public Object getCurrentKey() {
            return key.get();
        }

        @Override
        public void setCurrentKey(Object other) {
            throw new UnsupportedOperationException();
        }
    }
}
