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

import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;

/**
 * Tells downstream how the result of a partition has changed. Rows are given as they are ranked, of
 * kind {@code +I} and of one representation, so that equal rows are equal objects; after a call
 * they are as before.
 *
 * <p>With a time to live a row that takes the place of an equal one is told like any other, as
 * Flink does, because what downstream keeps of it has to stay alive. A row that is the same object
 * before and after has not been touched.
 */
final class RankOutput {

    private final ResultRanks ranks;
    private final boolean byRank;
    private final boolean outputRankNumber;
    private final boolean generateUpdateBefore;
    private final boolean keepsAlive;
    private final Collector<RowData> out;

    private final JoinedRowData rankedRow = new JoinedRowData();
    private final GenericRowData rankColumn = new GenericRowData(1);

    /** How many more of a row there were before, and fewer after. */
    private final Map<RowData, Integer> surplus = new HashMap<>();

    /**
     * @param ranks of the result
     * @param out takes the change of the result, rows that are used again
     */
    RankOutput(MiniBatchRankSpec spec, ResultRanks ranks, Collector<RowData> out) {
        this.ranks = ranks;
        this.byRank = spec.isByRank();
        this.outputRankNumber = spec.outputRankNumber();
        this.generateUpdateBefore = spec.generateUpdateBefore();
        this.keepsAlive = !spec.ttl().isForever();
        this.out = out;
    }

    /**
     * Emits what has changed, by rank or as rows without one.
     *
     * @param ranksBefore how many rows are ranked before the first of both lists
     */
    void resultChanged(List<RowData> before, List<RowData> after, long ranksBefore) {
        if (byRank) {
            ranksChanged(before, after, ranksBefore);
        } else {
            rowsChanged(before, after);
        }
    }

    /** As {@link #resultChanged}, of rows of which none goes and that have a key of their own. */
    void resultOfKeysChanged(
            List<RowData> before, List<RowData> after, RowDataKeySelector keySelector)
            throws Exception {
        if (byRank) {
            ranksOfKeysChanged(before, after, keySelector);
        } else {
            keyedRowsChanged(byKey(before, keySelector), byKey(after, keySelector));
        }
    }

    /**
     * The result as rows by rank: an update for each rank that has another row than before.
     *
     * <p>Whoever knows rows by a key of theirs has to see what a row was before what it is, also of
     * a row that rises. So all that goes is told before all that comes.
     */
    private void ranksChanged(List<RowData> before, List<RowData> after, long ranksBefore) {
        int most = Math.max(before.size(), after.size());
        int from = (int) Math.max(0, ranks.first() - ranksBefore - 1);
        int end = (int) Math.min(most, ranks.last() - ranksBefore);
        for (int i = from; i < Math.min(end, before.size()); i++) {
            long rank = ranksBefore + i + 1;
            if (i >= after.size()) {
                deleted(before.get(i), rank);
            } else if (!isUntouched(before.get(i), after.get(i))) {
                replaced(before.get(i), rank);
            }
        }
        for (int i = from; i < Math.min(end, after.size()); i++) {
            long rank = ranksBefore + i + 1;
            if (i >= before.size()) {
                inserted(after.get(i), rank);
            } else if (!isUntouched(before.get(i), after.get(i))) {
                replaces(after.get(i), rank);
            }
        }
    }

    /**
     * As {@link #ranksChanged}, in the order of Flink's {@code UpdatableTopNFunction}: rank by
     * rank, with the {@code -U} of a row that rises before its {@code +U}.
     */
    private void ranksOfKeysChanged(
            List<RowData> before, List<RowData> after, RowDataKeySelector keySelector)
            throws Exception {
        Map<RowData, Integer> indices = new HashMap<>();
        for (int i = 0; i < before.size(); i++) {
            indices.put(keySelector.getKey(before.get(i)), i);
        }
        BitSet retracted = new BitSet(before.size());
        int end = (int) Math.min(after.size(), ranks.last());
        for (int i = (int) ranks.first() - 1; i < end; i++) {
            RowData row = after.get(i);
            if (i >= before.size()) {
                retractOnce(before, indices.get(keySelector.getKey(row)), retracted);
                emit(RowKind.INSERT, row, i + 1);
            } else if (!isUntouched(before.get(i), row)) {
                retractOnce(before, i, retracted);
                retractOnce(before, indices.get(keySelector.getKey(row)), retracted);
                emit(RowKind.UPDATE_AFTER, row, i + 1);
            }
        }
    }

    /**
     * @param index null for a row that was not there
     */
    private void retractOnce(List<RowData> before, @Nullable Integer index, BitSet retracted) {
        if (!generateUpdateBefore
                || index == null
                || index < ranks.first() - 1
                || index >= ranks.last()
                || retracted.get(index)) {
            return;
        }
        retracted.set(index);
        emit(RowKind.UPDATE_BEFORE, before.get(index), index + 1);
    }

    /** The result as rows without a rank: what is gone is deleted, then what is new inserted. */
    private void rowsChanged(List<RowData> before, List<RowData> after) {
        int from = firstDifference(before, after);
        for (RowData row : before.subList(from, before.size())) {
            surplus.merge(row, 1, Integer::sum);
        }
        for (RowData row : after.subList(from, after.size())) {
            surplus.merge(row, -1, Integer::sum);
        }
        for (RowData row : before.subList(from, before.size())) {
            if (take(row, 1)) {
                emit(RowKind.DELETE, row);
            }
        }
        for (RowData row : after.subList(from, after.size())) {
            if (take(row, -1)) {
                emit(RowKind.INSERT, row);
            }
        }
        surplus.clear();
    }

    private boolean take(RowData row, int sign) {
        int count = surplus.get(row);
        if (count * sign <= 0) {
            return false;
        }
        surplus.put(row, count - sign);
        return true;
    }

    private static int firstDifference(List<RowData> before, List<RowData> after) {
        int common = Math.min(before.size(), after.size());
        for (int i = 0; i < common; i++) {
            RowData row = before.get(i);
            RowData other = after.get(i);
            if (row != other && !row.equals(other)) {
                return i;
            }
        }
        return common;
    }

    /** Rows by their keys, in the same order. */
    static Map<RowData, RowData> byKey(List<RowData> rows, RowDataKeySelector selector)
            throws Exception {
        Map<RowData, RowData> byKey = new LinkedHashMap<>();
        for (RowData row : rows) {
            byKey.put(selector.getKey(row), row);
        }
        return byKey;
    }

    /**
     * The result as rows known by a key: what is gone is deleted, what stays is updated.
     *
     * @param before by key, in the order of their ranks
     * @param after by key, in the order of their ranks
     */
    private void keyedRowsChanged(Map<RowData, RowData> before, Map<RowData, RowData> after) {
        before.forEach(
                (key, row) -> {
                    if (!after.containsKey(key)) {
                        emit(RowKind.DELETE, row);
                    }
                });
        after.forEach(
                (key, row) -> {
                    RowData previous = before.get(key);
                    if (previous == null) {
                        emit(RowKind.INSERT, row);
                    } else {
                        rowChanged(previous, row);
                    }
                });
    }

    private boolean isUntouched(RowData before, RowData after) {
        return keepsAlive ? before == after : before.equals(after);
    }

    private void rowChanged(RowData before, RowData after) {
        if (isUntouched(before, after)) {
            return;
        }
        if (generateUpdateBefore) {
            emit(RowKind.UPDATE_BEFORE, before);
        }
        emit(RowKind.UPDATE_AFTER, after);
    }

    /** A row has lost its rank to another, which is told by {@link #replaces}. */
    void replaced(RowData before, long rank) {
        if (generateUpdateBefore) {
            emit(RowKind.UPDATE_BEFORE, before, rank);
        }
    }

    /** A row has the rank of another, which {@link #replaced} has told. */
    void replaces(RowData after, long rank) {
        emit(RowKind.UPDATE_AFTER, after, rank);
    }

    /**
     * Whether a row that came and went in a bundle is to be told: who reads upserts by the keys of
     * rows may still have one of its key that has expired here.
     */
    boolean tellsOfGuests() {
        return keepsAlive && !generateUpdateBefore && !byRank;
    }

    /** A row came and went. Only both together leave alone who counts. */
    void cameAndWent(RowData row) {
        emit(RowKind.INSERT, row);
        emit(RowKind.DELETE, row);
    }

    void inserted(RowData row, long rank) {
        emit(RowKind.INSERT, row, rank);
    }

    void deleted(RowData row, long rank) {
        emit(RowKind.DELETE, row, rank);
    }

    private void emit(RowKind kind, RowData row, long rank) {
        if (!outputRankNumber) {
            emit(kind, row);
            return;
        }
        rankColumn.setField(0, rank);
        rankedRow.replace(row, rankColumn).setRowKind(kind);
        out.collect(rankedRow);
    }

    private void emit(RowKind kind, RowData row) {
        row.setRowKind(kind);
        out.collect(row);
        // The state may hold this very row.
        row.setRowKind(RowKind.INSERT);
    }
}
