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
package io.stateaccel.operators.window.topn;

import io.stateaccel.operators.bundle.HeapBytes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;

/**
 * The first rows of a key and window, in their order, and what the state has of them. For the task
 * thread.
 */
final class TopRows implements Iterable<RowData> {

    /** Bytes of {@link Ties}, with their list and their entry in the tree. */
    private static final int TIES = 136;

    private final Comparator<RowData> order;
    private final long most;

    /** By the first row of each. */
    private final TreeMap<RowData, Ties> ties;

    /** One row each of what the state has and is not to have any more. */
    private List<RowData> unwanted = List.of();

    private long size;
    private long bytes;

    /**
     * @param order of the rows
     * @param most how many there are at the most, 1 or more
     */
    TopRows(Comparator<RowData> order, long most) {
        this.order = order;
        this.most = most;
        this.ties = new TreeMap<>(order);
    }

    /** Whether a row is among the first. */
    boolean accepts(RowData row) {
        return size < most || order.compare(row, ties.lastKey()) < 0;
    }

    /** Adds a row that is {@link #accepts accepted}, behind those that are equal in order. */
    void add(BinaryRowData row) {
        addTo(tiesOf(row), row);
        dropLast();
    }

    /**
     * Adds what the state has; {@link #dropLast} is to be called when it is all there.
     *
     * @param rows equal in what they are ordered by
     */
    void addStored(List<RowData> rows) {
        Ties equal = tiesOf(rows.get(0));
        if (equal.rows.isEmpty()) {
            equal.stored = rows.size();
        } else {
            // Equal in order, but not the same in the state, as 0.0 and -0.0 are.
            addUnwanted(rows.get(0));
        }
        rows.forEach(row -> addTo(equal, row));
    }

    private Ties tiesOf(RowData row) {
        Ties equal = ties.get(row);
        if (equal == null) {
            equal = new Ties();
            ties.put(row, equal);
            bytes += TIES;
        }
        return equal;
    }

    private void addTo(Ties equal, RowData row) {
        equal.rows.add(row);
        size++;
        bytes += bytesOf(row);
    }

    private static long bytesOf(RowData row) {
        return HeapBytes.ofRow((BinaryRowData) row);
    }

    /** Leaves no more rows than there may be. */
    void dropLast() {
        while (size > most) {
            Ties last = ties.lastEntry().getValue();
            RowData row = last.rows.remove(last.rows.size() - 1);
            size--;
            bytes -= bytesOf(row);
            if (last.rows.isEmpty()) {
                ties.pollLastEntry();
                bytes -= TIES;
                if (last.stored > 0) {
                    addUnwanted(row);
                }
            }
        }
    }

    private void addUnwanted(RowData row) {
        if (unwanted.isEmpty()) {
            unwanted = new ArrayList<>();
        }
        unwanted.add(row);
        bytes += bytesOf(row);
    }

    /** One row each of what is to be removed from the state; from now on it is. */
    List<RowData> takeUnwanted() {
        List<RowData> taken = unwanted;
        unwanted = List.of();
        taken.forEach(row -> bytes -= bytesOf(row));
        return taken;
    }

    /** What is here, by what it is ordered by. */
    Collection<Ties> ties() {
        return ties.values();
    }

    /** About how much heap it takes, in bytes. */
    long bytes() {
        return bytes;
    }

    @Override
    public Iterator<RowData> iterator() {
        return ties.values().stream().flatMap(equal -> equal.rows.stream()).iterator();
    }

    /** Rows that are equal in order, as they came, so that it is the last that is dropped. */
    static final class Ties {

        private final List<RowData> rows = new ArrayList<>(1);

        /** How many of them the state has, from the first one on. */
        private int stored;

        /** At least one. */
        List<RowData> rows() {
            return rows;
        }

        boolean isStored() {
            return stored > 0;
        }

        /** Whether the state has others. */
        boolean isChanged() {
            return stored != rows.size();
        }

        /** The state has these. */
        void stored() {
            stored = rows.size();
        }
    }
}
