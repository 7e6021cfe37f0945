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
package io.stateaccel.operators.join.normalize;

import io.stateaccel.flink.operator.CurrentTimes;
import io.stateaccel.flink.operator.RowCondition;
import io.stateaccel.views.join.LiveRows;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.runtime.generated.RecordEqualiser;
import org.apache.flink.types.RowKind;

/**
 * Makes a regular changelog of what comes to one input of a join, by the row that the join has of
 * the key: what Flink's {@code ChangelogNormalize} makes of it by a row of its own. Of a bundle's
 * changes of a key only the last one counts, and its row takes the place of the one that was there.
 */
public final class InputNormalizer {

    /** In place of a row, when nothing of it matters but that it has gone. */
    private static final BinaryRowData GONE = new BinaryRowData(0);

    private final boolean updatesBefore;
    @Nullable private final RowCondition condition;
    private final RecordEqualiser equaliser;

    /**
     * @param times for the condition
     */
    public InputNormalizer(NormalizedInput input, RuntimeContext runtime, CurrentTimes times)
            throws Exception {
        this.updatesBefore = input.updatesBefore();
        this.condition =
                input.condition() == null
                        ? null
                        : new RowCondition(input.condition(), runtime, times);
        this.equaliser = input.equaliser().newInstance(runtime.getUserCodeClassLoader());
    }

    /** Whether a change leaves its row there; it takes the row of its key away otherwise. */
    public boolean isThere(StreamRecord<RowData> change) throws Exception {
        return RowDataUtil.isAccumulateMsg(change.getValue())
                && (condition == null || condition.holds(change));
    }

    /** In place of a row that has gone. */
    public BinaryRowData gone() {
        return GONE;
    }

    /**
     * What a key changes by.
     *
     * @param last what the bundle's last change leaves, or {@link #gone}
     * @param before the row of the key before the bundle, one at most
     * @return to be folded, in a list that belongs to the caller
     */
    public List<RowData> changes(RowData last, LiveRows before) throws Exception {
        RowData previous = rowOf(before);
        List<RowData> changes = new ArrayList<>(2);
        if (last == GONE) {
            if (previous != null) {
                changes.add(ofKind(RowKind.DELETE, previous));
            }
        } else if (previous == null) {
            changes.add(ofKind(RowKind.INSERT, last));
        } else if (!areEqual(previous, last)) {
            if (updatesBefore) {
                changes.add(ofKind(RowKind.UPDATE_BEFORE, previous));
            }
            changes.add(ofKind(RowKind.UPDATE_AFTER, last));
        }
        return changes;
    }

    /** Of which the state may hold another copy; null if there is none. */
    @Nullable
    private static RowData rowOf(LiveRows rows) throws Exception {
        List<RowData> only = rows.open().next();
        return only == null ? null : ((BinaryRowData) only.get(0)).copy();
    }

    private boolean areEqual(RowData previous, RowData last) {
        last.setRowKind(previous.getRowKind());
        return equaliser.equals(previous, last);
    }

    private static RowData ofKind(RowKind kind, RowData row) {
        row.setRowKind(kind);
        return row;
    }

    public void close() throws Exception {
        if (condition != null) {
            condition.close();
        }
    }
}
