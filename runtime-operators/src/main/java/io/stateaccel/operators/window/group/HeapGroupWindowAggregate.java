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
package io.stateaccel.operators.window.group;

import io.stateaccel.operators.bundle.HeapBytes;
import io.stateaccel.operators.window.WindowResults;
import io.stateaccel.operators.window.slice.CurrentKey;
import io.stateaccel.operators.window.slice.HeapSlices;
import io.stateaccel.operators.window.slice.HeapTimers;
import io.stateaccel.operators.window.slice.SingleRowStore;
import java.time.ZoneId;
import java.util.Collection;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.runtime.dataview.PerWindowStateDataViewStore;
import org.apache.flink.table.runtime.generated.NamespaceAggsHandleFunction;
import org.apache.flink.table.runtime.generated.NamespaceAggsHandleFunctionBase;
import org.apache.flink.table.runtime.operators.aggregate.RecordCounter;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.table.runtime.operators.window.groupwindow.internal.InternalWindowProcessFunction;
import org.apache.flink.table.runtime.operators.window.groupwindow.triggers.Trigger;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.runtime.util.TimeWindowUtil;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * Aggregates of {@code GROUP BY TUMBLE(...)} and {@code HOP(...)}, or a table aggregate of such
 * windows. To which windows a row belongs, and when there are results, is decided by Flink's own
 * functions and triggers. Accumulators, and the timers of the ends of windows, are on the heap as
 * {@link HeapSlices}; what early and late results want beside is in the state.
 */
public final class HeapGroupWindowAggregate extends HeapGroupWindows {

    private static final long serialVersionUID = 1L;

    private final HeapGroupWindowSpec spec;

    private transient CurrentKey key;
    private transient HeapSlices<RowData> slices;
    private transient HeapTimers<RowData> timers;
    private transient InternalTimerService<TimeWindow> stateTimers;
    private transient NamespaceAggsHandleFunctionBase<TimeWindow> functions;
    private transient WindowResults results;
    private transient InternalWindowProcessFunction<RowData, TimeWindow> windowFunction;
    private transient WindowTrigger trigger;
    private transient long processingTime;

    /**
     * @param spec what to aggregate and how
     */
    public HeapGroupWindowAggregate(HeapGroupWindowSpec spec) {
        this.spec = spec;
    }

    @Override
    protected void open(InternalTimerService<TimeWindow> timersInState) throws Exception {
        KeyedStateBackend<RowData> backend = getKeyedStateBackend();
        stateTimers = timersInState;
        key = new CurrentKey(backend);
        slices = new HeapSlices<>(key, spec.heapBytes());
        timers =
                new HeapTimers<>(
                        new WindowEndTimers(
                                timersInState, spec.windows()::window, this::timeOfWindow),
                        timersInState,
                        slices,
                        key,
                        spec.isEventTime(),
                        false);
        slices.spillTimersTo(timers);
        timersInState.forEachEventTimeTimer((window, time) -> slices.stored(window.getEnd()));
        timersInState.forEachProcessingTimeTimer((window, time) -> slices.stored(window.getEnd()));
        slices.spillTo(
                new SingleRowStore<>(
                        rows(backend, "window-aggs", spec.accumulatorTypes()),
                        spec.windows()::pane,
                        spec.accumulatorTypes(),
                        !backend.isSafeToReuseKVState()));
        if (spec.hasViews()) {
            slices.hasViews();
        }

        ClassLoader userCode = getRuntimeContext().getUserCodeClassLoader();
        functions = spec.functions().newInstance(userCode);
        functions.open(
                new PerWindowStateDataViewStore(
                        backend, new TimeWindow.Serializer(), getRuntimeContext()));
        results = results(backend, userCode);
        trigger = new WindowTrigger();
        spec.trigger().open(trigger);
        windowFunction = spec.windows().function(functions, spec.allowedLateness());
        windowFunction.open(new WindowContext());
        processingTime = Long.MIN_VALUE;
    }

    /** What a table aggregate emits takes back nothing, early results or not. */
    private WindowResults results(KeyedStateBackend<RowData> backend, ClassLoader userCode)
            throws Exception {
        if (spec.updates() != null
                && functions instanceof NamespaceAggsHandleFunction<TimeWindow> aggregates) {
            return new UpdatedWindowResults(
                    aggregates,
                    RecordCounter.of(spec.indexOfCountStar()),
                    key,
                    rows(backend, "previous-aggs", spec.updates().resultTypes()),
                    spec.updates().equaliser().newInstance(userCode),
                    collector::collect);
        }
        return WindowResults.of(functions, spec.indexOfCountStar(), collector::collect);
    }

    @SuppressWarnings("unchecked")
    private static InternalValueState<RowData, TimeWindow, RowData> rows(
            KeyedStateBackend<RowData> backend, String name, LogicalType[] types) throws Exception {
        return (InternalValueState<RowData, TimeWindow, RowData>)
                backend.getOrCreateKeyedState(
                        new TimeWindow.Serializer(),
                        new ValueStateDescriptor<>(name, new RowDataSerializer(types)));
    }

    private long timeOfWindow(long windowEnd) {
        return TimeWindowUtil.toEpochMillsForTimer(windowEnd - 1, spec.shiftTimeZone());
    }

    @Override
    protected boolean add(RowData row) throws Exception {
        long time =
                TimeWindowUtil.toUtcTimestampMills(
                        spec.isEventTime()
                                ? row.getTimestamp(spec.timeIndex(), 3).getMillisecond()
                                : stateTimers.currentProcessingTime(),
                        spec.shiftTimeZone());
        Collection<TimeWindow> panes = windowFunction.assignStateNamespace(row, time);
        if (panes.isEmpty()) {
            return true;
        }
        if (spec.windows().haveGaps() && windowFunction.assignActualWindows(row, time).isEmpty()) {
            // A pane between two windows is part of none, and need not be aggregated.
            return false;
        }
        boolean isFirst = false;
        for (TimeWindow pane : panes) {
            isFirst |= accumulate(pane, row);
        }
        if (!isFirst && spec.updates() == null && spec.isEventTime()) {
            // The first row has registered the timers of all windows of the pane that are not late.
            return false;
        }
        Collection<TimeWindow> windows = windowFunction.assignActualWindows(row, time);
        for (TimeWindow window : windows) {
            trigger.window = window;
            if (spec.trigger().onElement(row, time, window)) {
                emit(window);
            }
            registerCleanUp(window);
        }
        return false;
    }

    /**
     * @return whether it is the first row of the pane since the pane got to the heap
     */
    private boolean accumulate(TimeWindow pane, RowData row) throws Exception {
        HeapSlices.Entry<RowData> entry = slices.unread(key.get(), pane.getEnd());
        boolean isFirst = entry.value() == null;
        slices.load(entry);
        RowData accumulator = entry.value();
        functions.setAccumulators(
                pane, accumulator == null ? functions.createAccumulators() : accumulator);
        if (RowDataUtil.isAccumulateMsg(row)) {
            functions.accumulate(row);
        } else {
            functions.retract(row);
        }
        slices.set(entry, functions.getAccumulators(), HeapBytes.ofValues(row));
        return isFirst;
    }

    /** Without lateness it is done by the timer of the trigger. */
    private void registerCleanUp(TimeWindow window) {
        if (spec.isEventTime() && spec.allowedLateness() > 0) {
            long end = Math.max(0, window.maxTimestamp() + spec.allowedLateness());
            trigger.registerEventTimeTimer(
                    TimeWindowUtil.toEpochMillsForTimer(end, spec.shiftTimeZone()));
        }
    }

    @Override
    protected void advance(long watermark) throws Exception {
        if (spec.isEventTime()) {
            timers.advance(watermark, (time, end) -> onEventTime(time, spec.windows().window(end)));
        }
    }

    @Override
    public void onEventTime(InternalTimer<RowData, TimeWindow> timer) throws Exception {
        setCurrentKey(timer.getKey());
        onEventTime(timer.getTimestamp(), timer.getNamespace());
    }

    private void onEventTime(long time, TimeWindow window) throws Exception {
        trigger.window = window;
        if (spec.trigger().onEventTime(time, window)) {
            emit(window);
        }
        if (spec.isEventTime()) {
            windowFunction.cleanWindowIfNeeded(window, time);
        }
    }

    @Override
    public void onProcessingTime(InternalTimer<RowData, TimeWindow> timer) throws Exception {
        if (!spec.isEventTime() && timer.getTimestamp() > processingTime) {
            processingTime = timer.getTimestamp();
            timers.advance(
                    processingTime,
                    (time, end) -> onProcessingTime(time, spec.windows().window(end)));
        }
        setCurrentKey(timer.getKey());
        onProcessingTime(timer.getTimestamp(), timer.getNamespace());
    }

    private void onProcessingTime(long time, TimeWindow window) throws Exception {
        trigger.window = window;
        if (spec.trigger().onProcessingTime(time, window)) {
            emit(window);
        }
        if (!spec.isEventTime()) {
            windowFunction.cleanWindowIfNeeded(window, time);
        }
    }

    private void emit(TimeWindow window) throws Exception {
        windowFunction.prepareAggregateAccumulatorForEmit(window);
        results.emit(key.get(), window);
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
        if (functions != null) {
            functions.close();
        }
    }

    /** What Flink's function does to windows. */
    private final class WindowContext
            implements InternalWindowProcessFunction.Context<RowData, TimeWindow> {

        @Override
        public <S extends State> S getPartitionedState(StateDescriptor<S, ?> descriptor) {
            throw new UnsupportedOperationException("Only windows that are merged have one.");
        }

        @Override
        public RowData currentKey() {
            return key.get();
        }

        @Override
        public long currentProcessingTime() {
            return stateTimers.currentProcessingTime();
        }

        @Override
        public long currentWatermark() {
            return stateTimers.currentWatermark();
        }

        @Override
        public ZoneId getShiftTimeZone() {
            return spec.shiftTimeZone();
        }

        @Override
        public RowData getWindowAccumulators(TimeWindow pane) throws Exception {
            return slices.get(key.get(), pane.getEnd());
        }

        @Override
        public void setWindowAccumulators(TimeWindow pane, RowData accumulator) throws Exception {
            slices.put(key.get(), pane.getEnd(), accumulator);
        }

        @Override
        public void clearWindowState(TimeWindow pane) throws Exception {
            slices.remove(key.get(), pane.getEnd());
            if (spec.hasViews()) {
                key.tellBackend();
                functions.cleanup(pane);
            }
        }

        @Override
        public void clearPreviousState(TimeWindow window) throws Exception {
            results.forget(window);
        }

        /** Where a window has one result, the only timer is the one that is worked off. */
        @Override
        public void clearTrigger(TimeWindow window) throws Exception {
            if (spec.updates() != null) {
                trigger.window = window;
                spec.trigger().clear(window);
            }
        }

        @Override
        public void onMerge(TimeWindow window, Collection<TimeWindow> merged) {
            throw new UnsupportedOperationException("These windows are not merged.");
        }

        @Override
        public void deleteCleanupTimer(TimeWindow window) {
            throw new UnsupportedOperationException("These windows are not merged.");
        }
    }

    /** What Flink's trigger does, to a window of the current key. */
    private final class WindowTrigger implements Trigger.TriggerContext {

        private TimeWindow window;

        @Override
        public long getCurrentProcessingTime() {
            return stateTimers.currentProcessingTime();
        }

        @Override
        public MetricGroup getMetricGroup() {
            return HeapGroupWindowAggregate.this.getMetricGroup();
        }

        @Override
        public long getCurrentWatermark() {
            return stateTimers.currentWatermark();
        }

        @Override
        public ZoneId getShiftTimeZone() {
            return spec.shiftTimeZone();
        }

        private boolean isOfEnd(long time, boolean isEventTime) {
            return isEventTime == spec.isEventTime() && time == timeOfWindow(window.getEnd());
        }

        @Override
        public void registerProcessingTimeTimer(long time) {
            if (isOfEnd(time, false)) {
                timers.registerProcessingTimeTimer(window.getEnd(), time);
            } else {
                key.tellBackend();
                stateTimers.registerProcessingTimeTimer(window, time);
            }
        }

        @Override
        public void registerEventTimeTimer(long time) {
            if (isOfEnd(time, true)) {
                timers.registerEventTimeTimer(window.getEnd(), time);
            } else {
                key.tellBackend();
                stateTimers.registerEventTimeTimer(window, time);
            }
        }

        @Override
        public void deleteProcessingTimeTimer(long time) {
            if (isOfEnd(time, false)) {
                timers.deleteProcessingTimeTimer(window.getEnd(), time);
            } else {
                key.tellBackend();
                stateTimers.deleteProcessingTimeTimer(window, time);
            }
        }

        @Override
        public void deleteEventTimeTimer(long time) {
            if (isOfEnd(time, true)) {
                timers.deleteEventTimeTimer(window.getEnd(), time);
            } else {
                key.tellBackend();
                stateTimers.deleteEventTimeTimer(window, time);
            }
        }

        @Override
        public <S extends State> S getPartitionedState(StateDescriptor<S, ?> descriptor) {
            key.tellBackend();
            try {
                return HeapGroupWindowAggregate.this.getPartitionedState(
                        window, new TimeWindow.Serializer(), descriptor);
            } catch (Exception e) {
                throw new IllegalStateException("The state of a trigger cannot be had.", e);
            }
        }
    }
}
