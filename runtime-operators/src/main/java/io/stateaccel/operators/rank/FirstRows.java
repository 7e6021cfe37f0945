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

import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;

/** What a bundle holds of a partition of which some first rows matter. */
interface FirstRows {

    /** Whether a row that comes now is among the first. */
    boolean takes(RowData row);

    /**
     * Puts a row behind those that tie with it.
     *
     * @return the row that is dropped for it, the row itself if it is that one, or null if none is
     */
    @Nullable
    RowData add(RowData row);

    /** The rows, not to be changed. */
    List<RowData> rows();
}
