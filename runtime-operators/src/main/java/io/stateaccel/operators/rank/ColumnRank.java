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
import io.stateaccel.views.ViewContext;
import io.stateaccel.views.batch.Loadable;
import io.stateaccel.views.batch.LoadableValue;
import io.stateaccel.views.batch.Loaded;
import java.util.List;
import java.util.function.ToLongFunction;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.table.data.RowData;

/**
 * Ranks up to a rank that is in a column. As in Flink, whose state this is, the first row of a
 * partition says up to which, for good; rows that say another follow it, and are counted.
 *
 * <p>Which rank it is, is not known before the state is read. So a bundle holds all rows of a
 * partition, and gives them to the strategy for its kind of input when it is finished.
 *
 * @param <B> what that strategy holds of a partition in a bundle
 * @param <V> what it has stored of a partition
 */
final class ColumnRank<B, V> extends GatheringRank<ColumnRank.Stored<V>> {

    private final ResultRanks ranks;
    private final ToLongFunction<RowData> lastRank;
    private final boolean keepsAllRows;
    private final RankStrategy<B, V> strategy;
    private final LoadableValue<Long> lastRanks;
    private final Counter others;

    /**
     * @param ranks told the last rank of each partition
     * @param strategy reads these ranks; given rows that may be kept
     */
    ColumnRank(
            MiniBatchRankSpec spec,
            ViewContext context,
            RowKeeper keeper,
            ResultRanks ranks,
            RankStrategy<B, V> strategy) {
        super(keeper);
        this.ranks = ranks;
        this.lastRank = RankEndColumn.of(spec.inputType(), spec.rankEndColumn());
        this.keepsAllRows = spec.input() == RankInput.RETRACT;
        this.strategy = strategy;
        this.lastRanks =
                LoadableValue.open(
                        context,
                        context.lifetime(spec.ttl())
                                .applyTo(new ValueStateDescriptor<>("rankEnd", Types.LONG)));
        this.others = context.runtime().getMetricGroup().counter("topn.invalidTopSize");
    }

    @Override
    public Loadable<Stored<V>> state() {
        return new Both();
    }

    @Override
    public void finish(List<RowData> partition, Loaded<Stored<V>> loaded) throws Exception {
        Stored<V> stored = loaded.value();
        ranks.endAt(stored.lastRank() == null ? begin(partition) : stored.lastRank());
        countOthers(partition);
        if (ranks.areNone() && !keepsAllRows) {
            return;
        }
        B rows = strategy.newPartition();
        for (RowData row : partition) {
            strategy.add(row, rows);
        }
        strategy.finish(rows, stored.rows());
    }

    private long begin(List<RowData> partition) throws Exception {
        long last = lastRank.applyAsLong(partition.get(0));
        lastRanks.update(last);
        return last;
    }

    private void countOthers(List<RowData> partition) {
        for (RowData row : partition) {
            if (lastRank.applyAsLong(row) != ranks.last()) {
                others.inc();
            }
        }
    }

    /**
     * What is stored of a partition.
     *
     * @param lastRank null if nothing is
     * @param rows read when they are asked for
     */
    record Stored<V>(Long lastRank, Loaded<V> rows) {}

    /** The last ranks, and the rows. */
    private final class Both implements Loadable<Stored<V>> {

        private Loaded<V> rows = strategy.state();

        @Override
        public Loaded<Stored<V>> load(List<RowData> keys) throws Exception {
            lastRanks.load(keys);
            rows = strategy.state().load(keys);
            return this;
        }

        @Override
        public Stored<V> value() throws Exception {
            return new Stored<>(lastRanks.value(), rows);
        }
    }
}
