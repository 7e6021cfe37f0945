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
package io.stateaccel.operators.window.topn;

import io.stateaccel.operators.window.slice.SliceStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.table.data.RowData;

/**
 * {@link TopRows} in the state that Flink has for them: by what they are ranked by, lists of those
 * that are equal. They are read at once and written one by one, as far as they have changed.
 */
final class TopRowsStore implements SliceStore<TopRows> {

    /** Of a {@link TopRows} without rows. */
    private static final int BYTES = 112;

    private final InternalMapState<RowData, Long, RowData, List<RowData>> state;
    private final KeySelector<RowData, RowData> sortKeys;
    private final Supplier<TopRows> noRows;

    /**
     * @param sortKeys extracts what rows are ranked by
     * @param noRows makes what rows of the state are added to
     */
    TopRowsStore(
            InternalMapState<RowData, Long, RowData, List<RowData>> state,
            KeySelector<RowData, RowData> sortKeys,
            Supplier<TopRows> noRows) {
        this.state = state;
        this.sortKeys = sortKeys;
        this.noRows = noRows;
    }

    @Override
    @Nullable
    public TopRows read(long windowEnd, @Nullable TopRows appended) throws IOException {
        state.setCurrentNamespace(windowEnd);
        TopRows rows = null;
        for (Map.Entry<RowData, List<RowData>> entry : entries()) {
            if (rows == null) {
                rows = noRows.get();
            }
            rows.addStored(entry.getValue());
        }
        if (rows != null) {
            rows.dropLast();
        }
        return rows;
    }

    private Iterable<Map.Entry<RowData, List<RowData>>> entries() throws IOException {
        try {
            return state.entries();
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    @Override
    public void write(long windowEnd, TopRows rows) throws IOException {
        state.setCurrentNamespace(windowEnd);
        try {
            for (RowData row : rows.takeUnwanted()) {
                state.remove(sortKeys.getKey(row));
            }
            for (TopRows.Ties ties : rows.ties()) {
                if (ties.isChanged()) {
                    // A heap backend holds the list.
                    state.put(sortKeys.getKey(ties.rows().get(0)), new ArrayList<>(ties.rows()));
                    ties.stored();
                }
            }
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    /**
     * Where it is known what there is, that is removed, as a state can only clear what it reads.
     */
    @Override
    public void clear(long windowEnd, @Nullable TopRows rows) {
        state.setCurrentNamespace(windowEnd);
        if (rows == null) {
            state.clear();
            return;
        }
        try {
            for (RowData row : rows.takeUnwanted()) {
                state.remove(sortKeys.getKey(row));
            }
            for (TopRows.Ties ties : rows.ties()) {
                if (ties.isStored()) {
                    state.remove(sortKeys.getKey(ties.rows().get(0)));
                }
            }
        } catch (Exception e) {
            throw new UncheckedIOException(new IOException(e));
        }
    }

    @Override
    public long bytesPerValue() {
        return BYTES;
    }

    @Override
    public long bytes(TopRows rows) {
        return rows.bytes();
    }

    @Override
    public long bytes(TopRows rows, long before, long rowBytes) {
        return rows.bytes();
    }
}
