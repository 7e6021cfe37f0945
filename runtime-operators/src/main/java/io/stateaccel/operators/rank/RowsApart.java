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
package io.stateaccel.operators.rank;

import io.stateaccel.views.ViewContext;
import io.stateaccel.views.batch.Loaded;
import io.stateaccel.views.time.Lifetime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;

/**
 * The first rows of each partition, as Flink's functions store them: each row, or all that tie, in
 * a map entry of its own. So a bundle writes what it changes, however many rows there are, and
 * either goes on where the other has left off. To read it takes a scan of the partition, so some
 * rows stay on the heap, those of the partitions that were read last, where a bundle finds them and
 * not each row. They are no more than Flink's cache is meant to have, or those of one partition.
 * Rows that expire are read each time, as those on the heap would not.
 */
abstract class RowsApart implements StoredTopRows {

    /** The last write of what has been read, and not been written since. */
    private static final long UNTOUCHED = Long.MIN_VALUE;

    private final Comparator<RowData> order;
    private final KeyedStateBackend<RowData> backend;
    private final Lifetime lifetime;
    private final long mostOnHeap;

    /** By key, the last one used at the end. */
    private final Map<RowData, List<AgedRow>> onHeap = new LinkedHashMap<>(16, 0.75f, true);

    private long rowsOnHeap;

    /** Of the current key, as they were read. */
    private List<AgedRow> before = List.of();

    RowsApart(MiniBatchRankSpec spec, Comparator<RowData> order, ViewContext context) {
        this.order = order;
        this.backend = context.backend();
        this.lifetime = context.lifetime(spec.ttl());
        this.mostOnHeap = spec.heapRows();
    }

    static RowsApart open(MiniBatchRankSpec spec, Comparator<RowData> order, ViewContext context) {
        return spec.input() == RankInput.APPEND
                ? new RowsBySortKey(spec, order, context)
                : new RowsByKey(spec, order, context);
    }

    @Override
    public final boolean expire() {
        return !lifetime.isForever();
    }

    @Override
    public final long now() {
        return lifetime.now();
    }

    /** Maps are not read for many keys at a time. */
    @Override
    public final Loaded<List<AgedRow>> load(List<RowData> keys) {
        return this;
    }

    @Override
    public final List<AgedRow> value() throws Exception {
        before = expire() ? null : onHeap.get(backend.getCurrentKey());
        if (before == null) {
            before = read();
            keepOnHeap(before);
        }
        return before;
    }

    @Override
    public final void write(List<AgedRow> rows) throws Exception {
        Set<AgedRow> left = new HashSet<>(rows);
        List<AgedRow> gone = new ArrayList<>();
        for (AgedRow row : before) {
            if (!left.contains(row)) {
                gone.add(row);
            }
        }
        List<AgedRow> touched = new ArrayList<>();
        for (AgedRow row : rows) {
            if (row.lastWrite != UNTOUCHED) {
                touched.add(row);
            }
        }
        write(rows, touched, gone);
        for (AgedRow row : touched) {
            row.lastWrite = UNTOUCHED;
        }
        keepOnHeap(rows);
    }

    private void keepOnHeap(List<AgedRow> rows) {
        if (expire()) {
            return;
        }
        List<AgedRow> replaced = onHeap.put(backend.getCurrentKey(), rows);
        rowsOnHeap += count(rows) - (replaced == null ? 0 : count(replaced));
        Iterator<List<AgedRow>> eldestFirst = onHeap.values().iterator();
        for (int others = onHeap.size() - 1; others > 0 && rowsOnHeap > mostOnHeap; others--) {
            rowsOnHeap -= count(eldestFirst.next());
            eldestFirst.remove();
        }
    }

    /** A partition without rows takes heap as well. */
    private static int count(List<AgedRow> rows) {
        return Math.max(1, rows.size());
    }

    final Comparator<RowData> order() {
        return order;
    }

    final Lifetime lifetime() {
        return lifetime;
    }

    /** A row that is read. Flink stores a row of the kind with which it came. */
    static AgedRow untouched(RowData row, int place) {
        row.setRowKind(RowKind.INSERT);
        return new AgedRow(row, UNTOUCHED, place);
    }

    /** Reads the rows of the current key. */
    abstract List<AgedRow> read() throws Exception;

    /**
     * Writes what has changed of the current key.
     *
     * @param rows that there are now, in their order
     * @param touched those of them that are to be written
     * @param gone rows that there were before
     */
    abstract void write(List<AgedRow> rows, List<AgedRow> touched, List<AgedRow> gone)
            throws Exception;
}
