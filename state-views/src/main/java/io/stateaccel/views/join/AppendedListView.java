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
package io.stateaccel.views.join;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.RowData;

/** Insert-only rows: every change is one blind append, reading needs no fold. */
final class AppendedListView implements MergedRecordView {

    private final RowLog rows;

    AppendedListView(RowLog rows) {
        this.rows = rows;
    }

    @Override
    public List<RowData> records() throws Exception {
        return rows.read();
    }

    @Override
    public List<RowData> after(List<RowData> records, List<RowData> changes) {
        return concat(records, changes);
    }

    @Override
    public void apply(RowData joinKey, List<RowData> changes) throws Exception {
        rows.append(changes);
    }

    /** The rows of both lists in order; the other list where one is empty. */
    static List<RowData> concat(List<RowData> first, List<RowData> second) {
        if (second.isEmpty()) {
            return first;
        }
        if (first.isEmpty()) {
            return second;
        }
        List<RowData> all = new ArrayList<>(first.size() + second.size());
        all.addAll(first);
        all.addAll(second);
        return all;
    }
}
