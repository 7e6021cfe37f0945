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
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.types.RowKind;

/**
 * Ranks upserts that never fall behind. As none does, a row that is not among the first N need not
 * be stored.
 *
 * <p>Gives the results of Flink's {@code UpdatableTopNFunction}: a row that ties with the one it
 * replaces keeps its rank, any other is ranked behind those that it ties with.
 */
final class UpdateRank extends GatheringRank<List<RowData>> {

    private final Comparator<RowData> order;
    private final int most;
    private final RowDataKeySelector rowKeySelector;
    private final StoredTopRows stored;
    private final boolean byRank;
    private final RankOutput output;

    /**
     * @param byRank whether the result is one row per rank, and not rows by their key
     */
    UpdateRank(
            Comparator<RowData> order,
            int most,
            RowDataKeySelector rowKeySelector,
            RowKeeper keeper,
            StoredTopRows stored,
            boolean byRank,
            RankOutput output) {
        super(keeper);
        this.order = order;
        this.most = most;
        this.rowKeySelector = rowKeySelector;
        this.stored = stored;
        this.byRank = byRank;
        this.output = output;
    }

    @Override
    public Loadable<List<RowData>> state() {
        return stored;
    }

    @Override
    public void finish(List<RowData> partition, Loaded<List<RowData>> loaded) throws Exception {
        List<RowData> before = loaded.value();
        RankedRows ranked = new RankedRows(order, most, before);
        Map<RowData, RowData> byKey = RankOutput.byKey(before, rowKeySelector);
        boolean changed = false;
        for (RowData row : partition) {
            row.setRowKind(RowKind.INSERT);
            changed |= rank(row, ranked, byKey);
        }
        if (!changed) {
            return;
        }
        List<RowData> after = ranked.rows();
        stored.write(after);
        if (byRank) {
            output.ranksOfKeysChanged(before, after, rowKeySelector);
        } else {
            output.keyedRowsChanged(
                    RankOutput.byKey(before, rowKeySelector),
                    RankOutput.byKey(after, rowKeySelector));
        }
    }

    /**
     * @return whether anything has changed
     */
    private boolean rank(RowData row, RankedRows ranked, Map<RowData, RowData> byKey)
            throws Exception {
        RowData key = rowKeySelector.getKey(row);
        RowData previous = byKey.get(key);
        if (previous != null) {
            ranked.replace(previous, row);
            byKey.put(key, row);
            return true;
        }
        if (!ranked.takes(row)) {
            return false;
        }
        byKey.put(key, row);
        RowData fallen = ranked.add(row);
        if (fallen != null) {
            byKey.remove(rowKeySelector.getKey(fallen));
        }
        return true;
    }
}
