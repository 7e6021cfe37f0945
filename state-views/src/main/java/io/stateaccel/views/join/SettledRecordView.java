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
package io.stateaccel.views.join;

import io.stateaccel.views.join.log.SettledRows;
import java.util.BitSet;
import java.util.List;
import org.apache.flink.table.data.RowData;

/**
 * Insert-only rows of which it is kept whether they are settled, which a row stays that has become
 * so: an outer join settles a row when it first has a match. What is settled is appended, as rows
 * are.
 */
public interface SettledRecordView extends MergedRecordView {

    /**
     * Goes through the rows of the current key, chunk by chunk.
     *
     * @param joinKey the current key; the view may keep it
     */
    void visit(RowData joinKey, Visitor visitor) throws Exception;

    /**
     * Appends rows, as {@link MergedRecordView} says, each settled if {@link SettledRows#isSettled}
     * says so.
     */
    @Override
    void apply(RowData joinKey, List<RowData> changes) throws Exception;

    /** Sees the rows of a chunk. */
    @FunctionalInterface
    interface Visitor {

        /**
         * @param rows not changed, and used during the call only
         * @param settled which of them are; others may be added
         */
        void visit(List<RowData> rows, BitSet settled) throws Exception;
    }
}
