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
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.table.data.RowData;

/**
 * The first rows that come, of which only the number is stored. A bundle keeps no more of them than
 * the result has.
 *
 * <p>Gives the results of Flink's {@code AppendOnlyFirstNFunction}, whose state it has.
 */
final class ArrivalRank extends FirstRowsRank<Integer> {

    private final ResultRanks ranks;
    private final LoadableValue<Integer> count;
    private final RankOutput output;

    ArrivalRank(
            MiniBatchRankSpec spec,
            ResultRanks ranks,
            ViewContext context,
            RowKeeper keeper,
            RankOutput output) {
        super(keeper);
        this.ranks = ranks;
        this.count =
                LoadableValue.open(
                        context,
                        context.lifetime(spec.ttl())
                                .applyTo(new ValueStateDescriptor<>("counterState", Types.INT)));
        this.output = output;
    }

    @Override
    public FirstRows newPartition() {
        return new RankedRows((one, other) -> 0, ranks.most());
    }

    @Override
    public Loadable<Integer> state() {
        return count;
    }

    @Override
    public void finish(FirstRows partition, Loaded<Integer> loaded) throws Exception {
        Integer stored = loaded.value();
        int rank = stored == null ? 0 : stored;
        int most = ranks.most();
        if (rank >= most) {
            return;
        }
        for (RowData row : partition.rows()) {
            if (rank == most) {
                break;
            }
            rank++;
            if (rank >= ranks.first()) {
                output.inserted(row, rank);
            }
        }
        count.update(rank);
    }
}
