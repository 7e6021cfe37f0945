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

import io.stateaccel.operators.bundle.HeapBytes;
import io.stateaccel.operators.bundle.RowKeeper;
import io.stateaccel.views.batch.Loadable;
import io.stateaccel.views.batch.Loaded;
import java.util.Comparator;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.types.RowKind;

/**
 * Ranks insertions. A bundle keeps the first rows of each partition only, however many come: a row
 * that N others of its bundle are before is not even copied.
 *
 * <p>Gives the results of Flink's {@code AppendOnlyTopNFunction} and {@code FastTop1Function}. Of
 * rows that tie the first to come is ranked first.
 */
final class AppendRank implements RankStrategy<RankedRows, List<RowData>> {

    private final Comparator<RowData> order;
    private final int most;
    private final RowKeeper keeper;
    private final StoredTopRows stored;
    private final boolean byRank;
    private final RankOutput output;

    /**
     * @param byRank whether the result is one row per rank, and not a number of rows
     */
    AppendRank(
            Comparator<RowData> order,
            int most,
            RowKeeper keeper,
            StoredTopRows stored,
            boolean byRank,
            RankOutput output) {
        this.order = order;
        this.most = most;
        this.keeper = keeper;
        this.stored = stored;
        this.byRank = byRank;
        this.output = output;
    }

    @Override
    public RankedRows newPartition() {
        return new RankedRows(order, most);
    }

    @Override
    public long add(RowData row, RankedRows partition) {
        if (!partition.takes(row)) {
            return 0;
        }
        BinaryRowData kept = keeper.keep(row);
        kept.setRowKind(RowKind.INSERT);
        RowData fallen = partition.add(kept);
        return HeapBytes.ofRow(kept)
                - (fallen == null ? 0 : HeapBytes.ofRow((BinaryRowData) fallen));
    }

    @Override
    public boolean holdsFirstRowsOnly() {
        return true;
    }

    @Override
    public Loadable<List<RowData>> state() {
        return stored;
    }

    @Override
    public void finish(RankedRows partition, Loaded<List<RowData>> loaded) throws Exception {
        List<RowData> before = loaded.value();
        RankedRows merged = new RankedRows(order, most, before);
        boolean changed = false;
        for (RowData row : partition.rows()) {
            if (!merged.takes(row)) {
                // Neither are those behind it.
                break;
            }
            merged.add(row);
            changed = true;
        }
        if (!changed) {
            return;
        }
        List<RowData> after = merged.rows();
        stored.write(after);
        if (byRank) {
            output.ranksChanged(before, after, 0);
        } else {
            output.rowsChanged(before, after);
        }
    }
}
