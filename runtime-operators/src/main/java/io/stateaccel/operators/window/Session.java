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

import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.window.TimeWindow;

/** A window of a key that is open, and where the state has what of it. */
final class Session {

    private final KeySessions sessions;

    /** What its accumulator is known by in the state, as in Flink: a window that it once was. */
    private final TimeWindow stateWindow;

    private TimeWindow window;
    private RowData accumulator;

    /** Whether the accumulator is on the heap. */
    private boolean isKnown;

    /** Of the accumulator, as far as not all accumulators take that. */
    private long valueBytes;

    /** Whether the state lacks something. */
    private boolean isChanged;

    /** The window that it is in the state; null if it is not there. */
    @Nullable private TimeWindow stored;

    /** The window that there is a timer for in the state; null if there is none. */
    @Nullable private TimeWindow timer;

    /** The time at which it is looked at, which is not after its own. */
    private long queuedTime;

    /** Whether it is no longer on the heap. */
    private boolean isGone;

    private Session(KeySessions sessions, TimeWindow window, TimeWindow stateWindow) {
        this.sessions = sessions;
        this.window = window;
        this.stateWindow = stateWindow;
    }

    /** One of which the state has nothing. */
    static Session opened(KeySessions sessions, TimeWindow window) {
        Session session = new Session(sessions, window, window);
        session.isKnown = true;
        return session;
    }

    /** One of which the state has all. */
    static Session stored(KeySessions sessions, TimeWindow window, TimeWindow stateWindow) {
        Session session = new Session(sessions, window, stateWindow);
        session.stored = window;
        session.timer = window;
        return session;
    }

    KeySessions sessions() {
        return sessions;
    }

    TimeWindow stateWindow() {
        return stateWindow;
    }

    TimeWindow window() {
        return window;
    }

    void extendTo(TimeWindow longer) {
        window = longer;
    }

    boolean isKnown() {
        return isKnown;
    }

    @Nullable
    RowData accumulator() {
        return accumulator;
    }

    /** The accumulator is this, which the state may not know. */
    void set(@Nullable RowData now) {
        accumulator = now;
        isKnown = true;
    }

    long valueBytes() {
        return valueBytes;
    }

    void valueBytes(long bytes) {
        valueBytes = bytes;
    }

    boolean isChanged() {
        return isChanged;
    }

    void changed(boolean now) {
        isChanged = now;
    }

    @Nullable
    TimeWindow stored() {
        return stored;
    }

    void storedAs(@Nullable TimeWindow now) {
        stored = now;
    }

    @Nullable
    TimeWindow timer() {
        return timer;
    }

    void timerFor(@Nullable TimeWindow now) {
        timer = now;
    }

    long queuedTime() {
        return queuedTime;
    }

    void queuedFor(long time) {
        queuedTime = time;
    }

    boolean isGone() {
        return isGone;
    }

    void gone() {
        isGone = true;
        accumulator = null;
    }
}
