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

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;

/**
 * The rows of a chunk of which it is kept whether they are settled. Beside what {@link StoredRows}
 * says of {@code +I} and {@code -U}:
 *
 * <ul>
 *   <li>{@code +U} is a row that was settled when it was appended;
 *   <li>{@code -D} is no row, but has the numbers of rows that have been settled since, by their
 *       order in the chunk.
 * </ul>
 */
public final class SettledRows {

    private final List<RowData> rows;
    private final BitSet settled;
    private final BitSet settledBefore;

    private SettledRows(List<RowData> rows, BitSet settled) {
        this.rows = rows;
        this.settled = settled;
        this.settledBefore = (BitSet) settled.clone();
    }

    /**
     * @param stored as {@link RowLog#read} returns it
     */
    public static SettledRows of(List<RowData> stored) {
        List<RowData> rows = areAllRows(stored) ? stored : new ArrayList<>(stored.size());
        BitSet settled = new BitSet(stored.size());
        int number = 0;
        for (RowData record : stored) {
            switch (record.getRowKind()) {
                case UPDATE_BEFORE -> {
                    // Where the other chunks are, which is for others to know.
                }
                case DELETE -> {
                    for (long row : StoredRows.valuesOf(record)) {
                        settled.set((int) row);
                    }
                }
                default -> {
                    if (rows != stored) {
                        rows.add(record);
                    }
                    settled.set(number, isSettled(record));
                    number++;
                }
            }
        }
        return new SettledRows(rows, settled);
    }

    private static boolean areAllRows(List<RowData> stored) {
        for (RowData record : stored) {
            if (!isRow(record)) {
                return false;
            }
        }
        return true;
    }

    /** Has a row, which is not stored yet, be settled. */
    public static void settle(RowData row) {
        row.setRowKind(RowKind.UPDATE_AFTER);
    }

    /** Whether a row is, as far as itself says. */
    public static boolean isSettled(RowData row) {
        return row.getRowKind() == RowKind.UPDATE_AFTER;
    }

    /** Whether something stored is a row, and not something about others. */
    public static boolean isRow(RowData record) {
        return record.getRowKind() == RowKind.INSERT || isSettled(record);
    }

    /** The rows, in the order in which they were appended; they are not to be changed. */
    public List<RowData> rows() {
        return rows;
    }

    /** Which of the rows are settled; others may be added. */
    public BitSet settled() {
        return settled;
    }

    /**
     * What to append to the chunk, on account of rows that have been settled since it was read.
     *
     * @param arity columns of a row
     */
    public List<RowData> news(int arity) {
        if (settled.equals(settledBefore)) {
            return Collections.emptyList();
        }
        BitSet added = (BitSet) settled.clone();
        added.andNot(settledBefore);
        RowData news =
                StoredRows.marker(arity, added.stream().mapToLong(number -> number).toArray());
        news.setRowKind(RowKind.DELETE);
        return Collections.singletonList(news);
    }
}
