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

import io.stateaccel.views.ViewContext;
import io.stateaccel.views.batch.Loadable;
import io.stateaccel.views.batch.LoadableValue;
import io.stateaccel.views.batch.Loaded;
import io.stateaccel.views.layout.StateLayout;
import java.util.List;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;

/** The first row of each partition, stored as Flink's {@code FastTop1Function} does. */
final class StoredTopRow implements Loadable<List<RowData>> {

    private static final String NAME = "Top1-Rank-State";

    private final LoadableValue<RowData> state;

    private StoredTopRow(LoadableValue<RowData> state) {
        this.state = state;
    }

    /**
     * @param spec of a top-1
     */
    static StoredTopRow open(MiniBatchRankSpec spec, ViewContext context) throws Exception {
        return context.layouts()
                .open(
                        NAME,
                        StateLayout.FIRST_ROW,
                        () ->
                                new StoredTopRow(
                                        LoadableValue.open(
                                                context,
                                                context.lifetime(spec.ttl())
                                                        .applyTo(
                                                                new ValueStateDescriptor<>(
                                                                        NAME, spec.inputType())))));
    }

    @Override
    public Loaded<List<RowData>> load(List<RowData> keys) throws Exception {
        state.load(keys);
        return this;
    }

    /**
     * @return the row of the current key, of kind {@code +I}, or none; not to be changed
     */
    @Override
    public List<RowData> value() throws Exception {
        RowData row = state.value();
        if (row == null) {
            return List.of();
        }
        // Flink stores it of the kind with which it came.
        row.setRowKind(RowKind.INSERT);
        return List.of(row);
    }

    /**
     * @param rows the one row of the current key, kept by reference
     */
    void write(List<RowData> rows) throws Exception {
        state.update(rows.get(0));
    }
}
