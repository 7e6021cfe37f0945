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

import io.stateaccel.views.join.LiveRows;
import io.stateaccel.views.join.hotkeys.HotKey;
import io.stateaccel.views.join.log.RowLog;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;

/** Insert-only rows: every change is one blind append, reading needs no fold. */
class AppendedListView extends ListView {

    private final int arity;

    /**
     * @param arity columns of a row
     */
    AppendedListView(RowLog rows, int arity) {
        super(rows);
        this.arity = arity;
    }

    @Override
    int normalise(List<RowData> changes) {
        for (int i = 0; i < changes.size(); i++) {
            changes.get(i).setRowKind(RowKind.INSERT);
        }
        return 0;
    }

    @Override
    boolean garbageIsDue(RowData joinKey, int garbage) {
        return false;
    }

    @Override
    List<RowData> compact(RowData joinKey, List<RowData> stored, boolean due) {
        return stored;
    }

    @Override
    LiveRows ordinary(List<RowData> live) {
        return (LiveRows.Appended) () -> new OneChunk(live);
    }

    @Override
    HotKey loadHot(RowData marker, List<RowData> misplaced) throws Exception {
        return HotKey.loadAppended(log, arity, marker, misplaced);
    }

    @Override
    HotKey makeHot(List<RowData> live) throws Exception {
        return HotKey.appended(log, arity, live);
    }
}
