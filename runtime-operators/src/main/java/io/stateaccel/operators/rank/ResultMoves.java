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
 * What one change of the current partition moves in the result, as Flink's {@code
 * RetractableTopNFunction} finds it. Of a sort key whose rows are met and have expired, nothing
 * counts any more.
 */
interface ResultMoves {

    /**
     * A row comes.
     *
     * @param row is counted, and not among the rows yet
     */
    void forAdded(RowData row, RowData sortKey) throws Exception;

    /**
     * A row goes.
     *
     * @param row is counted
     * @return whether it was found, and is removed from the rows
     */
    boolean forRetracted(RowData row, RowData sortKey) throws Exception;
}
