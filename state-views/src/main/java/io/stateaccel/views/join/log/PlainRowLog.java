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
package io.stateaccel.views.join.log;

import io.stateaccel.views.batch.ReadsAhead;
import io.stateaccel.views.batch.SerializedList;
import io.stateaccel.views.batch.SerializedLists;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;

/**
 * A log that nothing expires from.
 *
 * @param <N> the namespaces of the state, one per chunk
 */
final class PlainRowLog<N> implements RowLog {

    private final ReadsAhead<RowData> backend;
    private final String stateName;
    private final InternalListState<?, N, RowData> state;
    private final IntFunction<N> namespaceOf;
    @Nullable private final SerializedLists lists;
    private final SerializedList list = new SerializedList();

    /**
     * @param backend holds the state
     * @param namespaceOf the namespace of a chunk; may depend on what is current
     * @param lists the state's, if the backend keeps them and their numbers are those of chunks
     */
    PlainRowLog(
            ReadsAhead<RowData> backend,
            String stateName,
            InternalListState<?, N, RowData> state,
            IntFunction<N> namespaceOf,
            @Nullable SerializedLists lists) {
        this.backend = backend;
        this.stateName = stateName;
        this.state = state;
        this.namespaceOf = namespaceOf;
        this.lists = lists;
    }

    @Override
    public List<RowData> read(int chunk) throws Exception {
        state.setCurrentNamespace(namespaceOf.apply(chunk));
        return listOf(state.get());
    }

    @Override
    public long bytesOf(int chunk) throws Exception {
        if (lists == null) {
            return UNREAD;
        }
        if (!lists.read(chunk, list)) {
            return 0;
        }
        return StoredRows.isMarker(list) ? UNREAD : list.length();
    }

    @Override
    public boolean isOnly(int chunk, BinaryRowData row) throws Exception {
        return lists != null && lists.read(chunk, list) && StoredRows.isOnly(row, list);
    }

    @Override
    public void readAhead(List<RowData> keys) throws Exception {
        state.setCurrentNamespace(namespaceOf.apply(FIRST));
        backend.readAhead(stateName, keys);
    }

    @Override
    public void append(int chunk, List<RowData> changes) throws Exception {
        state.setCurrentNamespace(namespaceOf.apply(chunk));
        state.addAll(changes);
    }

    @Override
    public void move(int chunk, List<RowData> rows) throws Exception {
        append(chunk, rows);
    }

    @Override
    public void replace(int chunk, List<RowData> rows) throws Exception {
        state.setCurrentNamespace(namespaceOf.apply(chunk));
        if (rows.isEmpty()) {
            state.clear();
        } else {
            // A copy, as a heap backend keeps the list it is given.
            state.update(new ArrayList<>(rows));
        }
    }

    @Override
    public RowData repeated(RowData youngest, long count) {
        return StoredRows.repeated(youngest, count);
    }

    /** A list of what a state returns; both of Flink's synchronous backends return one. */
    static <T> List<T> listOf(Iterable<T> stored) {
        if (stored == null) {
            return Collections.emptyList();
        }
        if (stored instanceof List) {
            return (List<T>) stored;
        }
        List<T> copy = new ArrayList<>();
        stored.forEach(copy::add);
        return copy;
    }
}
