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

import io.stateaccel.views.join.Changes;
import io.stateaccel.views.join.LiveRows;
import io.stateaccel.views.join.LoadedRecords;
import io.stateaccel.views.join.RenewingRecordView;
import io.stateaccel.views.join.fold.RenewedRows;
import io.stateaccel.views.join.hotkeys.HotKey;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;

/**
 * Rows without a unique key that expire: a {@link ListView} in the layout that it has anyway, of
 * which all equal rows live as long as the youngest. That takes a read before each append, but for
 * rows of which {@link KnownRows} says that there is none like them.
 */
final class RenewedListView implements RenewingRecordView {

    private final ListView rows;
    @Nullable private final KnownRows known;

    /**
     * @param rows stored one by one, each to expire by itself
     * @param insertOnly whether nothing is retracted
     */
    RenewedListView(ListView rows, boolean insertOnly) {
        this.rows = rows;
        this.known = insertOnly ? new KnownRows() : null;
    }

    @Override
    public LoadedRecords load(List<RowData> joinKeys) throws Exception {
        return rows.load(joinKeys);
    }

    @Override
    public LiveRows records(RowData joinKey) throws Exception {
        return rows.records(joinKey);
    }

    @Override
    public boolean keepsMatches() {
        return false;
    }

    @Override
    public boolean isReadToStore(RowData joinKey) {
        return known == null || !known.isKnown(joinKey);
    }

    @Override
    public void recount(RowData joinKey, List<List<RowData>> gone, Recount recount) {
        throw new UnsupportedOperationException("Rows without matches");
    }

    @Override
    public void store(RowData joinKey, SideUpdate update) throws Exception {
        if (update.isEmpty()) {
            return;
        }
        List<RowData> changes = new ArrayList<>(update.retractions());
        changes.addAll(update.additions());
        int garbage = rows.normalise(changes);
        List<RowData> renewals = new ArrayList<>(update.renewals().size());
        update.renewals().forEach(row -> renewals.add(Changes.asInsert(row)));
        if (known != null && known.addNew(joinKey, changes)) {
            rows.append(joinKey, changes, garbage);
            return;
        }
        HotKey hot = rows.lookOnce(joinKey);
        KnownRows.Learning learning =
                known == null || known.isKnown(joinKey) ? null : known.learn(joinKey);
        if (hot != null) {
            boolean all =
                    hot.appendRenewing(
                            changes, renewals, learning == null ? before -> {} : learning::add);
            if (learning != null && all) {
                learning.add(changes);
                learning.finish();
            }
            return;
        }
        List<RowData> live = rows.lookedAt();
        boolean renewsNone = live.isEmpty();
        if (learning != null) {
            learning.add(live);
            renewsNone |= learning.addNew(changes);
            learning.finish();
        }
        List<RowData> renewed =
                renewsNone ? null : RenewedRows.of(rows.log, live, changes, renewals, false);
        if (renewed != null) {
            rows.replace(joinKey, renewed);
        } else if (!changes.isEmpty()) {
            rows.append(joinKey, changes, garbage);
        }
    }
}
