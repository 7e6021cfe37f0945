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

import javax.annotation.Nullable;
import org.apache.flink.table.runtime.operators.window.TimeWindow;

/**
 * A window of a key that is open, and where the state has what of it.
 *
 * @param <V> what is kept of its rows
 */
final class Session<V> {

    private final KeySessions<V> sessions;

    /** What its value is known by in the state, as in Flink: a window that it once was. */
    private final TimeWindow stateWindow;

    private TimeWindow window;
    @Nullable private V value;

    /** Whether all of the value is on the heap. */
    private boolean isKnown;

    /** Of the value, as far as not all values take that. */
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

    private Session(KeySessions<V> sessions, TimeWindow window, TimeWindow stateWindow) {
        this.sessions = sessions;
        this.window = window;
        this.stateWindow = stateWindow;
    }

    /** One of which the state has nothing. */
    static <V> Session<V> opened(KeySessions<V> sessions, TimeWindow window) {
        Session<V> session = new Session<>(sessions, window, window);
        session.isKnown = true;
        return session;
    }

    /** One of which the state has all. */
    static <V> Session<V> stored(
            KeySessions<V> sessions, TimeWindow window, TimeWindow stateWindow) {
        Session<V> session = new Session<>(sessions, window, stateWindow);
        session.stored = window;
        session.timer = window;
        return session;
    }

    KeySessions<V> sessions() {
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
    V value() {
        return value;
    }

    /** The value is this, which the state may not know. */
    void set(@Nullable V now) {
        value = now;
        isKnown = true;
    }

    /** The heap has this of the value, beside what the state has. */
    void setPart(@Nullable V now) {
        value = now;
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
        value = null;
    }
}
