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

import io.stateaccel.views.join.SettledRecordView;
import io.stateaccel.views.join.hotkeys.HotKey;
import io.stateaccel.views.join.log.RowLog;
import io.stateaccel.views.join.log.SettledRows;
import java.util.List;
import org.apache.flink.table.data.RowData;

/** Insert-only rows, and behind them in the list which of them have been settled since. */
final class SettledListView extends AppendedListView implements SettledRecordView {

    private final int arity;

    /**
     * @param arity columns of a row
     */
    SettledListView(RowLog rows, int arity) {
        super(rows, arity);
        this.arity = arity;
    }

    /** The kind of a row says whether it is settled. */
    @Override
    int normalise(List<RowData> changes) {
        return 0;
    }

    @Override
    public void visit(RowData joinKey, Visitor visitor) throws Exception {
        HotKey hot = look(joinKey);
        if (hot != null) {
            hot.update(stored -> visited(stored, visitor));
            return;
        }
        List<RowData> news = visited(lookedAt(), visitor);
        if (!news.isEmpty()) {
            // To the rows that it is about, wherever the next rows go.
            log.append(RowLog.FIRST, news);
        }
    }

    private List<RowData> visited(List<RowData> stored, Visitor visitor) throws Exception {
        SettledRows rows = SettledRows.of(stored);
        visitor.visit(rows.rows(), rows.settled());
        return rows.news(arity);
    }
}
