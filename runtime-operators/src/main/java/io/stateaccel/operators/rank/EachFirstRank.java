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

import io.stateaccel.operators.bundle.RowKeeper;
import io.stateaccel.views.batch.Loadable;
import io.stateaccel.views.batch.Loaded;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;

/**
 * A top-1 of insertions whose result keeps every row that was ever the first: Flink plans it so
 * where it is ordered by time behind something else (FLINK-40368). Of a bundle only the rows that
 * were the first among those before them can have been, and of these the ones before the stored
 * one; they are emitted in the order in which they came, as Flink's {@code FastTop1Function} emits
 * them.
 */
final class EachFirstRank extends FirstRowsRank<List<RowData>> {

    private final Comparator<RowData> order;
    private final StoredTopRow stored;
    private final RankOutput output;

    EachFirstRank(
            Comparator<RowData> order, RowKeeper keeper, StoredTopRow stored, RankOutput output) {
        super(keeper);
        this.order = order;
        this.stored = stored;
        this.output = output;
    }

    @Override
    public FirstRows newPartition() {
        return new RisingRows(order);
    }

    @Override
    public boolean holdsFirstRowsOnly() {
        return false;
    }

    @Override
    public Loadable<List<RowData>> state() {
        return stored;
    }

    @Override
    public void finish(FirstRows partition, Loaded<List<RowData>> loaded) throws Exception {
        List<RowData> before = loaded.value();
        RowData first = before.isEmpty() ? null : before.get(0);
        boolean changed = false;
        for (RowData row : partition.rows()) {
            if (first == null) {
                output.inserted(row, 1);
            } else if (order.compare(row, first) < 0) {
                output.replaced(first, 1);
                output.replaces(row, 1);
            } else {
                continue;
            }
            first = row;
            changed = true;
        }
        if (changed) {
            stored.write(List.of(first));
        }
    }

    /** Rows of which each is ranked before the one that came before it. */
    private static final class RisingRows implements FirstRows {
        private final Comparator<RowData> order;
        private final List<RowData> rows = new ArrayList<>(2);

        RisingRows(Comparator<RowData> order) {
            this.order = order;
        }

        @Override
        public boolean takes(RowData row) {
            return rows.isEmpty() || order.compare(row, rows.get(rows.size() - 1)) < 0;
        }

        @Override
        @Nullable
        public RowData add(RowData row) {
            rows.add(row);
            return null;
        }

        @Override
        public List<RowData> rows() {
            return rows;
        }
    }
}
