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

import io.stateaccel.operators.bundle.HeapBudget;
import io.stateaccel.operators.bundle.HeapBytes;
import io.stateaccel.operators.window.slice.CurrentKey;
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
import org.apache.flink.table.runtime.operators.window.TimeWindow;

/**
 * Keeps the sessions of keys on the heap, where they are merged too. They get to the state, in the
 * layout of Flink's operators, at a checkpoint, and where the heap that they may take is used up; a
 * session that ends before that never does. For the task thread.
 *
 * <p>A session that a row makes longer stays where it is in the queue of those that end next, and
 * is put behind when its turn comes. There are no timers but in the state: one for each session
 * that is there, and on processing time one for the first to end, which wakes the others.
 *
 * @param <V> what is kept of the rows of a session
 */
public final class HeapSessions<V> {

    /** Of a session beside its value: the object, its windows, and where it is referred to. */
    private static final int SESSION_BYTES = 176;

    /** There is no timer in the state that wakes the heap. */
    private static final long NEVER = Long.MAX_VALUE;

    private final SessionWindows windows;
    private final HeapBudget budget;
    private final CurrentKey key;
    private final SessionStore store;
    private final SessionContents<V> contents;
    private final InternalTimerService<TimeWindow> timers;

    private final Map<RowData, KeySessions<V>> keys = new HashMap<>();
    private final PriorityQueue<Session<V>> queue =
            new PriorityQueue<>(Comparator.comparingLong(Session::queuedTime));

    /** No session of which the heap does not know ends later in the state. */
    private long storedUpTo = Long.MIN_VALUE;

    private int evictions;

    /** When a timer in the state wakes the heap, on processing time. */
    private long wakesAt = NEVER;

    private HeapSessions(
            SessionWindows windows,
            long heapBytes,
            CurrentKey key,
            SessionStore store,
            SessionContents<V> contents,
            InternalTimerService<TimeWindow> timers) {
        this.windows = windows;
        this.budget = HeapBudget.open(heapBytes);
        this.key = key;
        this.store = store;
        this.contents = contents;
        this.timers = timers;
    }

    /**
     * Opens sessions that are aggregated.
     *
     * @param backend of the operator
     * @param timers in the state
     * @param results takes what sessions come to, rows that are reused
     */
    public static HeapSessions<RowData> open(
            SessionSpec spec,
            KeyedStateBackend<RowData> backend,
            InternalTimerService<TimeWindow> timers,
            RuntimeContext runtime,
            Consumer<RowData> results)
            throws Exception {
        CurrentKey key = new CurrentKey(backend);
        return open(
                spec.windows(),
                spec.heapBytes(),
                key,
                timers,
                AggregatedSessions.open(spec, key, runtime, results));
    }

    /**
     * @param key of the operator's backend
     * @param timers in the state
     */
    static <V> HeapSessions<V> open(
            SessionWindows windows,
            long heapBytes,
            CurrentKey key,
            InternalTimerService<TimeWindow> timers,
            SessionContents<V> contents)
            throws Exception {
        HeapSessions<V> sessions =
                new HeapSessions<>(
                        windows, heapBytes, key, new SessionStore(key.backend()), contents, timers);
        timers.forEachEventTimeTimer((window, time) -> sessions.stored(window));
        timers.forEachProcessingTimeTimer((window, time) -> sessions.stored(window));
        return sessions;
    }

    private void stored(TimeWindow window) {
        storedUpTo = Math.max(storedUpTo, window.getEnd());
    }

    public void close() throws Exception {
        budget.close();
        contents.close();
    }

    /**
     * Takes in a row of the current key.
     *
     * @return whether it is late, and dropped
     */
    public boolean add(RowData row) throws Exception {
        RowData current = key.get();
        TimeWindow window = windows.of(row, timers);
        KeySessions<V> sessions = keys.get(current);
        if (sessions == null) {
            if (window.getStart() > storedUpTo && isLate(window)) {
                return true;
            }
            sessions = new KeySessions<>(current, storedUpTo == Long.MIN_VALUE);
            keys.put(current, sessions);
            budget.add(HeapBytes.ofKey(current));
        }
        sessions.used(evictions);
        if (!sessions.isComplete() && window.getStart() <= storedUpTo) {
            load(sessions);
        }
        Session<V> session = windows.areMerged() ? merge(sessions, window) : find(sessions, window);
        if (session == null) {
            if (isLate(window)) {
                forgetIfEmpty(sessions);
                return true;
            }
            session = Session.opened(sessions, window);
            take(session);
        }
        long before = session.valueBytes();
        contents.add(session, row);
        budget.add(session.valueBytes() - before);
        if (budget.isExceeded()) {
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
    private static <V> Session<V> find(KeySessions<V> sessions, TimeWindow window) {
        for (Session<V> session : sessions.sessions()) {
            if (session.window().equals(window)) {
                return session;
            }
        }
        return null;
    }

    /** The session that a window is part of, which it may make longer; null if there is none. */
    @Nullable
    private Session<V> merge(KeySessions<V> sessions, TimeWindow window) throws Exception {
        Session<V> one = null;
        Session<V> other = null;
        for (Session<V> session : sessions.sessions()) {
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

    private Session<V> mergeBoth(Session<V> one, Session<V> other) throws Exception {
        Session<V> earlier = one.window().getStart() < other.window().getStart() ? one : other;
        Session<V> later = earlier == one ? other : one;
        // Functions that tell the order of what they merge have to have Flink's, which is this.
        Set<TimeWindow> both = new HashSet<>();
        both.add(later.window());
        both.add(earlier.window());
        Session<V> target = both.iterator().next().equals(later.window()) ? later : earlier;
        Session<V> merged = target == later ? earlier : later;

        long before = merged.valueBytes() + target.valueBytes();
        contents.merge(merged, target);
        budget.add(merged.valueBytes() + target.valueBytes() - before);
        target.extendTo(target.window().cover(merged.window()));
        remove(merged);
        return target;
    }

    private void take(Session<V> session) {
        session.sessions().sessions().add(session);
        budget.add(SESSION_BYTES + contents.bytesOfEach());
        long time = windows.timeOf(session.window().getEnd());
        session.queuedFor(time);
        queue.add(session);
        if (time < wakesAt) {
            wakesAt = NEVER;
        }
    }

    /** Takes a session from the heap and from the state. */
    private void remove(Session<V> session) throws Exception {
        if (session.stored() != null) {
            key.tellBackend();
            store.remove(session.stored());
        }
        contents.remove(session.stateWindow(), session.stored() != null);
        deleteTimer(session);
        session.sessions().sessions().remove(session);
        forget(session);
        forgetIfEmpty(session.sessions());
    }

    private void forget(Session<V> session) {
        budget.add(-(SESSION_BYTES + contents.bytesOfEach() + session.valueBytes()));
        session.gone();
    }

    private void forgetIfEmpty(KeySessions<V> sessions) {
        if (sessions.sessions().isEmpty()) {
            keys.remove(sessions.key());
            budget.add(-HeapBytes.ofKey(sessions.key()));
        }
    }

    // Reading.

    private void load(KeySessions<V> sessions) throws Exception {
        key.tellBackend();
        for (Map.Entry<TimeWindow, TimeWindow> stored : store.windows()) {
            if (sessions.stored(stored.getKey()) == null) {
                take(Session.stored(sessions, stored.getKey(), stored.getValue()));
            }
        }
        sessions.completed();
    }

    // The ends of sessions.

    /**
     * Emits the sessions of the heap that have ended.
     *
     * @param time the watermark, or the time of the timer that is worked off
     */
    public void advance(long time) throws Exception {
        boolean areSomeStored = storedUpTo != Long.MIN_VALUE;
        if (areSomeStored && windows.timeOf(storedUpTo) <= time) {
            // Those are worked off by their timers before there is another row.
            storedUpTo = Long.MIN_VALUE;
        }
        try {
            for (Session<V> session = first();
                    session != null && session.queuedTime() <= time;
                    session = first()) {
                key.set(session.sessions().key());
                if (areSomeStored && !session.sessions().isComplete()) {
                    // Of the key, one in the state may end before it.
                    key.tellBackend();
                    load(session.sessions());
                } else {
                    queue.poll();
                    emit(session);
                }
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
    private Session<V> first() {
        for (Session<V> session = queue.peek(); session != null; session = queue.peek()) {
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
    public void onTimer(long time, TimeWindow window) throws Exception {
        if (wakesAt <= time) {
            RowData current = key.get();
            advance(time);
            backTo(current);
        }
        KeySessions<V> sessions = keys.get(key.get());
        Session<V> session = sessions == null ? null : sessions.withTimer(window);
        if (session != null) {
            session.timerFor(null);
            if (session.window().equals(window)) {
                emit(session);
            }
        } else if (sessions == null || sessions.stored(window) == null) {
            emitStored(window);
        }
    }

    private void emit(Session<V> session) throws Exception {
        long before = session.valueBytes();
        contents.emit(session);
        budget.add(session.valueBytes() - before);
        remove(session);
    }

    private void emitStored(TimeWindow window) throws Exception {
        TimeWindow stateWindow = store.stateWindow(window);
        if (stateWindow == null) {
            return;
        }
        contents.emitStored(window, stateWindow);
        store.remove(window);
        contents.remove(stateWindow, true);
    }

    // Writing.

    /** The state has all of it then, which stays on the heap. */
    public void writeBack() throws Exception {
        RowData current = key.get();
        for (KeySessions<V> sessions : keys.values()) {
            write(sessions);
        }
        backTo(current);
        wakesAt = NEVER;
        wake();
    }

    private void write(KeySessions<V> sessions) throws Exception {
        boolean isCurrent = false;
        for (Session<V> session : sessions.sessions()) {
            if (session.isChanged() || !session.window().equals(session.timer())) {
                if (!isCurrent) {
                    key.backend().setCurrentKey(sessions.key());
                    isCurrent = true;
                }
                write(session);
            }
        }
        if (isCurrent) {
            long before = valueBytes(sessions);
            contents.write(sessions);
            budget.add(valueBytes(sessions) - before);
        }
    }

    private static long valueBytes(KeySessions<?> sessions) {
        long sum = 0;
        for (Session<?> session : sessions.sessions()) {
            sum += session.valueBytes();
        }
        return sum;
    }

    private void write(Session<V> session) throws Exception {
        if (!session.window().equals(session.stored())) {
            if (session.stored() != null) {
                store.remove(session.stored());
            }
            store.put(session.window(), session.stateWindow());
            session.storedAs(session.window());
        }
        registerTimer(session);
    }

    /**
     * Writes keys that nothing has come for, and others if need be, and takes them from the heap.
     */
    private void evict() throws Exception {
        RowData current = key.get();
        long half = budget.bytes() / 2;
        evict(half, sessions -> sessions.usedAt() < evictions);
        evict(half, sessions -> true);
        evictions++;
        queue.removeIf(Session::isGone);
        backTo(current);
        wakesAt = NEVER;
    }

    private void evict(long mostBytes, Predicate<KeySessions<V>> which) throws Exception {
        Iterator<KeySessions<V>> all = keys.values().iterator();
        while (budget.bytes() > mostBytes && all.hasNext()) {
            KeySessions<V> sessions = all.next();
            if (which.test(sessions)) {
                write(sessions);
                for (Session<V> session : sessions.sessions()) {
                    stored(session.window());
                    forget(session);
                }
                budget.add(-HeapBytes.ofKey(sessions.key()));
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
        Session<V> first = first();
        if (first != null) {
            RowData current = key.get();
            key.backend().setCurrentKey(first.sessions().key());
            registerTimer(first);
            backTo(current);
            wakesAt = first.queuedTime();
        }
    }

    /** The backend has the key of the session. */
    private void registerTimer(Session<V> session) {
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

    private void deleteTimer(Session<V> session) {
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
