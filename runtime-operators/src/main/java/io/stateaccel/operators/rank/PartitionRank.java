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

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.views.ViewContext;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.Collector;

/**
 * Ranks one partition at a time, that of the current key, for an operator that has the rows of a
 * key one after the other. However many rows there are of a key, no more of them are held than a
 * bundle may have, nor more of their bytes: what is there is then worked off as a bundle of its
 * own, so that the result may be seen as it was in between. Used by the task thread.
 *
 * @param <B> what a bundle holds of the partition
 * @param <V> what the state holds of the partition
 */
public final class PartitionRank<B, V> {

    private final RankStrategy<B, V> strategy;
    private final BundleSettings most;

    private long rows;
    private long bytes;

    /** Null as long as there are no rows. */
    @Nullable private B partition;

    /**
     * @param most what may be held of a partition, but for the first N of insertions, which are
     *     stored as well
     */
    private PartitionRank(RankStrategy<B, V> strategy, BundleSettings most) {
        this.strategy = strategy;
        this.most = most;
    }

    /**
     * @param spec what to rank and how; the partition key is not asked for
     * @param context where the state is kept
     * @param out takes the change of the result, rows that are used again
     */
    public static PartitionRank<?, ?> create(
            MiniBatchRankSpec spec, ViewContext context, Collector<RowData> out) throws Exception {
        return new PartitionRank<>(RankStrategy.create(spec, context, true, out), spec.bundle());
    }

    /**
     * Adds a row of the current key.
     *
     * @param row copied if it is kept
     */
    public void add(RowData row) throws Exception {
        if (partition == null) {
            partition = strategy.newPartition();
        }
        bytes += strategy.add(row, partition);
        rows++;
        if (!strategy.holdsFirstRowsOnly()
                && (rows >= most.size() || bytes > most.maxBytes().getBytes())) {
            finish();
        }
    }

    /** Stores and emits what is left to do of the current key; called before there is another. */
    public void finish() throws Exception {
        if (partition != null) {
            B finished = partition;
            partition = null;
            rows = 0;
            bytes = 0;
            strategy.finish(finished, strategy.state());
        }
    }
}
