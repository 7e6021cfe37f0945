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
package io.stateaccel.operators.over;

import io.stateaccel.operators.bundle.HeapBytes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;

/** The rows of a partition that no watermark has passed yet, in the order in which they came. */
final class PendingRows {

    final RowData key;

    /** When the first of them came, in processing time. */
    final long firstCame;

    /** When the last of them came, in processing time. */
    long lastCame;

    /** No row is earlier. */
    long earliest = Long.MAX_VALUE;

    /** Whether there are more of them in the state, which came before. */
    boolean areInState;

    private List<BinaryRowData> rows = new ArrayList<>(2);

    private long bytes;

    /** How many of the rows are known not to be late. */
    private int admitted;

    /**
     * @param firstCame when the first of them came, in processing time
     */
    PendingRows(RowData key, long firstCame) {
        this.key = key;
        this.firstCame = firstCame;
        this.lastCame = firstCame;
    }

    void add(BinaryRowData row) {
        if (rows.isEmpty()) {
            bytes += HeapBytes.ofKey(key);
        }
        rows.add(row);
        bytes += HeapBytes.ofRow(row);
    }

    /** What those on the heap take there. */
    long bytes() {
        return bytes;
    }

    /** Those on the heap, of which none is there from now on. */
    List<RowData> takeAll() {
        List<RowData> all = List.copyOf(rows);
        hold(List.of());
        return all;
    }

    private void hold(List<BinaryRowData> others) {
        rows = new ArrayList<>(2);
        bytes = 0;
        admitted = 0;
        others.forEach(this::add);
    }

    /** Puts back what was in the state. */
    void putBefore(List<RowData> earlier) {
        List<BinaryRowData> all = new ArrayList<>(earlier.size() + rows.size());
        earlier.forEach(row -> all.add((BinaryRowData) row));
        all.addAll(rows);
        hold(all);
    }

    boolean isEmpty() {
        return rows.isEmpty() && !areInState;
    }

    /** Drops rows that are late, of those that it was not asked for before. */
    void admit(Admission admission) {
        if (admitted == rows.size()) {
            return;
        }
        List<BinaryRowData> all = new ArrayList<>(rows.subList(0, admitted));
        for (BinaryRowData row : rows.subList(admitted, rows.size())) {
            if (admission.admits(row)) {
                all.add(row);
            }
        }
        if (all.size() < rows.size()) {
            hold(all);
        }
        admitted = rows.size();
    }

    /**
     * Takes out the rows up to a time; all of them have to be on the heap.
     *
     * @return by ascending time, those of one time as they came
     */
    List<RowData> takeUpTo(long time, int timeColumn) {
        List<RowData> ready = new ArrayList<>(rows.size());
        List<BinaryRowData> others = new ArrayList<>(2);
        earliest = Long.MAX_VALUE;
        for (BinaryRowData row : rows) {
            long rowTime = row.getLong(timeColumn);
            if (rowTime <= time) {
                ready.add(row);
            } else {
                others.add(row);
                earliest = Math.min(earliest, rowTime);
            }
        }
        hold(others);
        admitted = others.size();
        if (ready.size() > 1) {
            ready.sort(Comparator.comparingLong(row -> row.getLong(timeColumn)));
        }
        return ready;
    }

    /** Decides whether a row is taken. */
    @FunctionalInterface
    interface Admission {
        boolean admits(BinaryRowData row);
    }
}
