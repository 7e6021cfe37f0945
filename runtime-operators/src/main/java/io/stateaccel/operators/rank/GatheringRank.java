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
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;

/**
 * A strategy whose bundle holds all rows of a partition, in the order in which they came.
 *
 * @param <S> what is stored of a partition
 */
abstract class GatheringRank<S> implements RankStrategy<List<RowData>, S> {

    private final RowKeeper keeper;

    GatheringRank(RowKeeper keeper) {
        this.keeper = keeper;
    }

    @Override
    public final List<RowData> newPartition() {
        return new ArrayList<>(2);
    }

    @Override
    public final long add(RowData row, List<RowData> partition) {
        BinaryRowData kept = keeper.keep(row);
        partition.add(kept);
        return HeapBytes.ofRow(kept);
    }
}
