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
 * Ranks insertions as {@link AppendRank} does, where state expires.
 *
 * <p>Gives the results of Flink's {@code AppendOnlyTopNFunction} when it has nothing in its cache,
 * whose rows do not expire, and when the rows of a bundle come to it at the flush. Its state has
 * one value for all rows that tie, so each of them is as young as the last that came, or that fell
 * out.
 *
 * <p>Which rows are renewed depends on the order in which rows come, so a bundle keeps that. What
 * it need not keep is a row that as many others of the bundle are ranked before as are stored for
 * sure: those are as young, and it is never seen before they have expired, and neither is what its
 * coming has done.
 */
final class ExpiringAppendRank implements RankStrategy<ArrivedRows, List<AgedRow>> {

    private final Comparator<RowData> order;
    private final int most;
    private final RowKeeper keeper;
    private final AgedTopRows stored;
    private final boolean byRank;
    private final RankOutput output;

    /**
     * @param byRank whether the result is one row per rank, and not a number of rows
     */
    ExpiringAppendRank(
            Comparator<RowData> order,
            int most,
            RowKeeper keeper,
            AgedTopRows stored,
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
    public ArrivedRows newPartition() {
        // With rank numbers the row behind the last may be stored, and be the first of several.
        return new ArrivedRows(order, byRank ? most + 1 : most);
    }

    @Override
    public long add(RowData row, ArrivedRows partition) {
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
    public Loadable<List<AgedRow>> state() {
        return stored;
    }

    @Override
    public void finish(ArrivedRows partition, Loaded<List<AgedRow>> loaded) throws Exception {
        List<AgedRow> before = loaded.value();
        AgedRanking ranking = new AgedRanking(order, most, before);
        long now = stored.now();
        boolean changed = false;
        for (RowData row : partition.rows()) {
            if (ranking.takes(row)) {
                take(row, now, ranking);
                changed = true;
            }
        }
        if (!changed) {
            return;
        }
        stored.write(ranking.stored());
        List<RowData> rowsBefore = AgedRanking.rowsOf(before);
        List<RowData> rowsAfter = AgedRanking.rowsOf(ranking.stored());
        if (byRank) {
            output.ranksChanged(rowsBefore, rowsAfter, 0);
        } else {
            output.rowsChanged(rowsBefore, rowsAfter);
        }
    }

    private void take(RowData row, long now, AgedRanking ranking) {
        renew(ranking.add(new AgedRow(row, now, 0)), now);
        if (byRank) {
            ranking.cutBehindTies();
        } else if (ranking.isTooLong()) {
            renew(ranking.tiesWith(ranking.removeLast().row), now);
        }
    }

    private static void renew(List<AgedRow> rows, long now) {
        for (AgedRow row : rows) {
            row.lastWrite = now;
        }
    }
}
