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

import io.stateaccel.views.join.LiveRows;
import io.stateaccel.views.join.fold.ChangeFold;
import io.stateaccel.views.join.hotkeys.HotKey;
import io.stateaccel.views.join.log.RowLog;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.types.RowKind;

/**
 * Changes are appended blind, retractions as tombstones; reading folds them into the live rows.
 *
 * <p>What is stored stays within about twice the live rows: a read that finds more garbage than
 * live rows writes those back, and {@link KeySketch} tells {@link #apply} when a key that the other
 * side never reads is due. A compaction to n rows is paid for by at least n changes, so a change
 * costs amortised constant time.
 */
class FoldedListView extends ListView {

    /** Changes of no more use that a key may always hold. */
    static final int TOLERATED_GARBAGE = 32;

    private final ChangeFold fold;
    private final int arity;
    private final KeySketch garbage = new KeySketch(TOLERATED_GARBAGE);

    /**
     * @param arity columns of a row
     */
    FoldedListView(RowLog changes, ChangeFold fold, int arity) {
        super(changes);
        this.fold = fold;
        this.arity = arity;
    }

    @Override
    int normalise(List<RowData> changes) {
        int useless = 0;
        for (RowData change : changes) {
            useless += fold.garbageOf(change);
            change.setRowKind(
                    RowDataUtil.isAccumulateMsg(change) ? RowKind.INSERT : RowKind.DELETE);
        }
        return useless;
    }

    @Override
    boolean garbageIsDue(RowData joinKey, int useless) {
        return garbage.add(joinKey, useless);
    }

    @Override
    List<RowData> compact(RowData joinKey, List<RowData> stored, boolean due) throws Exception {
        List<RowData> live = fold.fold(stored);
        int useless = stored.size() - live.size();
        int allowed = Math.max(live.size(), TOLERATED_GARBAGE);
        if (useless > (due ? 0 : allowed)) {
            log.replace(RowLog.FIRST, live);
            useless = 0;
        }
        if (due) {
            garbage.allow(joinKey, allowed - useless);
        }
        return live;
    }

    @Override
    LiveRows ordinary(List<RowData> live) {
        return new FoldedRows(live);
    }

    @Override
    HotKey loadHot(RowData marker, List<RowData> misplaced) throws Exception {
        return HotKey.loadFolded(log, fold, arity, marker, misplaced);
    }

    @Override
    HotKey makeHot(List<RowData> live) throws Exception {
        return HotKey.folded(log, fold, arity, live);
    }

    private final class FoldedRows implements LiveRows {
        private final List<RowData> live;

        FoldedRows(List<RowData> live) {
            this.live = live;
        }

        @Override
        public Cursor open() {
            return new OneChunk(live);
        }

        @Override
        public LiveRows without(List<RowData> changes) throws Exception {
            return changes.isEmpty() ? this : new FoldedRows(fold.without(live, changes));
        }
    }
}
