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
import io.stateaccel.operators.bundle.RowKeeper;
import io.stateaccel.views.batch.Loadable;
import io.stateaccel.views.batch.Loaded;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.types.RowKind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ranks all kinds of changes as {@link RetractRank} does, where state expires.
 *
 * <p>The number of rows by sort key is renewed by every change of the partition, and the rows of a
 * sort key by its own changes only, so rows expire that still count. From then on what the result
 * is depends on the changes before: Flink counts such rows until it meets them behind a row that
 * changes. So the changes of a bundle are applied one by one, as Flink's {@code
 * RetractableTopNFunction} would if they came at the flush. States are read and written once per
 * bundle, and what is emitted is folded. Where Flink fails because it finds fewer rows than it has
 * counted, nothing is emitted.
 *
 * <p>Beside the changes, the heap holds the rows of the sort keys that change and of those behind
 * them up to rank N, or as many bytes of them as a bundle may have and those of one sort key.
 */
final class ExpiringRetractRank extends GatheringRank<SortedMap<RowData, Long>> {

    private static final Logger LOG = LoggerFactory.getLogger(ExpiringRetractRank.class);

    private final Comparator<RowData> order;
    private final RetractState state;
    private final long rankEnd;
    private final boolean byRank;
    private final RankChanges changes;
    private final StoredRowsBySortKey rows;

    private boolean warned;

    /**
     * @param byRank whether the result is one row per rank, and not a number of rows
     */
    ExpiringRetractRank(
            MiniBatchRankSpec spec,
            RetractState state,
            RowKeeper keeper,
            boolean byRank,
            RankOutput output) {
        super(keeper);
        this.order = state.order();
        this.state = state;
        this.rankEnd = spec.rankEnd();
        this.byRank = byRank;
        this.changes = new RankChanges(spec, byRank, output);
        this.rows = new StoredRowsBySortKey(spec.bundle().maxBytes().getBytes());
    }

    @Override
    public Loadable<SortedMap<RowData, Long>> state() {
        return state.counts();
    }

    @Override
    public void finish(List<RowData> partition, Loaded<SortedMap<RowData, Long>> loaded)
            throws Exception {
        SortedMap<RowData, Long> counts = state.countsOf(loaded);
        for (RowData row : partition) {
            boolean accumulate = RowDataUtil.isAccumulateMsg(row);
            row.setRowKind(RowKind.INSERT);
            if (accumulate) {
                add(row, state.sortKeyOf(row), counts);
            } else {
                retract(row, state.sortKeyOf(row), counts);
            }
            rows.writeIfMany();
        }
        rows.write();
        state.writeCounts(counts);
        changes.emit();
    }

    private void add(RowData row, RowData sortKey, SortedMap<RowData, Long> counts)
            throws Exception {
        counts.merge(sortKey, 1L, Long::sum);
        if (byRank) {
            shiftDown(row, sortKey, counts);
        } else {
            pushOut(row, sortKey, counts);
        }
        rows.add(sortKey, row);
    }

    private void retract(RowData row, RowData sortKey, SortedMap<RowData, Long> counts)
            throws Exception {
        boolean removed = byRank ? shiftUp(row, sortKey, counts) : pullIn(row, sortKey, counts);
        Long count = counts.get(sortKey);
        if (count == null) {
            warnOfExpiredRows();
        } else if (count == 1) {
            counts.remove(sortKey);
        } else {
            counts.put(sortKey, count - 1);
        }
        if (!removed && rows.of(sortKey) != null) {
            rows.toBeChanged(sortKey).remove(row);
        }
    }

    /** With ranks: each row behind a new one takes the next rank. */
    private void shiftDown(RowData row, RowData sortKey, SortedMap<RowData, Long> counts)
            throws Exception {
        long rank = 0;
        RowData shifted = null;
        Iterator<Map.Entry<RowData, Long>> entries = counts.entrySet().iterator();
        while (entries.hasNext() && rank <= rankEnd) {
            Map.Entry<RowData, Long> entry = entries.next();
            if (shifted == null) {
                rank += entry.getValue();
                shifted = isSame(entry, sortKey) ? row : null;
                continue;
            }
            List<RowData> behind = rows.of(entry.getKey());
            if (behind == null) {
                dropExpired(entries);
                continue;
            }
            for (int i = 0; i < behind.size() && rank <= rankEnd; i++) {
                changes.goes(behind.get(i), rank);
                changes.comes(shifted, rank);
                shifted = behind.get(i);
                rank++;
            }
        }
        if (rank <= rankEnd) {
            changes.comes(shifted, rank);
        }
    }

    /** Without ranks: a new row is in the result, and the one that is now behind it is not. */
    private void pushOut(RowData row, RowData sortKey, SortedMap<RowData, Long> counts)
            throws Exception {
        long rank = 0;
        boolean found = false;
        RowData pushedOut = null;
        Iterator<Map.Entry<RowData, Long>> entries = counts.entrySet().iterator();
        while (entries.hasNext() && rank <= rankEnd) {
            Map.Entry<RowData, Long> entry = entries.next();
            if (!found) {
                rank += entry.getValue();
                found = isSame(entry, sortKey);
                if (found && rank > rankEnd) {
                    return;
                }
                continue;
            }
            List<RowData> behind = rows.of(entry.getKey());
            if (behind == null) {
                dropExpired(entries);
            } else if (rank + entry.getValue() <= rankEnd) {
                rank += entry.getValue();
            } else {
                pushedOut = at(rankEnd - rank, behind);
                break;
            }
        }
        if (pushedOut != null) {
            changes.goes(pushedOut, rankEnd);
        }
        if (found) {
            changes.comes(row, rankEnd);
        }
    }

    /**
     * With ranks: each row behind one that goes takes the rank before.
     *
     * @return whether the row was found, and is removed
     */
    private boolean shiftUp(RowData row, RowData sortKey, SortedMap<RowData, Long> counts)
            throws Exception {
        long rank = 0;
        RowData gone = null;
        Iterator<Map.Entry<RowData, Long>> entries = counts.entrySet().iterator();
        while (entries.hasNext() && rank <= rankEnd) {
            Map.Entry<RowData, Long> entry = entries.next();
            boolean isOwn = gone == null && isSame(entry, sortKey);
            if (gone == null && !isOwn) {
                rank += entry.getValue();
                continue;
            }
            List<RowData> stored = rows.of(entry.getKey());
            if (stored == null) {
                dropExpired(entries);
                continue;
            }
            Iterator<RowData> members =
                    (isOwn ? rows.toBeChanged(entry.getKey()) : stored).iterator();
            while (members.hasNext() && rank <= rankEnd) {
                RowData member = members.next();
                if (gone != null) {
                    changes.goes(gone, rank);
                    changes.comes(member, rank);
                    gone = member;
                } else if (member.equals(row)) {
                    gone = member;
                    members.remove();
                }
                rank++;
            }
        }
        if (rank <= rankEnd) {
            if (gone == null) {
                warnOfExpiredRows();
            } else {
                changes.goes(gone, rank);
            }
        }
        return gone != null;
    }

    /**
     * Without ranks: a row leaves the result, and the first behind the result comes into it.
     *
     * @return whether the row was found, and is removed
     */
    private boolean pullIn(RowData row, RowData sortKey, SortedMap<RowData, Long> counts)
            throws Exception {
        long nextRank = 1;
        boolean found = false;
        Iterator<Map.Entry<RowData, Long>> entries = counts.entrySet().iterator();
        while (entries.hasNext() && nextRank <= rankEnd) {
            Map.Entry<RowData, Long> entry = entries.next();
            if (!found && !isSame(entry, sortKey)) {
                nextRank += entry.getValue();
            } else if (found && nextRank + entry.getValue() <= rankEnd) {
                nextRank += entry.getValue();
            } else if (rows.of(entry.getKey()) == null) {
                dropExpired(entries);
            } else if (found) {
                RowData pulledIn = at(rankEnd - nextRank, rows.of(entry.getKey()));
                if (pulledIn != null) {
                    changes.comes(pulledIn, rankEnd);
                }
                break;
            } else {
                Iterator<RowData> members = rows.toBeChanged(entry.getKey()).iterator();
                while (members.hasNext() && nextRank <= rankEnd) {
                    RowData member = members.next();
                    if (!found && member.equals(row)) {
                        changes.goes(member, nextRank);
                        members.remove();
                        found = true;
                        continue;
                    }
                    if (found && nextRank == rankEnd) {
                        changes.comes(member, nextRank);
                    }
                    nextRank++;
                }
            }
        }
        return found;
    }

    private boolean isSame(Map.Entry<RowData, Long> entry, RowData sortKey) {
        return order.compare(entry.getKey(), sortKey) == 0;
    }

    @Nullable
    private RowData at(long index, List<RowData> rowsOfKey) {
        if (index < rowsOfKey.size()) {
            return rowsOfKey.get((int) index);
        }
        warnOfExpiredRows();
        return null;
    }

    private void dropExpired(Iterator<?> counted) {
        counted.remove();
        warnOfExpiredRows();
    }

    /** Flink says so each time. */
    private void warnOfExpiredRows() {
        if (!warned) {
            warned = true;
            LOG.warn(
                    "[state-accel] Rows of a top-N have expired while others of their partition have"
                            + " not. Its result may lack rows and have others at a wrong rank, as"
                            + " without acceleration; a longer state TTL avoids it.");
        }
    }

    /** Rows by sort key, as they are in state or are to be. */
    private final class StoredRowsBySortKey {

        private final long maxBytes;
        private final Map<RowData, Entry> entries = new HashMap<>();
        private long bytes;

        StoredRowsBySortKey(long maxBytes) {
            this.maxBytes = maxBytes;
        }

        /** The rows of a sort key, not to be changed; null if there are none. */
        @Nullable
        List<RowData> of(RowData sortKey) throws Exception {
            Entry entry = entry(sortKey);
            return entry.rows.isEmpty() ? null : entry.rows;
        }

        /**
         * The rows of a sort key, which may be changed and are written, whether they are or not.
         */
        List<RowData> toBeChanged(RowData sortKey) throws Exception {
            Entry entry = entry(sortKey);
            entry.isToBeWritten = true;
            return entry.rows;
        }

        void add(RowData sortKey, RowData row) throws Exception {
            toBeChanged(sortKey).add(row);
            bytes += HeapBytes.ofRow((BinaryRowData) row);
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

        void writeIfMany() throws Exception {
            if (bytes > maxBytes) {
                write();
            }
        }

        /** Writes what is to be, and forgets all. */
        void write() throws Exception {
            for (Map.Entry<RowData, Entry> entry : entries.entrySet()) {
                if (entry.getValue().isToBeWritten) {
                    state.writeRows(entry.getKey(), entry.getValue().rows);
                }
            }
            entries.clear();
            bytes = 0;
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
