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
import io.stateaccel.views.join.log.StoredRows;
import io.stateaccel.views.layout.StateLayout;
import io.stateaccel.views.time.Lifetime;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.RowData;

/**
 * The first rows of each partition as one value, as {@link StoredTopRows} has them, each with an
 * age of its own: the last of them is a marker with the ages of the others. The value as a whole is
 * as old as its youngest row, since whatever writes it makes one young.
 *
 * <p>Flink does not migrate a value that is a list when a time to live is turned on or off, so that
 * is another layout, and refused as such.
 */
final class AgedTopRows implements Loadable<List<AgedRow>> {

    private final LoadableValue<List<RowData>> state;
    private final Lifetime lifetime;
    private final int arity;

    private AgedTopRows(LoadableValue<List<RowData>> state, Lifetime lifetime, int arity) {
        this.state = state;
        this.lifetime = lifetime;
        this.arity = arity;
    }

    /**
     * @param spec of a top-N with a time to live that is longer than one row
     */
    static AgedTopRows open(MiniBatchRankSpec spec, ViewContext context) throws Exception {
        Lifetime lifetime = context.lifetime(spec.ttl());
        String name = StoredTopRows.nameOfSeveral(spec);
        LoadableValue<List<RowData>> state =
                context.layouts()
                        .open(
                                name,
                                StateLayout.FIRST_ROWS_WITH_AGES,
                                () -> StoredTopRows.openSeveral(name, spec, context));
        return new AgedTopRows(state, lifetime, spec.inputType().toRowSize());
    }

    /** What a write at this moment is stamped with, in milliseconds. */
    long now() {
        return lifetime.now();
    }

    @Override
    public Loaded<List<AgedRow>> load(List<RowData> keys) throws Exception {
        state.load(keys);
        return this;
    }

    /**
     * @return the rows of the current key that have not expired, in their order
     */
    @Override
    public List<AgedRow> value() throws Exception {
        List<RowData> stored = state.value();
        if (stored == null) {
            return List.of();
        }
        int size = stored.size() - 1;
        long[] numbers = StoredRows.valuesOf(stored.get(size));
        boolean placed = numbers.length > size;
        long now = lifetime.now();
        List<AgedRow> live = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            if (!lifetime.isExpired(numbers[i], now)) {
                int place = placed ? (int) numbers[size + i] : 0;
                live.add(new AgedRow(stored.get(i), numbers[i], place));
            }
        }
        return live;
    }

    /**
     * @param rows of the current key in their order, at least one of them written just now
     */
    void write(List<AgedRow> rows) throws Exception {
        boolean placed = rows.get(0).place > 0;
        long[] numbers = new long[placed ? 2 * rows.size() : rows.size()];
        List<RowData> stored = new ArrayList<>(rows.size() + 1);
        for (int i = 0; i < rows.size(); i++) {
            AgedRow row = rows.get(i);
            stored.add(row.row);
            numbers[i] = row.lastWrite;
            if (placed) {
                numbers[rows.size() + i] = row.place;
            }
        }
        stored.add(StoredRows.marker(arity, numbers));
        state.update(stored);
    }
}
