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

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.types.RowKind;

/**
 * Rows are a multiset: a retraction takes one equal row away, and does nothing where there is none,
 * as in the {@code InputSideHasNoUniqueKey} view of Flink's {@code JoinRecordStateViews}.
 */
final class CountedFold implements ChangeFold {

    @Override
    public List<RowData> fold(List<RowData> changes) {
        if (!hasRetraction(changes)) {
            return changes;
        }
        Map<RowData, Deque<RowData>> equalRows = new LinkedHashMap<>();
        int live = 0;
        for (RowData change : changes) {
            if (RowDataUtil.isAccumulateMsg(change)) {
                equalRows.computeIfAbsent(change, row -> new ArrayDeque<>(1)).add(change);
                live++;
            } else {
                Deque<RowData> rows = equalRows.get(asInsert(change));
                // The oldest goes: what stays is what would expire last.
                if (rows != null && rows.poll() != null) {
                    live--;
                }
            }
        }
        List<RowData> result = new ArrayList<>(live);
        equalRows.values().forEach(result::addAll);
        return result;
    }

    @Override
    public int garbageOf(RowData change) {
        return RowDataUtil.isRetractMsg(change) ? 2 : 0;
    }

    private static boolean hasRetraction(List<RowData> changes) {
        for (int i = 0; i < changes.size(); i++) {
            if (RowDataUtil.isRetractMsg(changes.get(i))) {
                return true;
            }
        }
        return false;
    }

    /** Rows are equal when their kinds are too, and the stored row must keep its own. */
    private static RowData asInsert(RowData retraction) {
        BinaryRowData row = ((BinaryRowData) retraction).copy();
        row.setRowKind(RowKind.INSERT);
        return row;
    }
}
