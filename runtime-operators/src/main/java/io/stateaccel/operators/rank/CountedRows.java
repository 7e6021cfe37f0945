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

import io.stateaccel.operators.bundle.HeapBytes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rows of the current partition by sort key, and how many of each are counted, as they are in
 * state or are to be. Rows that have expired count until somebody meets them on a {@link Walk}.
 */
final class CountedRows {

    private static final Logger LOG = LoggerFactory.getLogger(CountedRows.class);

    private final RetractState state;
    private final Comparator<RowData> order;
    private final long maxBytes;

    private final Map<RowData, Entry> entries = new HashMap<>();
    private long bytes;

    private SortedMap<RowData, Long> counts;
    private boolean warned;

    /**
     * @param maxBytes of rows that are held at the most, beside those of one change
     */
    CountedRows(RetractState state, long maxBytes) {
        this.state = state;
        this.order = state.order();
        this.maxBytes = maxBytes;
    }

    /**
     * Goes on to the current partition.
     *
     * @param counts of its rows by sort key, kept and changed
     */
    void begin(SortedMap<RowData, Long> counts) {
        this.counts = counts;
    }

    void countOneMore(RowData sortKey) {
        counts.merge(sortKey, 1L, Long::sum);
    }

    void countOneLess(RowData sortKey) {
        Long count = counts.get(sortKey);
        if (count == null) {
            warnOfExpired();
        } else if (count == 1) {
            counts.remove(sortKey);
        } else {
            counts.put(sortKey, count - 1);
        }
    }

    /** Adds a row that is counted. */
    void add(RowData sortKey, RowData row) throws Exception {
        Entry entry = entry(sortKey);
        entry.isToBeWritten = true;
        entry.rows.add(row);
        bytes += HeapBytes.ofRow((BinaryRowData) row);
    }

    /** Removes a row that is not counted, if there is one. */
    void remove(RowData sortKey, RowData row) throws Exception {
        Entry entry = entry(sortKey);
        if (!entry.rows.isEmpty()) {
            // Written though the row may not be there, as by Flink, so that the others live on.
            entry.isToBeWritten = true;
            entry.rows.remove(row);
        }
    }

    private Entry entry(RowData sortKey) throws Exception {
        Entry entry = entries.get(sortKey);
        if (entry == null) {
            List<RowData> stored = state.rowsOf(sortKey);
            // A backend on the heap has no copy of what it returns.
            entry = new Entry(stored == null ? new ArrayList<>(1) : new ArrayList<>(stored));
            entries.put(sortKey, entry);
            bytes += HeapBytes.ofKey(sortKey);
            for (RowData row : entry.rows) {
                bytes += HeapBytes.ofRow((BinaryRowData) row);
            }
        }
        return entry;
    }

    /** A walk from the first sort key on. */
    Walk walk() {
        return new Walk();
    }

    /** Writes the rows, and forgets them, if they have become many. */
    void writeIfMany() throws Exception {
        if (bytes > maxBytes) {
            writeRows();
        }
    }

    /** Writes what is to be, and ends the partition. */
    void write() throws Exception {
        writeRows();
        state.writeCounts(counts);
        counts = null;
    }

    private void writeRows() throws Exception {
        for (Map.Entry<RowData, Entry> entry : entries.entrySet()) {
            if (entry.getValue().isToBeWritten) {
                state.writeRows(entry.getKey(), entry.getValue().rows);
            }
        }
        entries.clear();
        bytes = 0;
    }

    /** There are fewer rows than are counted. Flink says so each time. */
    void warnOfExpired() {
        if (!warned) {
            warned = true;
            LOG.warn(
                    "[state-accel] Rows of a top-N have expired while others of their partition have"
                            + " not. Its result may lack rows and have others at a wrong rank, as"
                            + " without acceleration; a longer state TTL avoids it.");
        }
    }

    /** Goes through the sort keys that are counted, in their order. */
    final class Walk {

        private final Iterator<Map.Entry<RowData, Long>> counted = counts.entrySet().iterator();
        private Map.Entry<RowData, Long> current;

        private Walk() {}

        /** Goes on to the next sort key; false if there is none. */
        boolean next() {
            if (!counted.hasNext()) {
                return false;
            }
            current = counted.next();
            return true;
        }

        boolean isAt(RowData sortKey) {
            return order.compare(current.getKey(), sortKey) == 0;
        }

        /** How many rows are counted; not to be asked for where there are none. */
        long count() {
            return current.getValue();
        }

        /** The rows, not to be changed. None if they have expired, which then count no more. */
        List<RowData> rows() throws Exception {
            return met().rows;
        }

        /** As {@link #rows}, but they may be changed, and are written whether they are or not. */
        List<RowData> rowsToBeChanged() throws Exception {
            Entry entry = met();
            entry.isToBeWritten |= !entry.rows.isEmpty();
            return entry.rows;
        }

        private Entry met() throws Exception {
            Entry entry = entry(current.getKey());
            if (entry.rows.isEmpty()) {
                counted.remove();
                warnOfExpired();
            }
            return entry;
        }
    }

    /** The rows of one sort key. */
    private static final class Entry {
        private final List<RowData> rows;
        private boolean isToBeWritten;

        Entry(List<RowData> rows) {
            this.rows = rows;
        }
    }
}
