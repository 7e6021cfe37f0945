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
package io.stateaccel.operators.window;

import io.stateaccel.operators.aggregate.AccumulatorBytes;
import io.stateaccel.operators.bundle.HeapBytes;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import javax.annotation.Nullable;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.dataview.PerWindowStateDataViewStore;
import org.apache.flink.table.runtime.generated.NamespaceAggsHandleFunction;
import org.apache.flink.table.runtime.operators.aggregate.RecordCounter;
import org.apache.flink.table.runtime.operators.window.TimeWindow;

/**
 * Aggregates the sessions of keys on the heap, where they are merged too. They get to the state, in
 * the layout of Flink's operators, at a checkpoint, and where the heap that they may take is used
 * up; a session that ends before that never does. For the task thread.
 *
 * <p>A session that a row makes longer stays where it is in the queue of those that end next, and
 * is put behind when its turn comes. There are no timers but in the state: one for each session
 * that is there, and on processing time one for the first to end, which wakes the others.
 */
final class HeapSessions {

    /**
     * Of a session beside its accumulator: the object, its windows, and where it is referred to.
     */
    private static final int SESSION_BYTES = 176;

    /** There is no timer in the state that wakes the heap. */
    private static final long NEVER = Long.MAX_VALUE;

    private final SessionSpec spec;
    private final SessionWindows windows;
    private final CurrentKey key;
    private final SessionStore store;
    private final InternalTimerService<TimeWindow> timers;
    private final NamespaceAggsHandleFunction<TimeWindow> functions;
    private final RecordCounter rowsOfAccumulator;
    private final AccumulatorBytes accumulatorBytes;
    private final Consumer<RowData> results;
    private final JoinedRowData result = new JoinedRowData();

    private final Map<RowData, KeySessions> keys = new HashMap<>();
    private final PriorityQueue<Session> queue =
            new PriorityQueue<>(Comparator.comparingLong(Session::queuedTime));

    /** No session of which the heap does not know ends later in the state. */
    private long storedUpTo = Long.MIN_VALUE;

    private long bytes;
    private int evictions;

    /** When a timer in the state wakes the heap, on processing time. */
    private long wakesAt = NEVER;

    private HeapSessions(
            SessionSpec spec,
            CurrentKey key,
            SessionStore store,
            InternalTimerService<TimeWindow> timers,
            NamespaceAggsHandleFunction<TimeWindow> functions,
            Consumer<RowData> results) {
        this.spec = spec;
        this.windows = spec.windows();
        this.key = key;
        this.store = store;
        this.timers = timers;
        this.functions = functions;
        this.rowsOfAccumulator = RecordCounter.of(spec.indexOfCountStar());
        this.accumulatorBytes = new AccumulatorBytes(spec.accumulatorTypes());
        this.results = results;
    }

    /**
     * @param backend of the operator
     * @param timers in the state
     * @param results takes what sessions come to, rows that are reused
     */
    static HeapSessions open(
            SessionSpec spec,
            KeyedStateBackend<RowData> backend,
            InternalTimerService<TimeWindow> timers,
            RuntimeContext runtime,
            Consumer<RowData> results)
            throws Exception {
        NamespaceAggsHandleFunction<TimeWindow> functions =
                spec.functions().newInstance(runtime.getUserCodeClassLoader());
        functions.open(
                new PerWindowStateDataViewStore(backend, new TimeWindow.Serializer(), runtime));
        HeapSessions sessions =
                new HeapSessions(
                        spec,
                        new CurrentKey(backend),
                        new SessionStore(backend, spec.accumulatorTypes()),
                        timers,
                        functions,
                        results);
        timers.forEachEventTimeTimer((window, time) -> sessions.stored(window));
        timers.forEachProcessingTimeTimer((window, time) -> sessions.stored(window));
        return sessions;
    }

    private void stored(TimeWindow window) {
        storedUpTo = Math.max(storedUpTo, window.getEnd());
    }

    void close() throws Exception {
        functions.close();
    }

    /**
     * Takes in a row of the current key.
     *
     * @return whether it is late, and dropped
     */
    boolean add(RowData row) throws Exception {
        RowData current = key.get();
        TimeWindow window = windows.of(row, timers);
        KeySessions sessions = keys.get(current);
        if (sessions == null) {
            if (window.getStart() > storedUpTo && isLate(window)) {
                return true;
            }
            sessions = new KeySessions(current, storedUpTo == Long.MIN_VALUE);
            keys.put(current, sessions);
            bytes += HeapBytes.ofKey(current);
        }
        sessions.used(evictions);
        if (!sessions.isComplete() && window.getStart() <= storedUpTo) {
            load(sessions);
        }
        Session session = windows.areMerged() ? merge(sessions, window) : find(sessions, window);
        if (session == null) {
            if (isLate(window)) {
                forgetIfEmpty(sessions);
                return true;
            }
            session = Session.opened(sessions, window);
            take(session);
        }
        setAccumulators(session);
        if (RowDataUtil.isAccumulateMsg(row)) {
            functions.accumulate(row);
        } else {
            functions.retract(row);
        }
        accumulated(session, HeapBytes.ofValues(row));
        if (bytes > spec.heapBytes()) {
            evict();
        }
        wake();
        return false;
    }

    private boolean isLate(TimeWindow window) {
        return windows.isEventTime()
                && windows.timeOf(window.getEnd()) <= timers.currentWatermark();
    }

    // Sessions of a key.

    @Nullable
    private static Session find(KeySessions sessions, TimeWindow window) {
        for (Session session : sessions.sessions()) {
            if (session.window().equals(window)) {
                return session;
            }
        }
        return null;
    }

    /** The session that a window is part of, which it may make longer; null if there is none. */
    @Nullable
    private Session merge(KeySessions sessions, TimeWindow window) throws Exception {
        Session one = null;
        Session other = null;
        for (Session session : sessions.sessions()) {
            if (session.window().intersects(window)) {
                other = one;
                one = session;
            }
        }
        if (one == null) {
            return null;
        }
        if (other != null) {
            one = mergeBoth(one, other);
        }
        if (window.getStart() < one.window().getStart()
                || window.getEnd() > one.window().getEnd()) {
            one.extendTo(one.window().cover(window));
        }
        return one;
    }

    private Session mergeBoth(Session one, Session other) throws Exception {
        Session earlier = one.window().getStart() < other.window().getStart() ? one : other;
        Session later = earlier == one ? other : one;
        // Functions that tell the order of what they merge have to have Flink's, which is this.
        Set<TimeWindow> both = new HashSet<>();
        both.add(later.window());
        both.add(earlier.window());
        Session target = both.iterator().next().equals(later.window()) ? later : earlier;
        Session merged = target == later ? earlier : later;

        loadAccumulator(merged);
        setAccumulators(target);
        if (merged.accumulator() != null) {
            functions.merge(merged.stateWindow(), merged.accumulator());
        }
        accumulated(target, merged.valueBytes());
        target.extendTo(target.window().cover(merged.window()));
        remove(merged);
        return target;
    }

    private void setAccumulators(Session session) throws Exception {
        loadAccumulator(session);
        functions.setAccumulators(
                session.stateWindow(),
                session.accumulator() == null
                        ? functions.createAccumulators()
                        : session.accumulator());
    }

    private void accumulated(Session session, long rowBytes) throws Exception {
        RowData accumulator = functions.getAccumulators();
        session.set(accumulator);
        session.changed(true);
        resize(session, accumulatorBytes.ofGrowing(accumulator, session.valueBytes(), rowBytes));
    }

    private void resize(Session session, long valueBytes) {
        bytes += valueBytes - session.valueBytes();
        session.valueBytes(valueBytes);
    }

    private void take(Session session) {
        session.sessions().sessions().add(session);
        bytes += SESSION_BYTES + accumulatorBytes.ofFields();
        long time = windows.timeOf(session.window().getEnd());
        session.queuedFor(time);
        queue.add(session);
        if (time < wakesAt) {
            wakesAt = NEVER;
        }
    }

    /** Takes a session from the heap and from the state. */
    private void remove(Session session) throws Exception {
        if (session.stored() != null) {
            key.tellBackend();
            store.remove(session.stored());
            store.removeAccumulator(session.stateWindow());
        }
        deleteTimer(session);
        cleanUp(session.stateWindow());
        session.sessions().sessions().remove(session);
        forget(session);
        forgetIfEmpty(session.sessions());
    }

    private void cleanUp(TimeWindow stateWindow) throws Exception {
        if (spec.hasViews()) {
            key.tellBackend();
            functions.cleanup(stateWindow);
        }
    }

    private void forget(Session session) {
        bytes -= SESSION_BYTES + accumulatorBytes.ofFields() + session.valueBytes();
        session.gone();
    }

    private void forgetIfEmpty(KeySessions sessions) {
        if (sessions.sessions().isEmpty()) {
            keys.remove(sessions.key());
            bytes -= HeapBytes.ofKey(sessions.key());
        }
    }

    // Reading.

    private void load(KeySessions sessions) throws Exception {
        key.tellBackend();
        for (Map.Entry<TimeWindow, TimeWindow> stored : store.windows()) {
            if (sessions.stored(stored.getKey()) == null) {
                take(Session.stored(sessions, stored.getKey(), stored.getValue()));
            }
        }
        sessions.completed();
    }

    private void loadAccumulator(Session session) throws Exception {
        if (!session.isKnown()) {
            key.tellBackend();
            RowData accumulator = store.accumulator(session.stateWindow());
            session.set(accumulator);
            if (accumulator != null) {
                resize(
                        session,
                        accumulatorBytes.ofGrowing(
                                accumulator, 0, HeapBytes.ofValues(accumulator)));
            }
        }
    }

    // The ends of sessions.

    /**
     * Emits the sessions of the heap that have ended.
     *
     * @param time the watermark, or the time of the timer that is worked off
     */
    void advance(long time) throws Exception {
        if (storedUpTo != Long.MIN_VALUE && windows.timeOf(storedUpTo) <= time) {
            // Those are worked off by their timers before there is another row.
            storedUpTo = Long.MIN_VALUE;
        }
        try {
            for (Session session = first();
                    session != null && session.queuedTime() <= time;
                    session = first()) {
                queue.poll();
                key.set(session.sessions().key());
                emit(session);
            }
        } finally {
            key.leaveToBackend();
        }
        if (wakesAt <= time) {
            wakesAt = NEVER;
        }
        wake();
    }

    /** The session of the heap that ends next. */
    @Nullable
    private Session first() {
        for (Session session = queue.peek(); session != null; session = queue.peek()) {
            long time = session.isGone() ? NEVER : windows.timeOf(session.window().getEnd());
            if (!session.isGone() && time == session.queuedTime()) {
                return session;
            }
            queue.poll();
            if (!session.isGone()) {
                session.queuedFor(time);
                queue.add(session);
            }
        }
        return null;
    }

    /** Works off a timer of the state, of the current key, and on processing time what it wakes. */
    void onTimer(long time, TimeWindow window) throws Exception {
        if (wakesAt <= time) {
            RowData current = key.get();
            advance(time);
            backTo(current);
        }
        KeySessions sessions = keys.get(key.get());
        Session session = sessions == null ? null : sessions.withTimer(window);
        if (session != null) {
            session.timerFor(null);
            if (session.window().equals(window)) {
                emit(session);
            }
        } else if (sessions == null || sessions.stored(window) == null) {
            emitStored(window);
        }
    }

    private void emit(Session session) throws Exception {
        if (spec.hasViews()) {
            key.tellBackend();
        }
        setAccumulators(session);
        emit(session.window());
        remove(session);
    }

    private void emitStored(TimeWindow window) throws Exception {
        TimeWindow stateWindow = store.stateWindow(window);
        if (stateWindow == null) {
            return;
        }
        RowData accumulator = store.accumulator(stateWindow);
        functions.setAccumulators(
                stateWindow, accumulator == null ? functions.createAccumulators() : accumulator);
        emit(window);
        store.remove(window);
        store.removeAccumulator(stateWindow);
        cleanUp(stateWindow);
    }

    private void emit(TimeWindow window) throws Exception {
        RowData value = functions.getValue(window);
        if (!rowsOfAccumulator.recordCountIsZero(functions.getAccumulators())) {
            results.accept(result.replace(key.get(), value));
        }
    }

    // Writing.

    /** The state has all of it then, which stays on the heap. */
    void writeBack() throws Exception {
        RowData current = key.get();
        for (KeySessions sessions : keys.values()) {
            write(sessions);
        }
        backTo(current);
        wakesAt = NEVER;
        wake();
    }

    private void write(KeySessions sessions) throws Exception {
        boolean isCurrent = false;
        for (Session session : sessions.sessions()) {
            if (session.isChanged() || !session.window().equals(session.timer())) {
                if (!isCurrent) {
                    key.backend().setCurrentKey(sessions.key());
                    isCurrent = true;
                }
                write(session);
            }
        }
    }

    private void write(Session session) throws Exception {
        if (!session.window().equals(session.stored())) {
            if (session.stored() != null) {
                store.remove(session.stored());
            }
            store.put(session.window(), session.stateWindow());
            session.storedAs(session.window());
        }
        if (session.isChanged()) {
            store.put(session.stateWindow(), session.accumulator());
            session.changed(false);
        }
        registerTimer(session);
    }

    /**
     * Writes keys that nothing has come for, and others if need be, and takes them from the heap.
     */
    private void evict() throws Exception {
        RowData current = key.get();
        evict(sessions -> sessions.usedAt() < evictions);
        evict(sessions -> true);
        evictions++;
        queue.removeIf(Session::isGone);
        backTo(current);
        wakesAt = NEVER;
    }

    private void evict(Predicate<KeySessions> which) throws Exception {
        Iterator<KeySessions> all = keys.values().iterator();
        while (bytes > spec.heapBytes() / 2 && all.hasNext()) {
            KeySessions sessions = all.next();
            if (which.test(sessions)) {
                write(sessions);
                for (Session session : sessions.sessions()) {
                    stored(session.window());
                    forget(session);
                }
                bytes -= HeapBytes.ofKey(sessions.key());
                all.remove();
            }
        }
    }

    private void backTo(@Nullable RowData current) {
        if (current != null) {
            key.backend().setCurrentKey(current);
        }
    }

    // Timers in the state.

    /** On processing time, has a timer for the session that ends first, if there is none. */
    private void wake() {
        if (windows.isEventTime() || wakesAt != NEVER) {
            return;
        }
        Session first = first();
        if (first != null) {
            RowData current = key.get();
            key.backend().setCurrentKey(first.sessions().key());
            registerTimer(first);
            backTo(current);
            wakesAt = first.queuedTime();
        }
    }

    /** The backend has the key of the session. */
    private void registerTimer(Session session) {
        TimeWindow window = session.window();
        if (window.equals(session.timer())) {
            return;
        }
        deleteTimer(session);
        if (windows.isEventTime()) {
            timers.registerEventTimeTimer(window, windows.timeOf(window.getEnd()));
        } else {
            timers.registerProcessingTimeTimer(window, windows.timeOf(window.getEnd()));
        }
        session.timerFor(window);
    }

    private void deleteTimer(Session session) {
        TimeWindow window = session.timer();
        if (window == null) {
            return;
        }
        key.tellBackend();
        long time = windows.timeOf(window.getEnd());
        if (windows.isEventTime()) {
            timers.deleteEventTimeTimer(window, time);
        } else {
            timers.deleteProcessingTimeTimer(window, time);
        }
        session.timerFor(null);
        if (time == wakesAt) {
            wakesAt = NEVER;
        }
    }
}
