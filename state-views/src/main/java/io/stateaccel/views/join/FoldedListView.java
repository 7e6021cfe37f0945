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
package io.stateaccel.views.join;

import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.types.RowKind;

/**
 * Changes are appended blind, retractions as tombstones; reading folds them into the live rows.
 *
 * <p>What is stored stays within about twice the live rows: a read that finds more garbage than
 * live rows writes those back, and {@link GarbageSketch} tells {@link #apply} when a key that the
 * other side never reads is due. A compaction to n rows is paid for by at least n changes, so a
 * change costs amortised constant time.
 */
final class FoldedListView implements MergedRecordView {

    private final RowLog changes;
    private final ChangeFold fold;
    private final GarbageSketch garbage = new GarbageSketch();

    FoldedListView(RowLog changes, ChangeFold fold) {
        this.changes = changes;
        this.fold = fold;
    }

    @Override
    public List<RowData> records() throws Exception {
        List<RowData> stored = changes.read();
        List<RowData> live = fold.fold(stored);
        if (stored.size() - live.size() > Math.max(live.size(), GarbageSketch.TOLERATED)) {
            changes.retain(live);
        }
        return live;
    }

    @Override
    public List<RowData> after(List<RowData> records, List<RowData> changes) throws Exception {
        return changes.isEmpty() ? records : fold.fold(AppendedListView.concat(records, changes));
    }

    @Override
    public void apply(RowData joinKey, List<RowData> bundle) throws Exception {
        int garbageAdded = 0;
        for (RowData change : bundle) {
            garbageAdded += fold.garbageOf(change);
            change.setRowKind(
                    RowDataUtil.isAccumulateMsg(change) ? RowKind.INSERT : RowKind.DELETE);
        }
        changes.append(bundle);
        if (garbageAdded > 0 && garbage.add(joinKey, garbageAdded)) {
            List<RowData> live = fold.fold(changes.read());
            changes.retain(live);
            garbage.compacted(joinKey, live.size());
        }
    }
}
