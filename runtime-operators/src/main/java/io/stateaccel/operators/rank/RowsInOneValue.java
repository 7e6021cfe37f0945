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
import io.stateaccel.views.batch.LoadableValue;
import io.stateaccel.views.batch.Loaded;
import io.stateaccel.views.join.log.StoredRows;
import io.stateaccel.views.layout.StateLayout;
import io.stateaccel.views.layout.SwitchedState;
import io.stateaccel.views.time.Lifetime;
import io.stateaccel.views.time.TimeToLive;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.java.typeutils.ListTypeInfo;
import org.apache.flink.table.data.RowData;

/**
 * The first rows of each partition as one value, so that a bundle reads and writes it once per
 * partition. Flink has a map entry per row, which takes a scan to read. The states' names are
 * Flink's, so that what Flink stored in its own way is refused, not ignored.
 *
 * <p>With a time to live each row has an age of its own: the last one of the value is a marker with
 * the ages of the others. The value as a whole is as old as its youngest row, since whatever writes
 * it makes one young. Flink does not migrate a value that is a list when a time to live is turned
 * on or off, so that is done here, when the state is opened ({@link SwitchedState}): as in Flink,
 * rows are as young then as the job that goes on, and the other way round what is still stored
 * stays for ever.
 */
final class RowsInOneValue implements StoredTopRows {

    private final LoadableValue<List<RowData>> state;
    private final Lifetime lifetime;
    private final int arity;

    private RowsInOneValue(LoadableValue<List<RowData>> state, Lifetime lifetime, int arity) {
        this.state = state;
        this.lifetime = lifetime;
        this.arity = arity;
    }

    /**
     * @param spec of a top-N that is longer than one row
     * @param order of the rows
     */
    static RowsInOneValue open(
            MiniBatchRankSpec spec, Comparator<RowData> order, ViewContext context)
            throws Exception {
        boolean expires = !spec.ttl().isForever();
        String name = StoredTopRows.nameOf(spec.input());
        SwitchedState switched =
                SwitchedState.of(
                        context.layouts(),
                        name,
                        expires ? StateLayout.FIRST_ROWS_WITH_AGES : StateLayout.FIRST_ROWS,
                        expires ? StateLayout.FIRST_ROWS : StateLayout.FIRST_ROWS_WITH_AGES);
        RowsInOneValue rows =
                switched.open(stateName -> open(stateName, spec, spec.ttl(), context));
        // What has not left the state yet never expires now, as it does not in Flink.
        TimeToLive before = expires ? TimeToLive.FOREVER : new TimeToLive(Long.MAX_VALUE);
        switched.move(
                context.backend(),
                stateName -> open(stateName, spec, before, context),
                from -> rows.takeOver(from, order, spec.input() != RankInput.APPEND));
        return rows;
    }

    private static RowsInOneValue open(
            String name, MiniBatchRankSpec spec, TimeToLive ttl, ViewContext context) {
        Lifetime lifetime = context.lifetime(ttl);
        LoadableValue<List<RowData>> state =
                LoadableValue.open(
                        context,
                        lifetime.applyTo(
                                new ValueStateDescriptor<>(
                                        name, new ListTypeInfo<>(spec.inputType()))));
        return new RowsInOneValue(state, lifetime, spec.inputType().toRowSize());
    }

    /** Has the rows of the current key from a state that has them with ages if this has not. */
    private void takeOver(RowsInOneValue from, Comparator<RowData> order, boolean placed)
            throws Exception {
        List<AgedRow> rows = AgedRanking.inPlace(from.value(), order);
        from.state.clear();
        long now = now();
        for (int i = 0; i < rows.size(); i++) {
            AgedRow row = rows.get(i);
            row.lastWrite = now;
            boolean ties = i > 0 && order.compare(rows.get(i - 1).row, row.row) == 0;
            row.place = !placed ? 0 : ties ? rows.get(i - 1).place + 1 : 1;
        }
        if (!rows.isEmpty()) {
            write(rows);
        }
    }

    @Override
    public boolean expire() {
        return !lifetime.isForever();
    }

    @Override
    public long now() {
        return lifetime.now();
    }

    @Override
    public Loaded<List<AgedRow>> load(List<RowData> keys) throws Exception {
        state.load(keys);
        return this;
    }

    @Override
    public List<AgedRow> value() throws Exception {
        List<RowData> stored = state.value();
        if (stored == null) {
            return List.of();
        }
        return lifetime.isForever() ? ageless(stored) : live(stored);
    }

    private static List<AgedRow> ageless(List<RowData> stored) {
        List<AgedRow> rows = new ArrayList<>(stored.size());
        for (RowData row : stored) {
            rows.add(new AgedRow(row, 0, 0));
        }
        return rows;
    }

    private List<AgedRow> live(List<RowData> stored) {
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

    @Override
    public void write(List<AgedRow> rows) throws Exception {
        List<RowData> stored = new ArrayList<>(rows.size() + 1);
        for (AgedRow row : rows) {
            stored.add(row.row);
        }
        if (!lifetime.isForever()) {
            stored.add(ages(rows));
        }
        state.update(stored);
    }

    private RowData ages(List<AgedRow> rows) {
        boolean placed = rows.get(0).place > 0;
        long[] numbers = new long[placed ? 2 * rows.size() : rows.size()];
        for (int i = 0; i < rows.size(); i++) {
            AgedRow row = rows.get(i);
            numbers[i] = row.lastWrite;
            if (placed) {
                numbers[rows.size() + i] = row.place;
            }
        }
        return StoredRows.marker(arity, numbers);
    }
}
