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
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;

/** The rows of a partition in a bundle, in the order in which they came. */
final class ArrivedRows {

    /** Of an arrival beside its row. */
    private static final int ARRIVAL_BYTES = 24;

    final RowData key;

    private final List<Arrival> arrivals = new ArrayList<>(2);

    /**
     * When the rows came that are in the state, which is before any that are here; {@link
     * Partition#NEVER} if there are none.
     */
    private long cameToState = Partition.NEVER;

    ArrivedRows(RowData key) {
        this.key = key;
    }

    /**
     * A row.
     *
     * @param time when it came, in milliseconds of processing time
     */
    record Arrival(long time, BinaryRowData row) {}

    /**
     * Adds a row behind all others.
     *
     * @param time not before that of any other
     * @return what it takes of the heap
     */
    long add(long time, BinaryRowData row) {
        arrivals.add(new Arrival(time, row));
        return ARRIVAL_BYTES + HeapBytes.ofRow(row);
    }

    /** There are rows in the state, which came then. */
    void areInState(long time) {
        cameToState = time;
    }

    long cameToState() {
        return cameToState;
    }

    boolean areInState() {
        return cameToState != Partition.NEVER;
    }

    /** Puts back the rows that were in the state. */
    void putBefore(List<BinaryRowData> rows) {
        arrivals.addAll(0, rows.stream().map(row -> new Arrival(cameToState, row)).toList());
        cameToState = Partition.NEVER;
    }

    /** When the first row came of those that are on the heap, which there has to be. */
    long firstCame() {
        return arrivals.get(0).time();
    }

    boolean isEmpty() {
        return arrivals.isEmpty() && !areInState();
    }

    /** Whether there is a row that came by then. */
    boolean hasUpTo(long time) {
        return areInState()
                ? cameToState <= time
                : !arrivals.isEmpty() && arrivals.get(0).time <= time;
    }

    /** Takes out the rows that came by then; all of them have to be on the heap. */
    List<Arrival> takeUpTo(long time) {
        int to = 0;
        while (to < arrivals.size() && arrivals.get(to).time <= time) {
            to++;
        }
        List<Arrival> first = arrivals.subList(0, to);
        List<Arrival> taken = List.copyOf(first);
        first.clear();
        return taken;
    }
}
