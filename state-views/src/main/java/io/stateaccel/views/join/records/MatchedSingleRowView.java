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
package io.stateaccel.views.join.records;

import io.stateaccel.views.batch.LoadableValue;
import io.stateaccel.views.join.Changes;
import io.stateaccel.views.join.LiveRows;
import io.stateaccel.views.join.LoadedRecords;
import io.stateaccel.views.join.RenewingRecordView;
import java.util.Collections;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.table.data.RowData;

/**
 * At most one row per join key, and the number of its matches. The layout is that of stock Flink's
 * join for the same input.
 */
final class MatchedSingleRowView implements RenewingRecordView {

    private final LoadableValue<Tuple2<RowData, Integer>> row;

    /** What the current key's row is to be stored as; null as it is. */
    @Nullable private Tuple2<RowData, Integer> recounted;

    MatchedSingleRowView(LoadableValue<Tuple2<RowData, Integer>> row) {
        this.row = row;
    }

    @Override
    public LoadedRecords load(List<RowData> joinKeys) throws Exception {
        row.load(joinKeys);
        return this;
    }

    @Override
    public LiveRows records(RowData joinKey) throws Exception {
        Tuple2<RowData, Integer> live = row.value();
        return live == null ? LiveRows.NONE : new SingleRow(Collections.singletonList(live.f0));
    }

    @Override
    public boolean keepsMatches() {
        return true;
    }

    @Override
    public boolean isReadToStore(RowData joinKey) {
        return false;
    }

    @Override
    public void recount(RowData joinKey, List<List<RowData>> gone, Recount recount)
            throws Exception {
        Tuple2<RowData, Integer> live = row.value();
        if (live == null || !gone.isEmpty()) {
            return;
        }
        int matches = recount.matches(live.f0, 1, live.f1);
        if (matches != UNTOUCHED) {
            recounted = Tuple2.of(live.f0, matches);
        }
    }

    @Override
    public void store(RowData joinKey, SideUpdate update) throws Exception {
        int additions = update.additions().size();
        if (additions > 0) {
            row.update(
                    Tuple2.of(
                            Changes.asInsert(update.additions().get(additions - 1)),
                            update.matches()[additions - 1]));
        } else if (!update.retractions().isEmpty()) {
            row.clear();
        } else if (recounted != null) {
            row.update(recounted);
        }
        recounted = null;
    }
}
