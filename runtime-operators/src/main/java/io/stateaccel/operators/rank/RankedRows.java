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
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;

/** The first rows of a partition, in their order; of rows that tie the one that came first. */
final class RankedRows implements FirstRows {

    private final Comparator<RowData> order;
    private final int most;
    private final List<RowData> rows;

    /**
     * @param most how many rows are kept
     */
    RankedRows(Comparator<RowData> order, int most) {
        this(order, most, List.of());
    }

    /**
     * @param rows what it starts with, in order; not changed
     */
    RankedRows(Comparator<RowData> order, int most, List<RowData> rows) {
        this.order = order;
        this.most = most;
        this.rows = new ArrayList<>(rows);
    }

    @Override
    public boolean takes(RowData row) {
        return rows.size() < most || order.compare(row, rows.get(rows.size() - 1)) < 0;
    }

    @Override
    @Nullable
    public RowData add(RowData row) {
        rows.add(placeAfterTies(row), row);
        return rows.size() > most ? rows.remove(rows.size() - 1) : null;
    }

    private int placeAfterTies(RowData row) {
        int low = 0;
        int high = rows.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (order.compare(rows.get(middle), row) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** In their order. */
    @Override
    public List<RowData> rows() {
        return rows;
    }
}
