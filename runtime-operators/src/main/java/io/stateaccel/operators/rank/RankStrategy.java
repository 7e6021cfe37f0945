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

import io.stateaccel.flink.operator.KeySelectors;
import io.stateaccel.operators.bundle.RowKeeper;
import io.stateaccel.views.ViewContext;
import io.stateaccel.views.batch.Loadable;
import io.stateaccel.views.batch.Loaded;
import java.util.Comparator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.Collector;

/**
 * How a kind of input is ranked.
 *
 * @param <B> what a bundle holds of a partition
 * @param <V> what the state holds of a partition, as far as {@link #finish} reads it first
 */
interface RankStrategy<B, V> {

    /** What a bundle holds of a partition without rows. */
    B newPartition();

    /**
     * Adds a row to the bundle.
     *
     * @param row may be reused by whoever sent it
     * @return the bytes of heap by which the partition has grown
     */
    long add(RowData row, B partition);

    /** Whether a partition has no more rows than the top-N, however many are added. */
    default boolean holdsFirstRowsOnly() {
        return false;
    }

    /**
     * Stores and emits what the rows of the current key change.
     *
     * @param partition not used afterwards
     * @param loaded has what is in {@link #state}
     */
    void finish(B partition, Loaded<V> loaded) throws Exception;

    /** What {@link #finish} reads first. */
    Loadable<V> state();

    /**
     * The strategy for a top-N.
     *
     * @param context where the state is kept
     * @param copyRows whether rows that are added may be reused by whoever sent them
     * @param out takes the change of the result, rows that are used again
     */
    static RankStrategy<?, ?> create(
            MiniBatchRankSpec spec, ViewContext context, boolean copyRows, Collector<RowData> out)
            throws Exception {
        ResultRanks ranks = new ResultRanks(spec.rankStart(), spec.rankEnd());
        if (spec.rankEndColumn() == null) {
            RowKeeper keeper = new RowKeeper(spec.inputType(), copyRows);
            return of(spec, ranks, context, keeper, out);
        }
        // Its rows are kept already when it gets them.
        RowKeeper keptAlready = new RowKeeper(spec.inputType(), false);
        return upToColumn(
                spec,
                ranks,
                context,
                new RowKeeper(spec.inputType(), copyRows),
                of(spec, ranks, context, keptAlready, out));
    }

    private static <B, V> RankStrategy<?, ?> upToColumn(
            MiniBatchRankSpec spec,
            ResultRanks ranks,
            ViewContext context,
            RowKeeper keeper,
            RankStrategy<B, V> strategy) {
        return new ColumnRank<>(spec, context, keeper, ranks, strategy);
    }

    private static RankStrategy<?, ?> of(
            MiniBatchRankSpec spec,
            ResultRanks ranks,
            ViewContext context,
            RowKeeper keeper,
            Collector<RowData> out)
            throws Exception {
        ClassLoader userCode = context.runtime().getUserCodeClassLoader();
        RankOutput output = new RankOutput(spec, ranks, out);
        if (spec.input() == RankInput.RETRACT) {
            Comparator<RowData> sortKeyOrder =
                    spec.sortKeyComparator().getGeneratedRecordComparator().newInstance(userCode);
            RetractState state = new RetractState(spec, context, sortKeyOrder);
            return spec.ttl().isForever()
                    ? new RetractRank(state, ranks, keeper, output)
                    : new ExpiringRetractRank(spec, state, keeper, output);
        }
        if (spec.input() == RankInput.ARRIVAL) {
            return new ArrivalRank(spec, ranks, context, keeper, output);
        }
        TopN topN = new TopN(spec.rowComparator().newInstance(userCode), ranks, spec.isByRank());
        if (spec.isTopOne()) {
            // Flink's top-1 of upserts does not look at their key.
            StoredTopRow stored = StoredTopRow.open(spec, context);
            return spec.neverTakesBack()
                    ? new EachFirstRank(topN.order(), keeper, stored, output)
                    : new TopOneRank(topN, keeper, stored, output);
        }
        StoredTopRows stored = StoredTopRows.open(spec, topN.order(), context);
        return spec.input() == RankInput.APPEND
                ? new AppendRank(topN, keeper, stored, output)
                : new UpdateRank(
                        topN, KeySelectors.copy(spec.rowKeySelector()), keeper, stored, output);
    }
}
