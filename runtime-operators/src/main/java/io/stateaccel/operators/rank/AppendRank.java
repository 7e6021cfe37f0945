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
 * Ranks insertions. Of rows that tie the first to come is ranked first.
 *
 * <p>Gives the results of Flink's {@code AppendOnlyTopNFunction}; where state expires, of one that
 * has nothing in its cache, whose rows do not, and to which the rows of a bundle come at the flush.
 * Its state has one value for all rows that tie, so each of them is as young as the last that came,
 * or that fell out.
 *
 * <p>Which rows are renewed depends on the order in which rows come, so a bundle keeps that. What
 * it need not keep is a row that as many others of the bundle are ranked before as are stored for
 * sure: those are as young, and it is never seen before they have expired. With rank numbers they
 * have to have come before it, where state expires: Flink stores rows behind the last one and
 * compares others with them, so a row that is hardly ever seen decides whether a later one is
 * stored, and what ties with that is renewed.
 */
final class AppendRank extends FirstRowsRank<List<AgedRow>> {

    private final TopN topN;
    private final StoredTopRows stored;
    private final RankOutput output;

    AppendRank(TopN topN, RowKeeper keeper, StoredTopRows stored, RankOutput output) {
        super(keeper);
        this.topN = topN;
        this.stored = stored;
        this.output = output;
    }

    @Override
    public FirstRows newPartition() {
        // With rank numbers the row behind the last may be stored, and be the first of several.
        return topN.byRank()
                ? new ArrivedRows(topN.order(), topN.most() + 1, stored.expire())
                : new ArrivedRows(topN.order(), topN.most(), false);
    }

    @Override
    public Loadable<List<AgedRow>> state() {
        return stored;
    }

    @Override
    public void finish(FirstRows partition, Loaded<List<AgedRow>> loaded) throws Exception {
        List<AgedRow> before = loaded.value();
        AgedRanking ranking = new AgedRanking(topN, before);
        long now = stored.now();
        boolean changed = false;
        for (RowData row : partition.rows()) {
            if (ranking.takes(row)) {
                take(row, now, ranking);
                changed = true;
            }
        }
        if (changed) {
            stored.write(ranking.stored());
            output.resultChanged(
                    AgedRanking.rowsOf(before), AgedRanking.rowsOf(ranking.stored()), 0);
        }
    }

    private void take(RowData row, long now, AgedRanking ranking) {
        AgedRow added = new AgedRow(row, now, 0);
        ranking.add(added);
        renewTies(added, now, ranking);
        if (topN.byRank()) {
            ranking.cutBehindTies();
        } else if (ranking.isTooLong()) {
            renewTies(ranking.removeLast(), now, ranking);
        }
    }

    /** Where nothing expires there may be many, all rows of a limit, and nobody asks. */
    private void renewTies(AgedRow row, long now, AgedRanking ranking) {
        if (stored.expire()) {
            renew(ranking.tiesWith(row.row), now);
        }
    }

    private static void renew(List<AgedRow> rows, long now) {
        for (AgedRow row : rows) {
            row.lastWrite = now;
        }
    }
}
