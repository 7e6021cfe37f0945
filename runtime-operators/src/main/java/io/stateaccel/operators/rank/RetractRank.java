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
import java.util.TreeMap;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.types.RowKind;

/**
 * Ranks all kinds of changes. A bundle reads the counts by sort key once per partition, the rows
 * once per sort key that changes, and of the rows behind only those of the result, and only when
 * the result changes at all: changes that are ranked behind the result, and changes that cancel
 * within the bundle, touch no row but their own.
 *
 * <p>Beside the changes, the heap holds the result before and after, the rows of one sort key, and
 * a count per sort key of the partition, as Flink's function does.
 *
 * <p>Gives the results of Flink's {@code RetractableTopNFunction}; names and layout of the states
 * are its own. A retraction of a row that is not there changes nothing.
 */
final class RetractRank extends GatheringRank<SortedMap<RowData, Long>> {

    private final Comparator<RowData> sortKeyOrder;
    private final RetractState state;
    private final ResultRanks ranks;
    private final RankOutput output;

    /**
     * @param ranks of the result
     */
    RetractRank(RetractState state, ResultRanks ranks, RowKeeper keeper, RankOutput output) {
        super(keeper);
        this.sortKeyOrder = state.order();
        this.state = state;
        this.ranks = ranks;
        this.output = output;
    }

    @Override
    public Loadable<SortedMap<RowData, Long>> state() {
        return state.counts();
    }

    @Override
    public void finish(List<RowData> partition, Loaded<SortedMap<RowData, Long>> loaded)
            throws Exception {
        SortedMap<RowData, Long> counts = null;
        Ranks result = null;
        Map<RowData, Long> newCounts = new HashMap<>();
        for (Map.Entry<RowData, List<RowData>> entry : bySortKey(partition).entrySet()) {
            RowData sortKey = entry.getKey();
            List<RowData> stored = state.rowsOf(sortKey);
            List<RowData> before = stored == null ? List.of() : stored;
            List<RowData> after = apply(before, entry.getValue());
            if (before.equals(after)) {
                continue;
            }
            if (result == null) {
                counts = state.countsOf(loaded);
                result = new Ranks(sortKey, counts);
            }
            result.changed(sortKey, before, after);
            state.writeRows(sortKey, after);
            newCounts.put(sortKey, (long) after.size());
        }
        if (result == null) {
            return;
        }
        result.finish();
        update(counts, newCounts);
        state.writeCounts(counts);
    }

    /** The changes of each sort key in their order, as {@code +I} to be added or else removed. */
    private TreeMap<RowData, List<RowData>> bySortKey(List<RowData> partition) throws Exception {
        TreeMap<RowData, List<RowData>> changes = new TreeMap<>(sortKeyOrder);
        for (RowData row : partition) {
            changes.computeIfAbsent(state.sortKeyOf(row), key -> new ArrayList<>(1)).add(row);
        }
        return changes;
    }

    private static List<RowData> apply(List<RowData> before, List<RowData> changes) {
        List<RowData> after = new ArrayList<>(before);
        for (RowData row : changes) {
            boolean accumulate = RowDataUtil.isAccumulateMsg(row);
            row.setRowKind(RowKind.INSERT);
            if (accumulate) {
                after.add(row);
            } else {
                // The first that is equal, as Flink does.
                after.remove(row);
            }
        }
        return after;
    }

    private static void update(SortedMap<RowData, Long> counts, Map<RowData, Long> newCounts) {
        newCounts.forEach(
                (sortKey, count) -> {
                    if (count == 0) {
                        counts.remove(sortKey);
                    } else {
                        counts.put(sortKey, count);
                    }
                });
    }

    /**
     * The rows of the result before the bundle and after it, from the first sort key that changes
     * on. Filled in the order of the sort keys, of which those between two that change are read
     * when the second comes.
     */
    private final class Ranks {
        private final long ranksBefore;

        /** How many rows from the first sort key on may be in the result. */
        private final int most;

        private final List<RowData> before = new ArrayList<>();
        private final List<RowData> after = new ArrayList<>();

        /** The sort keys there were. */
        private final Iterator<RowData> sortKeys;

        /** The first of them that has not been looked at; null behind the last. */
        @Nullable private RowData next;

        Ranks(RowData first, SortedMap<RowData, Long> counts) {
            ranksBefore = rowsBefore(first, counts);
            most = (int) Math.max(0, Math.min(ranks.last() - ranksBefore, Integer.MAX_VALUE));
            sortKeys = counts.tailMap(first).keySet().iterator();
            advance();
        }

        private void advance() {
            next = sortKeys.hasNext() ? sortKeys.next() : null;
        }

        /** The rows of a sort key are others, which is behind those that were given before. */
        void changed(RowData sortKey, List<RowData> rowsBefore, List<RowData> rowsAfter)
                throws Exception {
            while (!areComplete() && next != null && sortKeyOrder.compare(next, sortKey) < 0) {
                addUnchanged();
            }
            if (areComplete()) {
                return;
            }
            if (next != null && sortKeyOrder.compare(next, sortKey) == 0) {
                advance();
            }
            add(rowsBefore, before);
            add(rowsAfter, after);
        }

        private void addUnchanged() throws Exception {
            List<RowData> rows = state.rowsOf(next);
            // None where they have expired, while state had a time to live.
            if (rows != null) {
                add(rows, before);
                add(rows, after);
            }
            advance();
        }

        private void add(List<RowData> rows, List<RowData> result) {
            result.addAll(rows.subList(0, Math.min(rows.size(), most - result.size())));
        }

        private boolean areComplete() {
            return before.size() == most && after.size() == most;
        }

        /** Reads the rest of the result, and emits its change. */
        void finish() throws Exception {
            while (!areComplete() && next != null) {
                addUnchanged();
            }
            output.resultChanged(before, after, ranksBefore);
        }
    }

    /** Rows that are ranked before those of a sort key, counted as far as the result goes. */
    private long rowsBefore(RowData sortKey, SortedMap<RowData, Long> counts) {
        long rows = 0;
        for (long count : counts.headMap(sortKey).values()) {
            rows += count;
            if (rows >= ranks.last()) {
                break;
            }
        }
        return rows;
    }
}
