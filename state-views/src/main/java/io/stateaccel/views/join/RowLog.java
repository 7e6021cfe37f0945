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

/** The changes appended for the current key, oldest first. */
interface RowLog {

    /** What has not expired; callers change neither the list nor the rows. */
    List<RowData> read() throws Exception;

    /** Appends without reading. */
    void append(List<RowData> changes) throws Exception;

    /**
     * Keeps only these rows of those that the last {@link #read} of this key returned, with the age
     * they have.
     */
    void retain(List<RowData> rows) throws Exception;
}
