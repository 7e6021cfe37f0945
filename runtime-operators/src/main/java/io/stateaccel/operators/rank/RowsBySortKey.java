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

import io.stateaccel.flink.operator.KeySelectors;
import io.stateaccel.views.ViewContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.java.typeutils.ListTypeInfo;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;

/** The first rows of insertions by what they are ordered by, as {@code AppendOnlyTopNFunction}. */
final class RowsBySortKey extends RowsApart {

    private final RowDataKeySelector sortKeySelector;
    private final MapState<RowData, List<RowData>> state;

    RowsBySortKey(MiniBatchRankSpec spec, Comparator<RowData> order, ViewContext context) {
        super(spec, order, context);
        this.sortKeySelector = KeySelectors.copy(spec.sortKeySelector());
        this.state =
                context.runtime()
                        .getMapState(
                                lifetime()
                                        .applyTo(
                                                new MapStateDescriptor<>(
                                                        StoredTopRows.nameOf(spec.input()),
                                                        sortKeySelector.getProducedType(),
                                                        new ListTypeInfo<>(spec.inputType()))));
    }

    @Override
    List<AgedRow> read() throws Exception {
        List<AgedRow> rows = new ArrayList<>();
        for (Map.Entry<RowData, List<RowData>> entry : state.entries()) {
            for (RowData row : entry.getValue()) {
                rows.add(untouched(row, 0));
            }
        }
        // Stable, so that those that tie stay as they came.
        rows.sort((one, other) -> order().compare(one.row, other.row));
        return rows;
    }

    @Override
    void write(List<AgedRow> rows, List<AgedRow> touched, List<AgedRow> gone) throws Exception {
        SortedSet<RowData> changed = new TreeSet<>(order());
        for (AgedRow row : touched) {
            changed.add(row.row);
        }
        for (AgedRow row : gone) {
            // Keys may differ that are equal in the order.
            state.remove(sortKeySelector.getKey(row.row));
            changed.add(row.row);
        }
        int next = 0;
        for (RowData first : changed) {
            next = place(rows, first, next);
            List<RowData> ties = new ArrayList<>(1);
            while (next < rows.size() && order().compare(rows.get(next).row, first) == 0) {
                ties.add(rows.get(next++).row);
            }
            if (!ties.isEmpty()) {
                put(ties);
            }
        }
    }

    /** The place of the first row that is not before another. */
    private int place(List<AgedRow> rows, RowData row, int from) {
        int low = from;
        int high = rows.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (order().compare(rows.get(middle).row, row) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private void put(List<RowData> ties) throws Exception {
        RowData sortKey = sortKeySelector.getKey(ties.get(0));
        for (RowData row : ties) {
            RowData other = sortKeySelector.getKey(row);
            if (!other.equals(sortKey)) {
                state.remove(other);
            }
        }
        state.put(sortKey, ties);
    }
}
