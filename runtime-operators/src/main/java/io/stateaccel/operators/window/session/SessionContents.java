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

import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.window.TimeWindow;

/**
 * What {@link HeapSessions} keep of the rows of a session, on the heap and in the state. How much
 * of the heap that takes is set in the session. For the task thread.
 *
 * @param <V> what is kept of a session
 */
interface SessionContents<V> {

    /** What each session takes, before there is a row. */
    long bytesOfEach();

    /** Takes in a row of the current key. */
    void add(Session<V> session, RowData row) throws Exception;

    /** Has a session have what another has, which is removed then. */
    void merge(Session<V> merged, Session<V> target) throws Exception;

    /** Emits what a session comes to, of the current key. */
    void emit(Session<V> session) throws Exception;

    /**
     * Emits what a session comes to that the heap does not know.
     *
     * @param stateWindow what it is known by
     */
    void emitStored(TimeWindow window, TimeWindow stateWindow) throws Exception;

    /** Writes what has changed of the sessions of the backend's current key. */
    void write(KeySessions<V> sessions) throws Exception;

    /**
     * Takes a session of the current key from the state.
     *
     * @param isStored whether it has been written
     */
    void remove(TimeWindow stateWindow, boolean isStored) throws Exception;

    void close() throws Exception;
}
