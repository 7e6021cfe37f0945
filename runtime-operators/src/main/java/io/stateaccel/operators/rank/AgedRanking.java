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

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.flink.table.data.RowData;

/**
 * What Flink's state has of a partition, in the order of the ranks, with a time to live or without.
 * With rank numbers these are more than the first N: Flink drops rows that tie all together, and
 * not before the result ends before them. As long as nothing expires nobody sees the rows behind
 * the N-th; once rows before them have, they are among the first.
 */
final class AgedRanking {

    private final Comparator<RowData> order;
    private final int most;
    private final List<AgedRow> rows;

    /**
     * @param rows what it starts with, in order; not changed
     */
    AgedRanking(TopN topN, List<AgedRow> rows) {
        this.order = topN.order();
        this.most = topN.most();
        this.rows = new ArrayList<>(rows);
    }

    /** Whether a row that comes now is stored. */
    boolean takes(RowData row) {
        return rows.size() < most || order.compare(row, rows.get(rows.size() - 1).row) < 0;
    }

    /** Puts a row behind those that tie with it. */
    void add(AgedRow row) {
        rows.add(endOfTies(row.row), row);
    }

    /** Puts a row in the place of another. */
    void set(AgedRow previous, AgedRow row) {
        rows.set(rows.indexOf(previous), row);
    }

    void remove(AgedRow row) {
        rows.remove(row);
    }

    /** The stored rows that tie with a row, good until the next change. */
    List<AgedRow> tiesWith(RowData row) {
        int end = endOfTies(row);
        int last = end - 1;
        boolean none = last < 0 || order.compare(rows.get(last).row, row) != 0;
        return none ? List.of() : rows.subList(startOfTies(last), end);
    }

    /** The first row behind all that are before a row or tie with it. */
    private int endOfTies(RowData row) {
        int low = 0;
        int high = rows.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (order.compare(rows.get(middle).row, row) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private int startOfTies(int index) {
        int start = index;
        while (start > 0 && tie(start - 1, index)) {
            start--;
        }
        return start;
    }

    private boolean tie(int one, int other) {
        return order.compare(rows.get(one).row, rows.get(other).row) == 0;
    }

    /**
     * Drops the rows that tie when more than N rows are before the first of them.
     *
     * @return what is dropped
     */
    List<AgedRow> cutBehindTies() {
        int end = Math.min(rows.size(), most + 1);
        while (end < rows.size() && tie(end, most)) {
            end++;
        }
        List<AgedRow> behind = rows.subList(end, rows.size());
        List<AgedRow> cut = List.copyOf(behind);
        behind.clear();
        return cut;
    }

    boolean isTooLong() {
        return rows.size() > most;
    }

    AgedRow removeLast() {
        return rows.remove(rows.size() - 1);
    }

    /** All rows that are stored, not to be changed. */
    List<AgedRow> stored() {
        return rows;
    }

    /** The rows as Flink reads them: those that tie by their places, which may have been others. */
    static List<AgedRow> inPlace(List<AgedRow> rows, Comparator<RowData> order) {
        List<AgedRow> placed = new ArrayList<>(rows);
        placed.sort(
                (one, other) -> {
                    int byOrder = order.compare(one.row, other.row);
                    return byOrder != 0 ? byOrder : Integer.compare(one.place, other.place);
                });
        return placed;
    }

    /** The rows as such. */
    static List<RowData> rowsOf(List<AgedRow> rows) {
        List<RowData> all = new ArrayList<>(rows.size());
        for (AgedRow row : rows) {
            all.add(row.row);
        }
        return all;
    }
}
