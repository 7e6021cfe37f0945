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

import java.util.List;
import org.apache.flink.table.data.RowData;

/**
 * The live rows of one join side under one key, all of {@code RowKind.INSERT}, equal rows as often
 * as they are live, in no particular order.
 *
 * <p>Read chunk by chunk, as a hot key's rows need not fit the heap: every {@link #open} of such a
 * key reads its state anew, one chunk at a time. The rows of any other key are one chunk, read
 * once.
 *
 * <p>Valid for the key and until rows of the {@link MergedRecordView} it came from are changed; the
 * number of their matches may be ({@link RenewingRecordView#recount}), but not during a pass.
 */
public interface LiveRows {

    /** No rows. */
    LiveRows NONE = (Appended) () -> () -> null;

    /** Starts a pass over the rows; of several passes only the last one may go on. */
    Cursor open() throws Exception;

    /**
     * The rows that neither a retraction takes away nor an addition replaces. Pure: no argument and
     * no state is changed.
     *
     * @param changes only retractions or only additions, may be empty
     */
    LiveRows without(List<RowData> changes) throws Exception;

    /** Rows that nothing takes away or replaces. */
    @FunctionalInterface
    interface Appended extends LiveRows {
        @Override
        default LiveRows without(List<RowData> changes) {
            return this;
        }
    }

    /** One pass over rows. */
    @FunctionalInterface
    interface Cursor {

        /**
         * The next rows, or null after the last. Callers change neither the rows nor the list, and
         * use them only until the next call.
         */
        List<RowData> next() throws Exception;
    }
}
