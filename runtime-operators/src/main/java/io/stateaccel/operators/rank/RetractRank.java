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
import io.stateaccel.views.batch.ReadsAhead;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.typeutils.ListTypeInfo;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.typeutils.SortedMapTypeInfo;
import org.apache.flink.types.RowKind;

/**
 * Ranks all kinds of changes. A bundle reads the counts by sort key once per partition, the rows
 * once per sort key that changes, and of the rows behind only those of the result, and only when
 * the result changes at all: changes that are ranked behind the result, and changes that cancel
 * within the bundle, touch no row but their own.
 *
 * <p>Gives the results of Flink's {@code RetractableTopNFunction}; names and layout of the states
 * are its own. A retraction of a row that is not there changes nothing.
 */
final class RetractRank implements RankStrategy<List<RowData>> {

    private final Comparator<RowData> sortKeyOrder;
    private final RowDataKeySelector sortKeySelector;
    private final RowKeeper keeper;
    private final long rankEnd;
    private final boolean byRank;
    private final RankOutput output;

    private final MapState<RowData, List<RowData>> rowsBySortKey;
    private final ValueState<SortedMap<RowData, Long>> countsBySortKey;

    /**
     * @param byRank whether the result is one row per rank, and not a number of rows
     */
    RetractRank(
            MiniBatchRankSpec spec,
            RuntimeContext context,
            Comparator<RowData> sortKeyOrder,
            RowKeeper keeper,
            boolean byRank,
            RankOutput output) {
        this.sortKeyOrder = sortKeyOrder;
        this.sortKeySelector = spec.sortKeySelector().copy();
        this.keeper = keeper;
        this.rankEnd = spec.rankEnd();
        this.byRank = byRank;
        this.output = output;
        InternalTypeInfo<RowData> sortKeyType = sortKeySelector.getProducedType();
        this.rowsBySortKey =
                context.getMapState(
                        new MapStateDescriptor<>(
                                "data-state", sortKeyType, new ListTypeInfo<>(spec.inputType())));
        this.countsBySortKey =
                context.getState(
                        new ValueStateDescriptor<>(
                                "sorted-map",
                                new SortedMapTypeInfo<>(
                                        sortKeyType, Types.LONG, spec.sortKeyComparator())));
    }

    @Override
    public List<RowData> newPartition() {
        return new ArrayList<>(2);
    }

    @Override
    public long add(RowData row, List<RowData> partition) {
        BinaryRowData kept = keeper.keep(row);
        partition.add(kept);
        return HeapBytes.ofRow(kept);
    }

    @Override
    public void readAhead(List<? extends RowData> keys) throws Exception {
        ReadsAhead.<RowData>of(countsBySortKey).readAhead(keys);
    }

    @Override
    public void finish(List<RowData> partition) throws Exception {
        TreeMap<RowData, Changed> changed = changed(partition);
        if (changed.isEmpty()) {
            return;
        }
        SortedMap<RowData, Long> counts = countsBySortKey.value();
        if (counts == null) {
            counts = new TreeMap<>(sortKeyOrder);
        }
        RowData first = changed.firstKey();
        long ranksBefore = rowsBefore(first, counts);
        boolean changesResult = ranksBefore < rankEnd;
        List<RowData> before = new ArrayList<>();
        List<RowData> after = new ArrayList<>();
        Map<RowData, List<RowData>> others = new TreeMap<>(sortKeyOrder);
        if (changesResult) {
            for (RowData sortKey : counts.tailMap(first).keySet()) {
                if (ranksBefore + before.size() >= rankEnd) {
                    break;
                }
                Changed own = changed.get(sortKey);
                before.addAll(own == null ? rowsOf(sortKey, others) : own.before);
            }
        }
        store(changed, counts);
        if (changesResult) {
            for (RowData sortKey : counts.tailMap(first).keySet()) {
                if (ranksBefore + after.size() >= rankEnd) {
                    break;
                }
                Changed own = changed.get(sortKey);
                after.addAll(own == null ? rowsOf(sortKey, others) : own.after);
            }
            emit(upToEnd(before, ranksBefore), upToEnd(after, ranksBefore), ranksBefore);
        }
        countsBySortKey.update(counts);
    }

    /** The sort keys whose rows are others after the bundle. */
    private TreeMap<RowData, Changed> changed(List<RowData> partition) throws Exception {
        TreeMap<RowData, Changed> changed = new TreeMap<>(sortKeyOrder);
        for (RowData row : partition) {
            RowData sortKey = sortKeySelector.getKey(row);
            Changed own = changed.get(sortKey);
            if (own == null) {
                own = new Changed(rowsBySortKey.get(sortKey));
                changed.put(sortKey, own);
            }
            own.apply(row);
        }
        changed.values().removeIf(own -> own.before.equals(own.after));
        return changed;
    }

    /** Rows that are ranked before those of a sort key, counted as far as the result goes. */
    private long rowsBefore(RowData sortKey, SortedMap<RowData, Long> counts) {
        long rows = 0;
        for (long count : counts.headMap(sortKey).values()) {
            rows += count;
            if (rows >= rankEnd) {
                break;
            }
        }
        return rows;
    }

    private List<RowData> rowsOf(RowData sortKey, Map<RowData, List<RowData>> known)
            throws Exception {
        List<RowData> rows = known.get(sortKey);
        if (rows == null) {
            rows = rowsBySortKey.get(sortKey);
            known.put(sortKey, rows);
        }
        return rows;
    }

    private void store(TreeMap<RowData, Changed> changed, SortedMap<RowData, Long> counts)
            throws Exception {
        for (Map.Entry<RowData, Changed> entry : changed.entrySet()) {
            RowData sortKey = entry.getKey();
            List<RowData> rows = entry.getValue().after;
            if (rows.isEmpty()) {
                rowsBySortKey.remove(sortKey);
                counts.remove(sortKey);
            } else {
                rowsBySortKey.put(sortKey, rows);
                counts.put(sortKey, (long) rows.size());
            }
        }
    }

    private List<RowData> upToEnd(List<RowData> rows, long ranksBefore) {
        return rows.subList(0, (int) Math.min(rows.size(), rankEnd - ranksBefore));
    }

    private void emit(List<RowData> before, List<RowData> after, long ranksBefore) {
        if (byRank) {
            output.ranksChanged(before, after, ranksBefore);
        } else {
            output.rowsChanged(before, after);
        }
    }

    /** The rows of a sort key before the bundle and after it. */
    private static final class Changed {
        final List<RowData> before;
        final List<RowData> after;

        Changed(List<RowData> before) {
            this.before = before == null ? List.of() : before;
            this.after = new ArrayList<>(this.before);
        }

        void apply(RowData row) {
            boolean accumulate = RowDataUtil.isAccumulateMsg(row);
            row.setRowKind(RowKind.INSERT);
            if (accumulate) {
                after.add(row);
            } else {
                // The first that is equal, as Flink does.
                after.remove(row);
            }
        }
    }
}
