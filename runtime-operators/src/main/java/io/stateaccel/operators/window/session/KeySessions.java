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

import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.window.TimeWindow;

/**
 * The sessions of a key that are on the heap. Most keys have one.
 *
 * @param <V> what is kept of the rows of a session
 */
final class KeySessions<V> {

    private final RowData key;
    private final List<Session<V>> sessions = new ArrayList<>(1);

    /** Whether the state has none that is not here. */
    private boolean isComplete;

    /** When it was last used, in numbers of evictions. */
    private int usedAt;

    KeySessions(RowData key, boolean isComplete) {
        this.key = key;
        this.isComplete = isComplete;
    }

    RowData key() {
        return key;
    }

    /** May be changed. */
    List<Session<V>> sessions() {
        return sessions;
    }

    boolean isComplete() {
        return isComplete;
    }

    void completed() {
        isComplete = true;
    }

    int usedAt() {
        return usedAt;
    }

    void used(int evictions) {
        usedAt = evictions;
    }

    /** The session that is another window in the state, or the same. */
    @Nullable
    Session<V> stored(TimeWindow window) {
        for (Session<V> session : sessions) {
            if (window.equals(session.stored())) {
                return session;
            }
        }
        return null;
    }

    /** The session that has a timer for a window in the state. */
    @Nullable
    Session<V> withTimer(TimeWindow window) {
        for (Session<V> session : sessions) {
            if (window.equals(session.timer())) {
                return session;
            }
        }
        return null;
    }
}
