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
package io.stateaccel.operators.window.join;

import io.stateaccel.operators.bundle.HeapBytes;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;

/** The rows of both sides of a join of a key and window, as they came. For the task thread. */
final class WindowSides {

    private final Side left = new Side();
    private final Side right = new Side();
    private long bytes;

    Side side(boolean isLeft) {
        return isLeft ? left : right;
    }

    void add(boolean isLeft, BinaryRowData row) {
        side(isLeft).add(row);
        bytes += HeapBytes.ofRow(row);
    }

    /**
     * Adds what the state has, which comes before all else.
     *
     * @param rows what it has of a side
     */
    void addStored(boolean isLeft, Iterable<RowData> rows) {
        Side side = side(isLeft);
        List<RowData> behind = side.rows;
        side.rows = new ArrayList<>();
        for (RowData row : rows) {
            side.rows.add(row);
            bytes += HeapBytes.ofRow((BinaryRowData) row);
        }
        side.stored = side.rows.size();
        side.rows.addAll(behind);
    }

    /** About how much heap the rows take, in bytes. */
    long bytes() {
        return bytes;
    }

    /** The rows of one side. */
    static final class Side {

        private List<RowData> rows = List.of();

        /** How many of them the state has, from the first one on. */
        private int stored;

        private void add(RowData row) {
            if (rows.isEmpty()) {
                rows = new ArrayList<>(2);
            }
            rows.add(row);
        }

        List<RowData> rows() {
            return rows;
        }

        boolean isStored() {
            return stored > 0;
        }

        /** The rows that the state does not have; from now on it does. */
        List<RowData> takeNew() {
            List<RowData> more = List.copyOf(rows.subList(stored, rows.size()));
            stored = rows.size();
            return more;
        }
    }
}
