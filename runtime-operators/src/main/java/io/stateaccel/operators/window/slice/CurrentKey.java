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
package io.stateaccel.operators.window.slice;

import javax.annotation.Nullable;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.table.data.RowData;

/**
 * The current key, which the state backend is told of only if it is asked for something: a window
 * that is on the heap alone does not need that. For the task thread.
 */
public final class CurrentKey {

    private final KeyedStateBackend<RowData> backend;

    /** The key of a window on the heap; null if the backend has the current one. */
    @Nullable private RowData ours;

    private boolean backendHasIt;

    public CurrentKey(KeyedStateBackend<RowData> backend) {
        this.backend = backend;
    }

    public KeyedStateBackend<RowData> backend() {
        return backend;
    }

    public RowData get() {
        return ours != null ? ours : backend.getCurrentKey();
    }

    /** The backend need not know it yet. */
    public void set(RowData key) {
        ours = key;
        backendHasIt = false;
    }

    /** Whatever the backend is told is current from now on. */
    public void leaveToBackend() {
        ours = null;
    }

    /** To be called before a state or a timer of the backend is read or written. */
    public void tellBackend() {
        if (ours != null && !backendHasIt) {
            backend.setCurrentKey(ours);
            backendHasIt = true;
        }
    }
}
