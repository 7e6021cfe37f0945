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

import io.stateaccel.views.join.LiveRows;
import io.stateaccel.views.join.MergedRecordView;
import java.util.List;
import org.apache.flink.table.data.RowData;

/**
 * One side of the join key that a flush is at: its rows in state, what the bundle changes, and the
 * rows on the way from the one to the other. Reused from key to key.
 */
final class JoinSide {

    final boolean isLeft;
    private final MergedRecordView records;
    private final boolean upserts;

    private RowData joinKey;
    private SideChanges changes;

    /** Null until somebody asks for them, as a read is what a key costs most. */
    private LiveRows rows;

    private boolean retracted;

    /**
     * @param upserts whether an addition may replace a row that is not retracted
     */
    JoinSide(boolean isLeft, MergedRecordView records, boolean upserts) {
        this.isLeft = isLeft;
        this.records = records;
        this.upserts = upserts;
    }

    /**
     * Reads the rows of keys ahead.
     *
     * @param keys those that {@link #isToBeRead}, each once
     */
    void readAhead(List<RowData> keys) throws Exception {
        records.readAhead(keys);
    }

    /** Whether a key with these changes of this side and of the other one has its rows read. */
    boolean isToBeRead(SideChanges own, SideChanges others) {
        return !others.isEmpty() || upserts && !own.additions().isEmpty();
    }

    /** Starts a key. */
    void begin(RowData joinKey, SideChanges changes) {
        this.joinKey = joinKey;
        this.changes = changes;
        this.rows = null;
        this.retracted = false;
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

    /** The rows before the bundle, as far as the changes have been gone through. */
    LiveRows rows() throws Exception {
        if (rows == null) {
            rows = records.records(joinKey);
            if (retracted) {
                rows = rows.without(changes.retractions());
            }
        }
        return rows;
    }

    /** Takes the retracted rows out of {@link #rows}. */
    void retract() throws Exception {
        retracted = true;
        if (rows != null) {
            rows = rows.without(changes.retractions());
        }
    }

    /** Takes the rows that additions replace out of {@link #rows}; what is left stays. */
    void dropReplaced() throws Exception {
        if (upserts && !changes.additions().isEmpty()) {
            rows = rows().without(changes.additions());
        }
    }

    /** Ends a key: the changes go to the state. */
    void store() throws Exception {
        rows = null;
        if (isChanged()) {
            records.apply(joinKey, changes.inOrder());
        }
    }
}
