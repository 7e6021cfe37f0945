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
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.TupleTypeInfo;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;

/**
 * The first rows of upserts by their keys, with their places among those that tie, as {@code
 * UpdatableTopNFunction}.
 */
final class RowsByKey extends RowsApart {

    private final RowDataKeySelector rowKeySelector;
    private final MapState<RowData, Tuple2<RowData, Integer>> state;

    RowsByKey(MiniBatchRankSpec spec, Comparator<RowData> order, ViewContext context) {
        super(spec, order, context);
        this.rowKeySelector = KeySelectors.copy(spec.rowKeySelector());
        this.state =
                context.runtime()
                        .getMapState(
                                lifetime()
                                        .applyTo(
                                                new MapStateDescriptor<>(
                                                        StoredTopRows.nameOf(spec.input()),
                                                        rowKeySelector.getProducedType(),
                                                        new TupleTypeInfo<>(
                                                                spec.inputType(), Types.INT))));
    }

    @Override
    List<AgedRow> read() throws Exception {
        List<AgedRow> rows = new ArrayList<>();
        for (Tuple2<RowData, Integer> stored : state.values()) {
            rows.add(untouched(stored.f0, stored.f1));
        }
        return rows;
    }

    @Override
    void write(List<AgedRow> rows, List<AgedRow> touched, List<AgedRow> gone) throws Exception {
        for (AgedRow row : gone) {
            state.remove(rowKeySelector.getKey(row.row));
        }
        for (AgedRow row : touched) {
            state.put(rowKeySelector.getKey(row.row), Tuple2.of(row.row, row.place));
        }
    }
}
