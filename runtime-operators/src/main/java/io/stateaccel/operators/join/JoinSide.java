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
package io.stateaccel.operators.join;

import io.stateaccel.views.join.MergedRecordView;
import java.util.Collections;
import java.util.List;
import org.apache.flink.table.data.RowData;

/**
 * One side of the join key that a flush is at: its rows in state, what the bundle changes, and the
 * rows on the way from the one to the other. Reused from key to key.
 */
final class JoinSide {

    private static final List<RowData> NO_ROWS = Collections.emptyList();

    final boolean isLeft;
    private final MergedRecordView records;

    private SideChanges changes;
    private List<RowData> rows = NO_ROWS;

    JoinSide(boolean isLeft, MergedRecordView records) {
        this.isLeft = isLeft;
        this.records = records;
    }

    /**
     * Starts a key.
     *
     * @param isRead whether the rows before the bundle are needed, which costs one read
     */
    void begin(SideChanges changes, boolean isRead) throws Exception {
        this.changes = changes;
        this.rows = isRead ? records.records() : NO_ROWS;
    }

    List<RowData> retractions() {
        return changes.retractions();
    }

    List<RowData> additions() {
        return changes.additions();
    }

    boolean isChanged() {
        return !changes.isEmpty();
    }

    /** The rows before the bundle, less the retracted and plus the added ones once these are. */
    List<RowData> rows() {
        return rows;
    }

    void retract() throws Exception {
        rows = records.after(rows, changes.retractions());
    }

    void add() throws Exception {
        rows = records.after(rows, changes.additions());
    }

    /** Ends a key: the changes go to the state. */
    void store(RowData joinKey) throws Exception {
        rows = NO_ROWS;
        if (isChanged()) {
            records.apply(joinKey, changes.inOrder());
        }
    }
}
