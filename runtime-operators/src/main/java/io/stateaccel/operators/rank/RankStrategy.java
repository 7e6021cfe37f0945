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

import org.apache.flink.table.data.RowData;

/**
 * How a kind of input is ranked.
 *
 * @param <B> what a bundle holds of a partition
 */
interface RankStrategy<B> {

    /** What a bundle holds of a partition without rows. */
    B newPartition();

    /**
     * Adds a row to the bundle.
     *
     * @param row may be reused by whoever sent it
     */
    void add(RowData row, B partition);

    /**
     * Stores and emits what the rows of the current key change.
     *
     * @param partition not used afterwards
     */
    void finish(B partition) throws Exception;
}
