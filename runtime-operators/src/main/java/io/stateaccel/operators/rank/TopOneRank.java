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
import org.apache.flink.table.data.RowData;

/**
 * Ranks insertions, or upserts whose key does not matter, of which only the first is wanted.
 *
 * <p>Gives the results of Flink's {@code FastTop1Function}. Of rows that tie the first to come is
 * ranked first.
 */
final class TopOneRank extends FirstRowsRank<List<RowData>> {

    private final TopN topN;
    private final StoredTopRow stored;
    private final RankOutput output;

    TopOneRank(TopN topN, RowKeeper keeper, StoredTopRow stored, RankOutput output) {
        super(keeper);
        this.topN = topN;
        this.stored = stored;
        this.output = output;
    }

    @Override
    public FirstRows newPartition() {
        return new RankedRows(topN.order(), topN.most());
    }

    @Override
    public Loadable<List<RowData>> state() {
        return stored;
    }

    @Override
    public void finish(FirstRows partition, Loaded<List<RowData>> loaded) throws Exception {
        List<RowData> before = loaded.value();
        RankedRows merged = new RankedRows(topN.order(), topN.most(), before);
        boolean changed = false;
        for (RowData row : partition.rows()) {
            if (!merged.takes(row)) {
                // Neither are those behind it.
                break;
            }
            merged.add(row);
            changed = true;
        }
        if (changed) {
            stored.write(merged.rows());
            output.resultChanged(before, merged.rows(), 0);
        }
    }
}
