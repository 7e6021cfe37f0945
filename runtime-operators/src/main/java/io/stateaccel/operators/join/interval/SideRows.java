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
package io.stateaccel.operators.join.interval;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.table.data.RowData;

/** What a bundle holds of one join key and side. */
final class SideRows {

    private final List<RowData> kept = new ArrayList<>(2);

    /** Hardly ever there. */
    private List<LateRow> late;

    /**
     * Adds a row that is stored, as rows that it matches may still come.
     *
     * @param row belongs to the bundle
     */
    void add(RowData row) {
        kept.add(row);
    }

    /**
     * Adds a row that is not stored, as whatever it matches should have come.
     *
     * @param row belongs to the bundle
     * @param others the other side's; the row matches those that came before it
     */
    void addLate(RowData row, SideRows others) {
        if (late == null) {
            late = new ArrayList<>(1);
        }
        late.add(new LateRow(row, others.kept.size()));
    }

    /** The rows that are stored, in the order in which they came unless they were sorted since. */
    List<RowData> kept() {
        return kept;
    }

    /** The rows that are not stored. */
    List<LateRow> late() {
        return late == null ? Collections.emptyList() : late;
    }

    /** All rows; the list may be changed and may be that of {@link #kept}. */
    List<RowData> all() {
        if (late == null) {
            return kept;
        }
        List<RowData> all = new ArrayList<>(kept);
        late.forEach(lateRow -> all.add(lateRow.row));
        return all;
    }

    /**
     * A row that is not stored.
     *
     * @param othersBefore how many of the other side's rows that are stored came before it
     */
    record LateRow(RowData row, int othersBefore) {}
}
