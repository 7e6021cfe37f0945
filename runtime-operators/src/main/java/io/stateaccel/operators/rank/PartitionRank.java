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

import javax.annotation.Nullable;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.Collector;

/**
 * Ranks one partition at a time, that of the current key, for an operator that has the rows of a
 * key one after the other. Used by the task thread.
 *
 * @param <B> what a bundle holds of the partition
 */
public final class PartitionRank<B> {

    private final RankStrategy<B> strategy;

    /** Null as long as there are no rows. */
    @Nullable private B partition;

    private PartitionRank(RankStrategy<B> strategy) {
        this.strategy = strategy;
    }

    /**
     * @param spec what to rank and how; the partition key is not asked for
     * @param context gives the state
     * @param out takes the change of the result, rows that are used again
     */
    public static PartitionRank<?> create(
            MiniBatchRankSpec spec, RuntimeContext context, Collector<RowData> out) {
        return new PartitionRank<>(RankStrategy.create(spec, context, true, out));
    }

    /**
     * Adds a row of the current key.
     *
     * @param row copied if it is kept
     */
    public void add(RowData row) {
        if (partition == null) {
            partition = strategy.newPartition();
        }
        strategy.add(row, partition);
    }

    /** Stores and emits what the added rows change in the partition of the current key. */
    public void finish() throws Exception {
        if (partition != null) {
            B finished = partition;
            partition = null;
            strategy.finish(finished);
        }
    }
}
