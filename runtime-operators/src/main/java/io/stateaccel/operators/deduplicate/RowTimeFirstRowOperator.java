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
package io.stateaccel.operators.deduplicate;

import io.stateaccel.flink.operator.KeySelectors;
import io.stateaccel.operators.bundle.BundlingOperator;
import io.stateaccel.operators.bundle.HeapBudget;
import io.stateaccel.operators.bundle.HeapBytes;
import io.stateaccel.operators.bundle.OperatorKind;
import io.stateaccel.operators.bundle.RowKeeper;
import io.stateaccel.views.batch.LoadableValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
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
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.util.Collector;

/**
 * Emits the first row, by row time, of each key when a watermark passes it, and nothing of the key
 * from then on. The row waits on the heap, where a row of an earlier time takes its place. A bundle
 * has the rows of keys of which none waits: whether theirs has been emitted is read for all of them
 * at once. Rows that wait get to the state before a checkpoint, or where they take too much heap.
 *
 * <p>Takes the place of Flink's {@code RowTimeDeduplicateKeepFirstRowFunction}, which reads two
 * states for each row. Results, states, timers and which rows are dropped as late are its own, so
 * either goes on from a savepoint of the other.
 *
 * <p>Runs in the task thread, on any keyed state backend.
 */
public class RowTimeFirstRowOperator extends BundlingOperator
        implements OneInputStreamOperator<RowData, RowData>, Triggerable<RowData, VoidNamespace> {

    private static final long serialVersionUID = 1L;

    private final RowTimeFirstRowSpec spec;

    private transient RowDataKeySelector keySelector;
    private transient RowKeeper keeper;
    private transient Collector<RowData> collector;
    private transient LoadableValue<Boolean> emitted;
    private transient LoadableValue<RowData> waitingInState;
    private transient InternalTimerService<VoidNamespace> timers;
    private transient Counter lateRows;

    /** The first row of each key of which none waits. */
    private transient Map<RowData, BinaryRowData> bundle;

    private transient Map<RowData, FirstRow> waiting;

    /** Those that wait by their time, and what has become of others that did. */
    private transient TreeMap<Long, List<FirstRow>> due;

    /** Of the rows on the heap that wait. */
    private transient HeapBudget budget;

    /**
     * @param spec what to keep
     */
    public RowTimeFirstRowOperator(RowTimeFirstRowSpec spec) {
        super(OperatorKind.FIRST_ROW, spec.bundle(), spec.keySelector().getProducedType());
        this.spec = spec;
    }

    @Override
    public void open() throws Exception {
        super.open();
        budget = HeapBudget.open(spec.heapBytes());
        keySelector = KeySelectors.copy(spec.keySelector());
        keeper = new RowKeeper(spec.rowType(), getExecutionConfig().isObjectReuseEnabled());
        collector = collector();
        waitingInState =
                LoadableValue.open(
                        viewContext(true),
                        new ValueStateDescriptor<>("waiting-to-emit-on-timer", spec.rowType()));
        emitted =
                LoadableValue.open(
                        viewContext(true),
                        lifetime(spec.ttl())
                                .applyTo(
                                        new ValueStateDescriptor<>(
                                                "already-emitted-state-boolean", Types.BOOLEAN)));
        timers = getInternalTimerService("user-timers", VoidNamespaceSerializer.INSTANCE, this);
        lateRows = getMetricGroup().counter("numLateRecordsDropped");

        bundle = new LinkedHashMap<>();
        waiting = new HashMap<>();
        due = new TreeMap<>();
        timers.forEachEventTimeTimer((namespace, time) -> isInState(time));
    }

    /** The row of the current key waits in the state, and has that time. */
    private void isInState(long time) {
        RowData key = ((BinaryRowData) getCurrentKey()).copy();
        FirstRow first = new FirstRow(key, time);
        first.timeInState = time;
        add(first);
    }

    private void add(FirstRow first) {
        waiting.put(first.key, first);
        due.computeIfAbsent(first.time, time -> new ArrayList<>(1)).add(first);
    }

    @Override
    public void processElement(StreamRecord<RowData> element) throws Exception {
        RowData received = element.getValue();
        long time = received.getLong(spec.timeColumn());
        if (time < timers.currentWatermark()) {
            lateRows.inc();
            return;
        }
        RowData key = keySelector.getKey(received);
        FirstRow first = waiting.get(key);
        if (first != null) {
            if (time < first.time) {
                hold(first.key, keeper.keep(received), first.timeInState);
                release(first);
            }
            return;
        }
        BinaryRowData previous = bundle.get(key);
        long bytes = 0;
        if (previous == null || time < timeOf(previous)) {
            BinaryRowData kept = keeper.keep(received);
            bundle.put(key, kept);
            bytes =
                    HeapBytes.ofRow(kept)
                            + (previous == null
                                    ? HeapBytes.ofKey(key)
                                    : -HeapBytes.ofRow(previous));
        }
        rowAdded(key, bytes);
    }

    private long timeOf(RowData row) {
        return row.getLong(spec.timeColumn());
    }

    private void hold(RowData key, BinaryRowData row, @Nullable Long timeInState) throws Exception {
        FirstRow first = new FirstRow(key, timeOf(row));
        first.row = row;
        first.timeInState = timeInState;
        add(first);
        budget.add(first.heapBytes());
        if (budget.isExceeded()) {
            store();
            for (FirstRow stored : waiting.values()) {
                release(stored);
            }
        }
    }

    /** Has the heap hold the row no more. */
    private void release(FirstRow first) {
        budget.add(-first.heapBytes());
        first.row = null;
    }

    @Override
    public void close() throws Exception {
        if (budget != null) {
            budget.close();
        }
        super.close();
    }

    @Override
    protected void finishBundle() throws Exception {
        visitKeys(
                bundle,
                emitted,
                (row, loaded) -> {
                    if (!Boolean.TRUE.equals(loaded.value())) {
                        hold((RowData) getCurrentKey(), row, null);
                    }
                });
        bundle.clear();
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        beforeWatermark();
        emitUpTo(mark.getTimestamp());
        super.processWatermark(mark);
    }

    private void emitUpTo(long watermark) throws Exception {
        while (!due.isEmpty() && due.firstKey() <= watermark) {
            for (FirstRow first : due.pollFirstEntry().getValue()) {
                if (waiting.remove(first.key, first)) {
                    emit(first, watermark);
                }
            }
        }
    }

    private void emit(FirstRow first, long watermark) throws Exception {
        setCurrentKey(first.key);
        collector.collect(first.row == null ? waitingInState.value() : first.row);
        release(first);
        emitted.update(true);
        if (first.timeInState != null) {
            waitingInState.clear();
            if (first.timeInState > watermark) {
                // That of a row which came before one of an earlier time.
                timers.deleteEventTimeTimer(VoidNamespace.INSTANCE, first.timeInState);
            }
        }
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        super.prepareSnapshotPreBarrier(checkpointId);
        store();
    }

    /** So that the state has all that Flink's has. */
    private void store() throws Exception {
        for (FirstRow first : waiting.values()) {
            if (first.timeInState != null && first.timeInState == first.time) {
                continue;
            }
            setCurrentKey(first.key);
            waitingInState.update(first.row);
            if (first.timeInState != null) {
                timers.deleteEventTimeTimer(VoidNamespace.INSTANCE, first.timeInState);
            }
            timers.registerEventTimeTimer(VoidNamespace.INSTANCE, first.time);
            first.timeInState = first.time;
        }
    }

    /** Timers are Flink's, and say after a restore which rows wait in the state. */
    @Override
    public void onEventTime(InternalTimer<RowData, VoidNamespace> timer) {}

    @Override
    public void onProcessingTime(InternalTimer<RowData, VoidNamespace> timer) {
        throw new IllegalStateException("No timer of processing time is ever registered");
    }

    /** The first row of a key so far, which waits for a watermark. */
    private static final class FirstRow {
        final RowData key;
        final long time;

        /** Null if the state alone has it. */
        @Nullable BinaryRowData row;

        /** The time of the row that the state has of the key, for which there is a timer. */
        @Nullable Long timeInState;

        FirstRow(RowData key, long time) {
            this.key = key;
            this.time = time;
        }

        long heapBytes() {
            return row == null ? 0 : HeapBytes.ofKey(key) + HeapBytes.ofRow(row);
        }
    }
}
