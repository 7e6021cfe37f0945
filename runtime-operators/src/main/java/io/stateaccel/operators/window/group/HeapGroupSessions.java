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

import io.stateaccel.operators.window.session.HeapSessions;
import io.stateaccel.operators.window.session.SessionSpec;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.window.TimeWindow;

/** Aggregates of {@code GROUP BY SESSION(...)}, or a table aggregate of such windows. */
public final class HeapGroupSessions extends HeapGroupWindows {

    private static final long serialVersionUID = 1L;

    private final SessionSpec spec;

    private transient HeapSessions<RowData> sessions;

    /**
     * @param spec what to aggregate and how
     */
    public HeapGroupSessions(SessionSpec spec) {
        this.spec = spec;
    }

    @Override
    protected void open(InternalTimerService<TimeWindow> stateTimers) throws Exception {
        sessions =
                HeapSessions.open(
                        spec,
                        getKeyedStateBackend(),
                        stateTimers,
                        getRuntimeContext(),
                        collector::collect);
    }

    @Override
    protected boolean add(RowData row) throws Exception {
        return sessions.add(row);
    }

    @Override
    protected void advance(long time) throws Exception {
        if (spec.windows().isEventTime()) {
            sessions.advance(time);
        }
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
    }

    @Override
    public void close() throws Exception {
        if (sessions != null) {
            sessions.close();
        }
        super.close();
    }
}
