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
import io.stateaccel.views.layout.StateLayouts;
import io.stateaccel.views.time.Lifetime;
import java.util.List;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.java.typeutils.ListTypeInfo;
import org.apache.flink.table.data.RowData;

/**
 * The first rows of each partition, as one value, so that a bundle reads and writes it once per
 * partition. Flink has a map entry per row, which takes a scan to read; a single row is stored as
 * Flink's {@code FastTop1Function} does. The states' names are Flink's, so that what Flink stored
 * in its own way is refused, not ignored.
 */
interface StoredTopRows extends Loadable<List<RowData>> {

    /**
     * @return the rows of the current key in their order, not to be changed
     */
    @Override
    List<RowData> value() throws Exception;

    /**
     * @param rows kept by reference
     */
    void write(List<RowData> rows) throws Exception;

    static StoredTopRows of(MiniBatchRankSpec spec, ViewContext context) throws Exception {
        StateLayouts layouts = context.layouts();
        Lifetime lifetime = context.lifetime(spec.ttl());
        if (spec.isTopOne()) {
            String name = "Top1-Rank-State";
            return layouts.open(
                    name,
                    StateLayout.FIRST_ROW,
                    () ->
                            new One(
                                    LoadableValue.open(
                                            context,
                                            lifetime.applyTo(
                                                    new ValueStateDescriptor<>(
                                                            name, spec.inputType())))));
        }
        String name = nameOfSeveral(spec);
        return layouts.open(
                name, StateLayout.FIRST_ROWS, () -> new Several(openSeveral(name, spec, context)));
    }

    static String nameOfSeveral(MiniBatchRankSpec spec) {
        return spec.input() == RankInput.APPEND
                ? "data-state-with-append"
                : "data-state-with-update";
    }

    /** The state of several rows as one value. */
    static LoadableValue<List<RowData>> openSeveral(
            String name, MiniBatchRankSpec spec, ViewContext context) {
        return LoadableValue.open(
                context,
                context.lifetime(spec.ttl())
                        .applyTo(
                                new ValueStateDescriptor<>(
                                        name, new ListTypeInfo<>(spec.inputType()))));
    }

    /** Of a top-1. */
    record One(LoadableValue<RowData> state) implements StoredTopRows {

        @Override
        public Loaded<List<RowData>> load(List<RowData> keys) throws Exception {
            state.load(keys);
            return this;
        }

        @Override
        public List<RowData> value() throws Exception {
            RowData row = state.value();
            return row == null ? List.of() : List.of(row);
        }

        @Override
        public void write(List<RowData> rows) throws Exception {
            state.update(rows.get(0));
        }
    }

    /** Of a longer top-N. */
    record Several(LoadableValue<List<RowData>> state) implements StoredTopRows {

        @Override
        public Loaded<List<RowData>> load(List<RowData> keys) throws Exception {
            state.load(keys);
            return this;
        }

        @Override
        public List<RowData> value() throws Exception {
            List<RowData> rows = state.value();
            return rows == null ? List.of() : rows;
        }

        @Override
        public void write(List<RowData> rows) throws Exception {
            state.update(rows);
        }
    }
}
