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
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.types.RowKind;

/**
 * A strategy for insertions, whose bundle holds the first rows of a partition only, however many
 * come: a row that N others of its bundle are before is not even copied.
 *
 * @param <S> what is stored of a partition
 */
abstract class FirstRowsRank<S> implements RankStrategy<FirstRows, S> {

    private final RowKeeper keeper;

    FirstRowsRank(RowKeeper keeper) {
        this.keeper = keeper;
    }

    @Override
    public final long add(RowData row, FirstRows partition) {
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
}
