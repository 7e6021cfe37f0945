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
import java.util.SortedMap;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.types.RowKind;

/**
 * Ranks all kinds of changes as {@link RetractRank} does, where state expires.
 *
 * <p>The number of rows by sort key is renewed by every change of the partition, and the rows of a
 * sort key by its own changes only, so rows expire that still count. From then on what the result
 * is depends on the changes before: Flink counts such rows until it meets them behind a row that
 * changes. So the changes of a bundle are applied one by one, as Flink's {@code
 * RetractableTopNFunction} would if they came at the flush. States are read and written once per
 * bundle, and what is emitted is folded. Where Flink fails because it finds fewer rows than it has
 * counted, nothing is emitted.
 *
 * <p>Beside the changes, the heap holds the rows of the sort keys that change and of those behind
 * them up to rank N, or as many bytes of them as a bundle may have and those of one sort key.
 */
final class ExpiringRetractRank extends GatheringRank<SortedMap<RowData, Long>> {

    private final RetractState state;
    private final RankChanges changes;
    private final CountedRows rows;
    private final ResultMoves moves;

    ExpiringRetractRank(
            MiniBatchRankSpec spec, RetractState state, RowKeeper keeper, RankOutput output) {
        super(keeper);
        this.state = state;
        this.changes = new RankChanges(spec, output);
        this.rows = new CountedRows(state, spec.bundle().maxBytes().getBytes());
        this.moves =
                spec.isByRank()
                        ? new RankShifts(rows, spec.rankEnd(), changes)
                        : new RowSwaps(rows, spec.rankEnd(), changes);
    }

    @Override
    public Loadable<SortedMap<RowData, Long>> state() {
        return state.counts();
    }

    @Override
    public void finish(List<RowData> partition, Loaded<SortedMap<RowData, Long>> loaded)
            throws Exception {
        rows.begin(state.countsOf(loaded));
        for (RowData row : partition) {
            boolean accumulate = RowDataUtil.isAccumulateMsg(row);
            row.setRowKind(RowKind.INSERT);
            if (accumulate) {
                add(row, state.sortKeyOf(row));
            } else {
                retract(row, state.sortKeyOf(row));
            }
            rows.writeIfMany();
        }
        rows.write();
        changes.emit();
    }

    private void add(RowData row, RowData sortKey) throws Exception {
        rows.countOneMore(sortKey);
        moves.forAdded(row, sortKey);
        rows.add(sortKey, row);
    }

    private void retract(RowData row, RowData sortKey) throws Exception {
        boolean removed = moves.forRetracted(row, sortKey);
        rows.countOneLess(sortKey);
        if (!removed) {
            rows.remove(sortKey, row);
        }
    }
}
