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

import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.table.runtime.operators.window.tvf.common.WindowAggOperator;
import org.apache.flink.table.runtime.operators.window.tvf.unslicing.UnslicingSyncStateWindowProcessor;

/**
 * Aggregates the windows of {@code SESSION} as {@link HeapSessions}, in Flink's own operator, to
 * which late rows, metrics and the watermark of a restart are left.
 */
public final class HeapSessionAggregate implements UnslicingSyncStateWindowProcessor<TimeWindow> {

    private static final long serialVersionUID = 1L;

    private final SessionSpec spec;

    private transient HeapSessions<RowData> sessions;

    /**
     * @param spec what to aggregate and how
     */
    public HeapSessionAggregate(SessionSpec spec) {
        this.spec = spec;
    }

    /** Makes Flink's operator, which runs this processor. */
    public OneInputStreamOperator<RowData, RowData> operator() {
        return new WindowAggOperator<RowData, TimeWindow>(this, spec.windows().isEventTime());
    }

    @Override
    public void open(SyncStateContext<TimeWindow> context) throws Exception {
        sessions =
                HeapSessions.open(
                        spec,
                        context.getKeyedStateBackend(),
                        context.getTimerService(),
                        context.getRuntimeContext(),
                        context::output);
    }

    @Override
    public void initializeWatermark(long watermark) {}

    @Override
    public boolean processElement(RowData key, RowData row) throws Exception {
        return sessions.add(row);
    }

    @Override
    public void advanceProgress(long progress) throws Exception {
        sessions.advance(progress);
    }

    @Override
    public void prepareCheckpoint() throws Exception {
        sessions.writeBack();
    }

    @Override
    public void fireWindow(long time, TimeWindow window) throws Exception {
        sessions.onTimer(time, window);
    }

    /** Firing it has done that. */
    @Override
    public void clearWindow(long time, TimeWindow window) {}

    @Override
    public void close() throws Exception {
        if (sessions != null) {
            sessions.close();
        }
    }

    @Override
    public TypeSerializer<TimeWindow> createWindowSerializer() {
        return new TimeWindow.Serializer();
    }
}
