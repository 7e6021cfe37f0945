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
package io.stateaccel.views.join.records;

import io.stateaccel.views.join.LiveRows;
import io.stateaccel.views.join.LoadedRecords;
import io.stateaccel.views.layout.SwitchedState;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.function.ThrowingConsumer;

/**
 * The rows of a side as a job without state TTL has left them, for one that has it, and keeps the
 * number of their matches in another state ({@link SwitchedState}). They are there until each has
 * been counted and is stored there.
 */
public final class UncountedRecords implements LoadedRecords {

    private final SwitchedState switched;
    private final Object namespace;
    private final LoadedRecords rows;
    private final ThrowingConsumer<RowData, Exception> clearing;

    /**
     * @param namespace in which all keys have something
     * @param clearing takes the rows of a key, which is the current one, away
     */
    UncountedRecords(
            SwitchedState switched,
            Object namespace,
            LoadedRecords rows,
            ThrowingConsumer<RowData, Exception> clearing) {
        this.switched = switched;
        this.namespace = namespace;
        this.rows = rows;
        this.clearing = clearing;
    }

    @Override
    public LiveRows records(RowData joinKey) throws Exception {
        return rows.records(joinKey);
    }

    /** Takes the rows of a key, which is the current one, away. */
    public void clear(RowData joinKey) throws Exception {
        clearing.accept(joinKey);
    }

    /**
     * Goes through the keys that have rows.
     *
     * @param moving stores those of a key, which is the current one, elsewhere and {@link #clear}s
     *     them
     */
    public void moveKeys(
            KeyedStateBackend<RowData> backend, ThrowingConsumer<RowData, Exception> moving)
            throws Exception {
        switched.moveKeys(backend, namespace, moving);
    }
}
