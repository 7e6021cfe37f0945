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

import io.stateaccel.flink.operator.KeySelectors;
import io.stateaccel.operators.bundle.BundlingOperator;
import io.stateaccel.operators.bundle.HeapBudget;
import io.stateaccel.operators.bundle.OperatorKind;
import io.stateaccel.operators.bundle.RowKeeper;
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
import java.util.TreeMap;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.dataview.PerKeyStateDataViewStore;
import org.apache.flink.table.runtime.generated.AggsHandleFunction;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.util.Collector;

/**
 * OVER aggregate by row time. Rows wait on the heap until a watermark passes them, and then each
 * partition that has such rows is visited once: its accumulator is read and written once, the rows
 * of its frame are appended, and those that leave the frame are read a few at a time. The rows that
 * wait get to the state before a checkpoint, or where they take too much heap, and come back when
 * they are due.
 *
 * <p>Takes the place of Flink's {@code RowTimeRowsBoundedPrecedingFunction}, {@code
 * RowTimeRangeBoundedPrecedingFunction} and {@code RowTimeUnboundedPrecedingOverFunctionV2} with
 * its predecessors, which read and write all of that for every row, register a timer for each, and
 * go through all rows of a frame with each time. It gives their results and drops the same rows as
 * late. With the clean-up of partitions that get no row for some time a row counts from when it
 * came up to when a watermark has passed it.
 *
 * <p>Runs in the task thread, on any keyed state backend.
 */
public class RowTimeOverOperator extends BundlingOperator
        implements OneInputStreamOperator<RowData, RowData> {

    private static final long serialVersionUID = 1L;

    private final RowTimeOverSpec spec;

    private transient RowDataKeySelector keySelector;
    private transient RowKeeper keeper;
    private transient AggsHandleFunction function;
    private transient Partition.Format format;
    private transient LoadableValue<RowData> partitions;
    private transient RowQueue queue;
    private transient OverFrame frame;
    private transient RowLog rowsInState;

    /** Of each partition with rows in the state, for when the earliest of them is due. */
    private transient InternalTimerService<VoidNamespace> dueTimers;

    /** For when a partition may be dropped. */
    private transient InternalTimerService<VoidNamespace> dropTimers;

    private transient Counter lateRows;

    private transient Map<RowData, PendingRows> pending;

    /**
     * Partitions by the time of the earliest of their rows; those of which an earlier one has come
     * since are there for both.
     */
    private transient TreeMap<Long, List<PendingRows>> due;

    /** Of the rows on the heap. */
    private transient HeapBudget budget;

    /**
     * @param spec what to aggregate and how
     */
    public RowTimeOverOperator(RowTimeOverSpec spec) {
        super(OperatorKind.OVER, spec.bundle(), spec.keySelector().getProducedType());
        this.spec = spec;
    }

    @Override
    public void open() throws Exception {
        super.open();
        budget = HeapBudget.open(spec.heapBytes());
        keySelector = KeySelectors.copy(spec.keySelector());
        keeper = new RowKeeper(spec.inputType(), getExecutionConfig().isObjectReuseEnabled());
        function = spec.aggregates().newInstance(getRuntimeContext().getUserCodeClassLoader());
        function.open(new PerKeyStateDataViewStore(getRuntimeContext()));
        Collector<RowData> collector = collector();
        JoinedRowData joined = new JoinedRowData();
        openStates((row, result) -> collector.collect(joined.replace(row, result)));
        lateRows = getMetricGroup().counter("numLateRecordsDropped");

        pending = new LinkedHashMap<>();
        due = new TreeMap<>();
        dueTimers.forEachEventTimeTimer((namespace, time) -> isInState(time));
    }

    private void openStates(OverFrame.Results results) throws Exception {
        ViewContext context = viewContext(false);
        format = new Partition.Format(spec.accumulatorTypes(), spec.isBounded());
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
        if (spec.isBounded()) {
            queue = RowQueue.open(context, "frameRows", spec.inputType());
        }
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
        frame = OverFrame.of(spec, function, queue, results);
        dueTimers =
                getInternalTimerService("over-rows", VoidNamespaceSerializer.INSTANCE, new None());
        dropTimers =
                getInternalTimerService(
                        "over-partitions", VoidNamespaceSerializer.INSTANCE, new Drop());
    }

    /** The current key has rows in the state, the earliest of that time. */
    private void isInState(long time) {
        RowData key = ((BinaryRowData) getCurrentKey()).copy();
        PendingRows rows =
                pending.computeIfAbsent(key, added -> new PendingRows(added, processingTime()));
        rows.areInState = true;
        becomesDue(rows, time);
    }

    private long processingTime() {
        return getProcessingTimeService().getCurrentProcessingTime();
    }

    @Override
    public void processElement(StreamRecord<RowData> element) throws Exception {
        RowData received = element.getValue();
        long time = received.getLong(spec.timeColumn());
        RowData key = keySelector.getKey(received);
        if (!spec.isBounded() && time <= dueTimers.currentWatermark()) {
            lateRows.inc();
            renew(key);
            return;
        }
        PendingRows rows = pending.get(key);
        if (rows == null) {
            rows = new PendingRows(key, processingTime());
            pending.put(key, rows);
        } else if (spec.retention().ends()) {
            rows.lastCame = processingTime();
        }
        budget.add(-rows.bytes());
        rows.add(keeper.keep(received));
        budget.add(rows.bytes());
        becomesDue(rows, time);
        if (budget.isExceeded()) {
            storePending();
        }
    }

    private void becomesDue(PendingRows rows, long time) {
        if (time < rows.earliest) {
            rows.earliest = time;
            due.computeIfAbsent(time, added -> new ArrayList<>(1)).add(rows);
        }
    }

    /** Rows do not make bundles: they wait for watermarks. */
    @Override
    protected void finishBundle() {}

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        workOff(mark.getTimestamp());
        super.processWatermark(mark);
    }

    private void workOff(long watermark) throws Exception {
        Map<RowData, PendingRows> ready = new LinkedHashMap<>();
        while (!due.isEmpty() && due.firstKey() <= watermark) {
            Map.Entry<Long, List<PendingRows>> first = due.pollFirstEntry();
            for (PendingRows rows : first.getValue()) {
                if (rows.earliest == first.getKey()) {
                    ready.put(rows.key, rows);
                }
            }
        }
        if (!ready.isEmpty()) {
            visitKeys(
                    ready,
                    partitions,
                    (rows, loaded) -> visit(rows, format.read(loaded.value()), watermark));
        }
    }

    private void visit(PendingRows rows, Partition partition, long watermark) throws Exception {
        admit(rows, partition);
        budget.add(-rows.bytes());
        List<RowData> ready = rows.takeUpTo(watermark, spec.timeColumn());
        budget.add(rows.bytes());
        if (rows.isEmpty()) {
            pending.remove(rows.key);
        } else {
            due.computeIfAbsent(rows.earliest, added -> new ArrayList<>(1)).add(rows);
        }
        if (!ready.isEmpty()) {
            hold(partition);
            process(ready, partition);
            renew(partition, processingTime());
            partition.isChanged = true;
        }
        store(partition);
    }

    /** Has the functions go on from the accumulator of a partition. */
    private void hold(Partition partition) throws Exception {
        function.setAccumulators(
                partition.stored == null ? function.createAccumulators() : partition.stored);
        partition.isHeld = true;
    }

    private void process(List<RowData> rows, Partition partition) throws Exception {
        if (spec.isBounded()) {
            queue.begin(partition.ends);
        }
        int from = 0;
        while (from < rows.size()) {
            long time = timeOf(rows.get(from));
            int to = from + 1;
            while (to < rows.size() && timeOf(rows.get(to)) == time) {
                to++;
            }
            frame.process(time, rows.subList(from, to), partition);
            partition.lastTime = time;
            from = to;
        }
        if (spec.isBounded()) {
            partition.ends = queue.store();
        }
    }

    private long timeOf(RowData row) {
        return row.getLong(spec.timeColumn());
    }

    /** Has all rows on the heap, without those that are late. */
    private void admit(PendingRows rows, Partition partition) throws Exception {
        budget.add(-rows.bytes());
        if (rows.areInState) {
            rows.putBefore(rowsInState.read(RowLog.FIRST));
            rowsInState.replace(RowLog.FIRST, List.of());
            rows.areInState = false;
        }
        renew(partition, rows.firstCame);
        renew(partition, rows.lastCame);
        if (spec.isBounded()) {
            rows.admit(row -> admits(row, partition));
        }
        budget.add(rows.bytes());
    }

    private boolean admits(RowData row, Partition partition) {
        long time = timeOf(row);
        if (time <= partition.lastTime) {
            lateRows.inc();
            return false;
        }
        if (spec.isDroppedByRowTime() && partition.droppedAt < time + spec.preceding() + 1) {
            // Later than necessary, so that not every row asks for a timer; as much as in Flink.
            partition.droppedAt = time + (long) (spec.preceding() * 1.5) + 1;
            dropTimers.registerEventTimeTimer(VoidNamespace.INSTANCE, partition.droppedAt);
            partition.isChanged = true;
        }
        return true;
    }

    private void store(Partition partition) throws Exception {
        if (!partition.isChanged) {
            return;
        }
        if (!partition.isHeld) {
            hold(partition);
        }
        partitions.update(format.write(partition, function.getAccumulators()));
    }

    /** Puts off the end of a partition whose row is late. */
    private void renew(RowData key) throws Exception {
        if (spec.retention().ends()) {
            setCurrentKey(key);
            Partition partition = format.read(partitions.value());
            renew(partition, processingTime());
            store(partition);
        }
    }

    private void renew(Partition partition, long now) {
        IdleRetention retention = spec.retention();
        if (!retention.ends() || now + retention.minMillis() <= partition.droppedAt) {
            return;
        }
        long before = partition.droppedAt;
        partition.droppedAt = now + retention.maxMillis();
        dropTimers.registerProcessingTimeTimer(VoidNamespace.INSTANCE, partition.droppedAt);
        if (before != Partition.NEVER) {
            dropTimers.deleteProcessingTimeTimer(VoidNamespace.INSTANCE, before);
        }
        partition.isChanged = true;
    }

    /** So that the state has all rows. */
    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        super.prepareSnapshotPreBarrier(checkpointId);
        storePending();
    }

    private void storePending() throws Exception {
        for (PendingRows rows : pending.values()) {
            List<RowData> all = rows.takeAll();
            if (!all.isEmpty()) {
                setCurrentKey(rows.key);
                rowsInState.append(RowLog.FIRST, all);
                dueTimers.registerEventTimeTimer(VoidNamespace.INSTANCE, rows.earliest);
                rows.areInState = true;
            }
        }
        budget.clear();
    }

    @Override
    public void close() throws Exception {
        if (budget != null) {
            budget.close();
        }
        if (function != null) {
            function.close();
        }
        super.close();
    }

    /** Timers that only say after a restore which partitions have rows in the state. */
    private static final class None implements Triggerable<RowData, VoidNamespace> {

        @Override
        public void onEventTime(InternalTimer<RowData, VoidNamespace> timer) {}

        @Override
        public void onProcessingTime(InternalTimer<RowData, VoidNamespace> timer) {}
    }

    /** Drops a partition unless it has become due later. */
    private final class Drop implements Triggerable<RowData, VoidNamespace> {

        @Override
        public void onEventTime(InternalTimer<RowData, VoidNamespace> timer) throws Exception {
            Partition partition = format.read(partitions.value());
            PendingRows rows = pending.get(timer.getKey());
            if (rows != null) {
                admit(rows, partition);
            }
            long time = timer.getTimestamp();
            if (partition.droppedAt <= time) {
                drop(partition);
            } else {
                partition.lastTime = Math.max(partition.lastTime, time);
                partition.isChanged = true;
                store(partition);
            }
        }

        @Override
        public void onProcessingTime(InternalTimer<RowData, VoidNamespace> timer) throws Exception {
            RowData stored = partitions.value();
            if (stored == null) {
                return;
            }
            Partition partition = format.read(stored);
            PendingRows rows = pending.get(timer.getKey());
            if (rows != null) {
                admit(rows, partition);
            }
            if (rows != null && !rows.isEmpty()) {
                renew(partition, processingTime());
            }
            if (partition.droppedAt > timer.getTimestamp()) {
                store(partition);
            } else {
                drop(partition);
            }
        }

        private void drop(Partition partition) throws Exception {
            if (spec.isBounded()) {
                queue.begin(partition.ends);
                queue.clear();
            }
            partitions.clear();
            function.cleanup();
        }
    }
}
