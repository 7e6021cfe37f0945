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
package io.stateaccel.views.join.records;

import io.stateaccel.views.batch.LoadableValue;
import io.stateaccel.views.join.LiveRows;
import io.stateaccel.views.join.LoadedRecords;
import io.stateaccel.views.join.MergedRecordView;
import java.util.Collections;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.types.RowKind;

/**
 * At most one row per join key: the last change says what is stored. The layout is that of stock
 * Flink's join for the same input.
 */
final class SingleRowView implements MergedRecordView {

    private final LoadableValue<RowData> row;

    SingleRowView(LoadableValue<RowData> row) {
        this.row = row;
    }

    @Override
    public LoadedRecords load(List<RowData> joinKeys) throws Exception {
        row.load(joinKeys);
        return this;
    }

    @Override
    public LiveRows records(RowData joinKey) throws Exception {
        RowData live = row.value();
        return live == null ? LiveRows.NONE : new SingleRow(Collections.singletonList(live));
    }

    @Override
    public void apply(RowData joinKey, List<RowData> changes) throws Exception {
        RowData last = changes.get(changes.size() - 1);
        if (RowDataUtil.isAccumulateMsg(last)) {
            last.setRowKind(RowKind.INSERT);
            row.update(last);
        } else {
            row.clear();
        }
    }

    /** Takes the current key's row away. */
    void clear() {
        row.clear();
    }
}
