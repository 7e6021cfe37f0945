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

/** A row of a top-N. */
final class AgedRow {

    final RowData row;

    /**
     * When it was last written, in milliseconds of the operator's clock; without meaning where
     * state does not expire.
     */
    long lastWrite;

    /**
     * Which one it was of the rows that tie with it, from 1 on; 0 where nobody asks, or all places
     * are as in the list.
     */
    int place;

    AgedRow(RowData row, long lastWrite, int place) {
        this.row = row;
        this.lastWrite = lastWrite;
        this.place = place;
    }
}
