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
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.types.RowKind;

/**
 * Ranks upserts that never fall behind. As none does, a row that is not among the first need not be
 * stored.
 *
 * <p>Gives the results of Flink's {@code UpdatableTopNFunction}: a row that ties with the one it
 * replaces keeps its rank, any other is ranked behind those that it ties with.
 *
 * <p>Where state expires these are the results of one that has nothing in its cache, whose rows do
 * not, and to which the rows of a bundle come at the flush. Its state has a value for each row,
 * with the place among those that tie: a row is renewed when it comes, and when one that it tied
 * with has left and its place is another now. Where rows have expired, Flink may give one place to
 * two rows, and then loses one of them; here they are ranked as they came. An upsert may fall
 * behind there: where the group that it comes from has expired upstream, and has begun anew. As in
 * Flink it is ranked where it belongs now.
 */
final class UpdateRank extends GatheringRank<List<AgedRow>> {

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
    public Loadable<List<AgedRow>> state() {
        return stored;
    }

    @Override
    public void finish(List<RowData> partition, Loaded<List<AgedRow>> loaded) throws Exception {
        List<AgedRow> before = AgedRanking.inPlace(loaded.value(), topN.order());
        Partition after = new Partition(before, stored.now());
        boolean changed = false;
        for (RowData row : partition) {
            row.setRowKind(RowKind.INSERT);
            changed |= after.upsert(row);
        }
        if (changed) {
            stored.write(after.ranking.stored());
            for (RowData guest : after.guests.values()) {
                output.cameAndWent(guest);
            }
            output.resultOfKeysChanged(
                    AgedRanking.rowsOf(before),
                    AgedRanking.rowsOf(after.ranking.stored()),
                    rowKeySelector);
        }
    }

    /** What Flink would have of a partition on the heap. */
    private final class Partition {

        final AgedRanking ranking;

        private final Map<RowData, AgedRow> byKey = new HashMap<>();

        /** By key, rows that came and went; those there were before are told to be gone anyway. */
        private final Map<RowData, RowData> guests = new LinkedHashMap<>();

        private final Set<RowData> keysBefore;
        private final long now;

        Partition(List<AgedRow> rows, long now) throws Exception {
            this.ranking = new AgedRanking(topN, rows);
            this.now = now;
            for (AgedRow row : rows) {
                byKey.put(rowKeySelector.getKey(row.row), row);
            }
            this.keysBefore = output.tellsOfGuests() ? Set.copyOf(byKey.keySet()) : Set.of();
        }

        /**
         * @return whether anything has changed
         */
        boolean upsert(RowData row) throws Exception {
            RowData key = rowKeySelector.getKey(row);
            AgedRow previous = byKey.get(key);
            if (previous == null && !ranking.takes(row)) {
                return false;
            }
            AgedRow written = new AgedRow(row, now, 0);
            byKey.put(key, written);
            if (!guests.isEmpty()) {
                guests.remove(key);
            }
            if (previous == null) {
                add(written);
            } else if (topN.order().compare(previous.row, row) == 0) {
                replace(previous, written);
            } else {
                move(previous, written);
            }
            return true;
        }

        private void add(AgedRow row) throws Exception {
            place(row);
            if (topN.byRank()) {
                forget(ranking.cutBehindTies());
            } else if (ranking.isTooLong()) {
                forget(List.of(ranking.removeLast()));
            }
        }

        private void place(AgedRow row) {
            ranking.add(row);
            row.place = ranking.tiesWith(row.row).size();
        }

        private void replace(AgedRow previous, AgedRow row) {
            row.place =
                    topN.byRank()
                            ? ranking.tiesWith(previous.row).indexOf(previous) + 1
                            : previous.place;
            ranking.set(previous, row);
        }

        private void move(AgedRow previous, AgedRow row) throws Exception {
            boolean rises = topN.order().compare(row.row, previous.row) < 0;
            ranking.remove(previous);
            place(row);
            List<AgedRow> left = ranking.tiesWith(previous.row);
            for (int i = 0; i < left.size(); i++) {
                AgedRow other = left.get(i);
                if (other.place != i + 1) {
                    other.place = i + 1;
                    other.lastWrite = now;
                }
            }
            if (topN.byRank() && rises) {
                forget(ranking.cutBehindTies());
            }
        }

        private void forget(List<AgedRow> dropped) throws Exception {
            for (AgedRow row : dropped) {
                RowData key = rowKeySelector.getKey(row.row);
                byKey.remove(key);
                if (output.tellsOfGuests() && !keysBefore.contains(key)) {
                    guests.put(key, row.row);
                }
            }
        }
    }
}
