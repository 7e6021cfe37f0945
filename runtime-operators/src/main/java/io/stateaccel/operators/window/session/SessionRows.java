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

import io.stateaccel.operators.bundle.HeapBytes;
import io.stateaccel.operators.window.slice.CurrentKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;

/**
 * The rows of each session, in the state as Flink has them: each by a number that counts the rows
 * of its key. A session of which the state has rows is read when it ends, or is merged, and not
 * before; rows that are only on the heap need no number.
 */
final class SessionRows implements SessionContents<List<SessionRow>> {

    /** Of a row beside its bytes. */
    private static final int ROW_BYTES = 40;

    private final CurrentKey key;
    private final RowDataSerializer serializer;
    private final ValueState<Long> numbers;
    private final InternalMapState<RowData, TimeWindow, Long, RowData> rows;
    private final BiConsumer<RowData, TimeWindow> results;

    /** Whether Flink may have left rows in the state that are of no session. */
    private final boolean mayHaveLeftovers;

    private long arrivals;

    private SessionRows(
            CurrentKey key,
            RowDataSerializer serializer,
            ValueState<Long> numbers,
            InternalMapState<RowData, TimeWindow, Long, RowData> rows,
            boolean mayHaveLeftovers,
            BiConsumer<RowData, TimeWindow> results) {
        this.key = key;
        this.serializer = serializer;
        this.numbers = numbers;
        this.rows = rows;
        this.mayHaveLeftovers = mayHaveLeftovers;
        this.results = results;
    }

    /**
     * @param isRestored whether the state has been taken over, maybe from Flink's operator
     * @param results takes the rows of sessions that have ended
     */
    @SuppressWarnings("unchecked")
    static SessionRows open(
            RowDataSerializer serializer,
            CurrentKey key,
            boolean isRestored,
            BiConsumer<RowData, TimeWindow> results)
            throws Exception {
        KeyedStateBackend<RowData> backend = key.backend();
        return new SessionRows(
                key,
                serializer,
                backend.getPartitionedState(
                        VoidNamespace.INSTANCE,
                        VoidNamespaceSerializer.INSTANCE,
                        new ValueStateDescriptor<>(
                                "session-window-tvf-counter", LongSerializer.INSTANCE)),
                (InternalMapState<RowData, TimeWindow, Long, RowData>)
                        backend.getOrCreateKeyedState(
                                new TimeWindow.Serializer(),
                                new MapStateDescriptor<>(
                                        "session-window-tvf-acc",
                                        LongSerializer.INSTANCE,
                                        serializer)),
                isRestored,
                results);
    }

    @Override
    public long bytesOfEach() {
        return 0;
    }

    @Override
    public void add(Session<List<SessionRow>> session, RowData row) {
        BinaryRowData kept = serializer.toBinaryRow(row).copy();
        take(session, SessionRow.arrived(kept, arrivals++));
    }

    private static void take(Session<List<SessionRow>> session, SessionRow row) {
        if (session.value() == null) {
            session.setPart(new ArrayList<>(2));
        }
        session.value().add(row);
        session.changed(true);
        session.valueBytes(session.valueBytes() + ROW_BYTES + HeapBytes.ofValues(row.row));
    }

    @Override
    public void merge(Session<List<SessionRow>> merged, Session<List<SessionRow>> target)
            throws Exception {
        for (SessionRow row : allOf(merged)) {
            // Not of that session.
            row.stored(false);
            take(target, row);
        }
        if (target.value() != null) {
            target.value().sort(SessionRow.AS_THEY_CAME);
        }
    }

    private List<SessionRow> allOf(Session<List<SessionRow>> session) throws Exception {
        List<SessionRow> onHeap = session.value() == null ? List.of() : session.value();
        if (session.isKnown()) {
            return onHeap;
        }
        key.tellBackend();
        List<SessionRow> all = stored(session.stateWindow());
        all.addAll(onHeap);
        all.sort(SessionRow.AS_THEY_CAME);
        return all;
    }

    private List<SessionRow> stored(TimeWindow stateWindow) throws Exception {
        List<SessionRow> stored = new ArrayList<>();
        rows.setCurrentNamespace(stateWindow);
        for (Map.Entry<Long, RowData> entry : rows.entries()) {
            stored.add(SessionRow.stored(entry.getValue(), entry.getKey()));
        }
        return stored;
    }

    @Override
    public void emit(Session<List<SessionRow>> session) throws Exception {
        emit(allOf(session), session.window());
    }

    @Override
    public void emitStored(TimeWindow window, TimeWindow stateWindow) throws Exception {
        List<SessionRow> stored = stored(stateWindow);
        stored.sort(SessionRow.AS_THEY_CAME);
        emit(stored, window);
    }

    private void emit(List<SessionRow> all, TimeWindow window) {
        for (SessionRow row : all) {
            results.accept(row.row, window);
        }
    }

    @Override
    public void write(KeySessions<List<SessionRow>> sessions) throws Exception {
        boolean isKeyNew = number(sessions);
        for (Session<List<SessionRow>> session : sessions.sessions()) {
            if (session.isChanged()) {
                rows.setCurrentNamespace(session.stateWindow());
                if (mayHaveLeftovers && !isKeyNew && isNew(session)) {
                    rows.clear();
                }
                for (SessionRow row : session.value()) {
                    if (!row.isStored()) {
                        rows.put(row.number(), row.row);
                        row.stored(true);
                    }
                }
                session.changed(false);
                if (!session.isKnown()) {
                    // It has to be read anyway.
                    session.setPart(null);
                    session.valueBytes(0);
                }
            }
        }
    }

    /** Whether the state has none of its rows. */
    private static boolean isNew(Session<List<SessionRow>> session) {
        return session.isKnown() && session.value().stream().noneMatch(SessionRow::isStored);
    }

    /**
     * Numbers the rows that have none, over all sessions, which may be one some day.
     *
     * @return whether the state has never had a row of the key
     */
    private boolean number(KeySessions<List<SessionRow>> sessions) throws Exception {
        List<SessionRow> unnumbered = new ArrayList<>();
        for (Session<List<SessionRow>> session : sessions.sessions()) {
            if (session.isChanged()) {
                for (SessionRow row : session.value()) {
                    if (!row.hasNumber()) {
                        unnumbered.add(row);
                    }
                }
            }
        }
        if (unnumbered.isEmpty()) {
            return false;
        }
        unnumbered.sort(SessionRow.AS_THEY_CAME);
        Long next = numbers.value();
        long number = next == null ? 0 : next;
        for (SessionRow row : unnumbered) {
            row.number(number++);
        }
        numbers.update(number);
        return next == null;
    }

    @Override
    public void remove(TimeWindow stateWindow, boolean isStored) {
        if (isStored) {
            key.tellBackend();
            rows.setCurrentNamespace(stateWindow);
            rows.clear();
        }
    }

    @Override
    public void close() {}
}
