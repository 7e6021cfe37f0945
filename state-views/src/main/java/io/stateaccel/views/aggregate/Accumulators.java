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
package io.stateaccel.views.aggregate;

import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;

/** The accumulators of groups. For the task thread. */
public interface Accumulators {

    /**
     * @return the accumulator of a group, not to be changed, or null when it has none or it has
     *     expired
     */
    @Nullable
    RowData get(RowData group) throws Exception;

    /**
     * Sets the accumulator of a group; it may be changed afterwards, the group may not.
     *
     * @param lastWrite when it became that, in milliseconds of the operator's clock; any number
     *     where accumulators live for ever
     */
    void put(RowData group, RowData accumulator, long lastWrite) throws Exception;

    /** Removes the accumulator of a group. */
    void remove(RowData group) throws Exception;
}
