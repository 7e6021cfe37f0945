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

import io.stateaccel.views.ViewContext;
import io.stateaccel.views.batch.Loadable;
import java.util.Comparator;
import java.util.List;
import org.apache.flink.table.data.RowData;

/** The first rows of each partition, where there may be several. */
interface StoredTopRows extends Loadable<List<AgedRow>> {

    /**
     * @param spec of a top-N that is longer than one row
     * @param order of the rows
     */
    static StoredTopRows open(
            MiniBatchRankSpec spec, Comparator<RowData> order, ViewContext context)
            throws Exception {
        return spec.storesRowsApart()
                ? RowsApart.open(spec, order, context)
                : RowsInOneValue.open(spec, order, context);
    }

    /** The state that Flink has for an input. */
    static String nameOf(RankInput input) {
        return input == RankInput.APPEND ? "data-state-with-append" : "data-state-with-update";
    }

    /** Whether rows expire. */
    boolean expire();

    /** What a write at this moment is stamped with, in milliseconds. */
    long now();

    /**
     * @return the rows of the current key that have not expired; those of insertions in their order
     */
    @Override
    List<AgedRow> value() throws Exception;

    /**
     * To be called behind {@link #value} of the same key.
     *
     * @param rows of the current key in their order, at least one of them written just now; not
     *     changed any more
     */
    void write(List<AgedRow> rows) throws Exception;
}
