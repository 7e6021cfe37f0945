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
package io.stateaccel.operators.aggregate;

import org.apache.flink.table.data.RowData;

/**
 * What groups come to, and how it is emitted. For the task thread.
 *
 * @param <R> what one group comes to
 */
interface GroupResults<R> {

    /**
     * What the group comes to whose accumulator the functions hold; not used again.
     *
     * @param key the group
     */
    R current(RowData key) throws Exception;

    /**
     * About how much heap a result takes.
     *
     * @param accumulatorBytes what its accumulator takes
     */
    default long heapBytes(R result, long accumulatorBytes) {
        return accumulatorBytes;
    }

    /** Emits a group that was not there before. */
    void inserted(RowData key, R after);

    /** Emits that a group is not there any more. */
    void deleted(RowData key, R before);

    /**
     * Emits what a group comes to instead.
     *
     * @param evenIfEqual whether that may be what it came to before
     */
    void updated(RowData key, R before, R after, boolean evenIfEqual);

    /**
     * Whether a row may be retracted from a group that is unknown. Where not, it is as if it had
     * not come.
     */
    boolean areRetractedFromNothing();
}
