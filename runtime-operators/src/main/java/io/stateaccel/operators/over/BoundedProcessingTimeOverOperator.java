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
package io.stateaccel.operators.over;

import io.stateaccel.operators.bundle.ArrivalColumn;
import io.stateaccel.operators.bundle.OperatorKind;
import io.stateaccel.views.ViewContext;
import io.stateaccel.views.batch.LoadableValue;
import io.stateaccel.views.join.log.RowLog;
import io.stateaccel.views.join.log.RowLogs;
import io.stateaccel.views.layout.StateLayout;
import io.stateaccel.views.list.RowQueue;
import io.stateaccel.views.time.TimeToLive;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.generated.AggsHandleFunction;

/**
 * OVER aggregate by processing time whose frames have a first row: so many rows, or those of so
 * many milliseconds. The rows of a frame are in a queue, of which those that leave it are read a
 * few at a time.
 *
 * <p>Takes the place of Flink's {@code ProcTimeRowsBoundedPrecedingFunction} and {@code
 * ProcTimeRangeBoundedPrecedingFunction}, which read and write the accumulator and the rows of a
 * millisecond for every row or millisecond; the latter goes through all rows of a frame each time.
 * It gives their results. With a range, rows of one millisecond have one result, so they wait for
 * that to be over whenever their bundle ends, and are in the state at a checkpoint.
 */
public final class BoundedProcessingTimeOverOperator extends ProcessingTimeOverOperator {

    private static final long serialVersionUID = 1L;

    private final ProcessingTimeOverSpec spec;

    private transient AggsHandleFunction function;
    private transient Partition.Format format;
    private transient LoadableValue<RowData> partitions;
    private transient RowQueue queue;
    private transient OverFrame frame;
    private transient RowLog rowsInState;

    /** Of each partition with rows in the state, for when their millisecond is over. */
    private transient InternalTimerService<VoidNamespace> dueTimers;

    /** For when a partition may be dropped. */
    private transient InternalTimerService<VoidNamespace> dropTimers;

    /** Partitions with rows whose millisecond was not over when their bundle ended. */
    private transient Map<RowData, ArrivedRows> unfinished;

    private transient long unfinishedTime;

    /** For when it is over; null if it is not waited for. */
    private transient ScheduledFuture<?> unfinishedTimer;

    /** Whether no more rows come. */
    private transient boolean isAtEnd;

    /**
     * @param spec of frames with a first row
     */
    public BoundedProcessingTimeOverOperator(ProcessingTimeOverSpec spec) {
        super(OperatorKind.PROCESSING_TIME_OVER, spec);
        this.spec = spec;
    }

    @Override
    void openStates(AggsHandleFunction aggregates, OverFrame.Results results) throws Exception {
        function = aggregates;
        unfinished = new LinkedHashMap<>();
        ViewContext context = viewContext(false);
        format = new Partition.Format(spec.accumulatorTypes(), true);
        // The names are those of Flink's states, so that a savepoint of one is refused by the
        // other.
        partitions =
                context.layouts()
                        .open(
                                "accState",
                                StateLayout.OVER_PARTITION,
                                () ->
                                        LoadableValue.open(
                                                context,
                                                new ValueStateDescriptor<>(
                                                        "accState", format.type())));
        ArrivalColumn arrival = new ArrivalColumn(spec.inputType());
        queue =
                RowQueue.open(
                        context, "frameRows", spec.isRows() ? spec.inputType() : arrival.type());
        FrameRows frameRows = spec.isRows() ? FrameRows.untimed() : FrameRows.timedBy(arrival);
        frame =
                OverFrame.bounded(
                        spec.isRows(), spec.preceding(), frameRows, function, queue, results);
        rowsInState =
                context.layouts()
                        .open(
                                "inputState",
                                StateLayout.PENDING_ROWS,
                                () ->
                                        RowLogs.open(
                                                context,
                                                "inputState",
                                                spec.inputType(),
                                                context.lifetime(TimeToLive.FOREVER),
                                                false));
        dueTimers =
                getInternalTimerService("over-rows", VoidNamespaceSerializer.INSTANCE, new Due());
        dropTimers =
                getInternalTimerService(
                        "over-partitions", VoidNamespaceSerializer.INSTANCE, new Drop());
        dueTimers.forEachProcessingTimeTimer(
                (namespace, time) -> hasCome(((BinaryRowData) getCurrentKey()).copy(), time - 1));
    }

    /** Up to when the rows came that may be worked off. */
    private long finishedTime() {
        long now = processingTime();
        // A clock may have been set back: what came in any other millisecond waits for nothing.
        return spec.isRows() || isAtEnd || now != lastCame() ? Long.MAX_VALUE : now - 1;
    }

    @Override
    protected void finishBundle() throws Exception {
        workOff(bundle(), finishedTime());
        unfinished = new LinkedHashMap<>(bundle());
        unfinishedTime = lastCame();
        awaitUnfinished();
    }

    private void awaitUnfinished() {
        if (!unfinished.isEmpty() && unfinishedTimer == null) {
            unfinishedTimer =
                    getProcessingTimeService()
                            .registerTimer(processingTime() + 1, time -> workOffUnfinished());
        }
    }

    /** Those partitions alone, which are few: with all of them each bundle would take a timer. */
    private void workOffUnfinished() throws Exception {
        unfinishedTimer = null;
        workOff(unfinished, finishedTime());
        unfinished.values().removeIf(rows -> !rows.hasUpTo(unfinishedTime));
        awaitUnfinished();
    }

    private void workOff(Map<RowData, ArrivedRows> rowsByKey, long time) throws Exception {
        Map<RowData, ArrivedRows> ready = new LinkedHashMap<>();
        for (ArrivedRows rows : rowsByKey.values()) {
            if (rows.hasUpTo(time)) {
                ready.put(rows.key, rows);
            }
        }
        visitKeys(
                ready,
                partitions,
                (rows, loaded) -> visit(rows, format.read(loaded.value()), time));
    }

    /** Works off those rows of a partition, the current key, that came by a time. */
    private void visit(ArrivedRows rows, Partition partition, long until) throws Exception {
        if (rows.areInState()) {
            long dueAt = rows.cameToState() + 1;
            rows.putBefore(
                    rowsInState.read(RowLog.FIRST).stream()
                            .map(BinaryRowData.class::cast)
                            .toList());
            rowsInState.replace(RowLog.FIRST, List.of());
            dueTimers.deleteProcessingTimeTimer(VoidNamespace.INSTANCE, dueAt);
        }
        process(rows.takeUpTo(until), partition);
        if (rows.isEmpty()) {
            bundle().remove(rows.key);
        }
        partitions.update(format.write(partition, function.getAccumulators()));
    }

    private void process(List<ArrivedRows.Arrival> arrivals, Partition partition) throws Exception {
        function.setAccumulators(
                partition.stored == null ? function.createAccumulators() : partition.stored);
        queue.begin(partition.ends);
        int from = 0;
        while (from < arrivals.size()) {
            long came = arrivals.get(from).time();
            List<RowData> rows = new ArrayList<>();
            int to = from;
            while (to < arrivals.size() && arrivals.get(to).time() == came) {
                rows.add(arrivals.get(to++).row());
            }
            process(Math.max(came, partition.lastTime), rows, partition);
            from = to;
        }
        partition.ends = queue.store();
    }

    /**
     * @param time when the rows came, later than that of the rows before unless a clock was set
     *     back
     */
    private void process(long time, List<RowData> rows, Partition partition) throws Exception {
        if (partition.droppedAt != Partition.NEVER && partition.droppedAt <= time) {
            // The timer would have dropped it before the rows came.
            queue.clear();
            function.cleanup();
            function.setAccumulators(function.createAccumulators());
            partition.droppedAt = Partition.NEVER;
        }
        renew(partition, time);
        frame.process(time, rows, partition);
        partition.lastTime = time;
    }

    /** As much later as in Flink, so that not every row asks for a timer. */
    private void renew(Partition partition, long now) {
        if (!spec.isRows()) {
            if (partition.droppedAt < now + spec.preceding() + 1) {
                partition.droppedAt = now + (long) (spec.preceding() * 1.5) + 1;
                dropTimers.registerProcessingTimeTimer(VoidNamespace.INSTANCE, partition.droppedAt);
            }
        } else if (spec.retention().ends()
                && now + spec.retention().minMillis() > partition.droppedAt) {
            if (partition.droppedAt != Partition.NEVER) {
                dropTimers.deleteProcessingTimeTimer(VoidNamespace.INSTANCE, partition.droppedAt);
            }
            partition.droppedAt = now + spec.retention().maxMillis();
            dropTimers.registerProcessingTimeTimer(VoidNamespace.INSTANCE, partition.droppedAt);
        }
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        if (mark.equals(Watermark.MAX_WATERMARK)) {
            workOffAll();
        }
        super.processWatermark(mark);
    }

    @Override
    public void finish() throws Exception {
        workOffAll();
        super.finish();
    }

    /** No row comes any more, so no millisecond has to be waited for. */
    private void workOffAll() throws Exception {
        isAtEnd = true;
        finishBundle();
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        super.prepareSnapshotPreBarrier(checkpointId);
        // Those that are left of a bundle before are none of the trigger's.
        finishBundle();
        for (ArrivedRows rows : bundle().values()) {
            store(rows);
        }
    }

    private void store(ArrivedRows rows) throws Exception {
        List<ArrivedRows.Arrival> arrivals = rows.takeUpTo(Long.MAX_VALUE);
        if (arrivals.isEmpty()) {
            return;
        }
        setCurrentKey(rows.key);
        rowsInState.append(
                RowLog.FIRST, arrivals.stream().<RowData>map(ArrivedRows.Arrival::row).toList());
        // All of them came in the same millisecond, which is not over.
        long came = arrivals.get(0).time();
        rows.areInState(came);
        dueTimers.registerProcessingTimeTimer(VoidNamespace.INSTANCE, came + 1);
    }

    @Override
    public void close() throws Exception {
        if (unfinishedTimer != null) {
            unfinishedTimer.cancel(false);
        }
        super.close();
    }

    /** Works off the rows of a partition that were in the state, if nothing has yet. */
    private final class Due implements Triggerable<RowData, VoidNamespace> {

        @Override
        public void onEventTime(InternalTimer<RowData, VoidNamespace> timer) {}

        @Override
        public void onProcessingTime(InternalTimer<RowData, VoidNamespace> timer) throws Exception {
            ArrivedRows rows = bundle().get(timer.getKey());
            long time = timer.getTimestamp() - 1;
            if (rows != null && rows.hasUpTo(time)) {
                visit(rows, format.read(partitions.value()), time);
            }
        }
    }

    /** Drops a partition unless it has become due later. */
    private final class Drop implements Triggerable<RowData, VoidNamespace> {

        @Override
        public void onEventTime(InternalTimer<RowData, VoidNamespace> timer) {}

        @Override
        public void onProcessingTime(InternalTimer<RowData, VoidNamespace> timer) throws Exception {
            RowData stored = partitions.value();
            Partition partition = format.read(stored);
            ArrivedRows rows = bundle().get(timer.getKey());
            // What came before has its result before.
            long until = timer.getTimestamp() - 1;
            if (rows != null && rows.hasUpTo(until)) {
                visit(rows, partition, until);
            } else if (stored == null) {
                return;
            }
            if (partition.droppedAt <= timer.getTimestamp()) {
                queue.begin(partition.ends);
                queue.clear();
                partitions.clear();
                function.cleanup();
            }
        }
    }
}
