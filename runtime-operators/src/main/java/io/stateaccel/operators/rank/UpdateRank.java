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

    private final TopN topN;
    private final RowDataKeySelector rowKeySelector;
    private final StoredTopRows stored;
    private final RankOutput output;

    UpdateRank(
            TopN topN,
            RowDataKeySelector rowKeySelector,
            RowKeeper keeper,
            StoredTopRows stored,
            RankOutput output) {
        super(keeper);
        this.topN = topN;
        this.rowKeySelector = rowKeySelector;
        this.stored = stored;
        this.output = output;
    }

    @Override
    public Loadable<List<RowData>> state() {
        return stored;
    }

    @Override
    public void finish(List<RowData> partition, Loaded<List<RowData>> loaded) throws Exception {
        List<RowData> before = loaded.value();
        RankedRows ranked = new RankedRows(topN.order(), topN.most(), before);
        Map<RowData, RowData> byKey = RankOutput.byKey(before, rowKeySelector);
        boolean changed = false;
        for (RowData row : partition) {
            row.setRowKind(RowKind.INSERT);
            changed |= rank(row, ranked, byKey);
        }
        if (changed) {
            stored.write(ranked.rows());
            output.resultOfKeysChanged(before, ranked.rows(), rowKeySelector);
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
