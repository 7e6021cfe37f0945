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
package io.stateaccel.operators.window.session;

import io.stateaccel.flink.operator.SessionRowsOperator;
import io.stateaccel.operators.bundle.HeapBudget;
import io.stateaccel.operators.window.slice.CurrentKey;
import java.time.Duration;
import java.util.List;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.table.runtime.operators.window.groupwindow.assigners.SessionWindowAssigner;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;

/**
 * Emits the rows of {@code SESSION} with their windows when these end, from the heap. Extends
 * Flink's operator, whose states, timers and metrics it has.
 */
public final class HeapSessionRows extends SessionRowsOperator {

    private static final long serialVersionUID = 1L;

    private final SessionWindows windows;
    private final RowDataSerializer rowSerializer;
    private final long heapBytes;

    private transient HeapSessions<List<SessionRow>> sessions;
    private transient boolean isRestored;

    /**
     * @param windows those of rows, which do not carry them
     * @param rowSerializer of the rows
     * @param heapBytes what sessions may take on the heap, see {@link HeapBudget#open}
     */
    public HeapSessionRows(
            SessionWindows windows, RowDataSerializer rowSerializer, long heapBytes) {
        super(assigner(windows), rowSerializer, windows.timeIndex(), windows.shiftTimeZone());
        this.windows = windows;
        this.rowSerializer = rowSerializer;
        this.heapBytes = heapBytes;
    }

    /** The same windows, as Flink opens them. */
    static SessionWindowAssigner assigner(SessionWindows windows) {
        SessionWindowAssigner byRowTime =
                SessionWindowAssigner.withGap(Duration.ofMillis(windows.gap()));
        return windows.isEventTime() ? byRowTime : byRowTime.withProcessingTime();
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        isRestored = context.isRestored();
    }

    @Override
    public void open() throws Exception {
        super.open();
        InternalTimerService<TimeWindow> timers =
                getInternalTimerService(
                        "session-window-tvf-timers", new TimeWindow.Serializer(), this);
        CurrentKey key = new CurrentKey(getKeyedStateBackend());
        sessions =
                HeapSessions.open(
                        windows,
                        heapBytes,
                        key,
                        timers,
                        SessionRows.open(
                                rowSerializer,
                                key,
                                isRestored,
                                (row, window) -> collect(row, List.of(window))));
    }

    @Override
    public void close() throws Exception {
        if (sessions != null) {
            sessions.close();
        }
        super.close();
    }

    @Override
    public void processElement(StreamRecord<RowData> element) throws Exception {
        RowData row = element.getValue();
        if (windows.isEventTime() && row.isNullAt(windows.timeIndex())) {
            numNullRowTimeRecordsDropped.inc();
        } else if (sessions.add(row)) {
            getNumLateRecordsDropped().inc();
        }
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        if (windows.isEventTime()) {
            sessions.advance(mark.getTimestamp());
        }
        super.processWatermark(mark);
    }

    @Override
    public void onEventTime(InternalTimer<RowData, TimeWindow> timer) throws Exception {
        onTimer(timer);
    }

    @Override
    public void onProcessingTime(InternalTimer<RowData, TimeWindow> timer) throws Exception {
        onTimer(timer);
    }

    private void onTimer(InternalTimer<RowData, TimeWindow> timer) throws Exception {
        setCurrentKey(timer.getKey());
        sessions.onTimer(timer.getTimestamp(), timer.getNamespace());
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpoint) throws Exception {
        sessions.writeBack();
        super.prepareSnapshotPreBarrier(checkpoint);
    }
}
