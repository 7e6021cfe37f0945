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
 * What the heap knows of a key whose rows are kept in many chunks. Its {@link RowLog#FIRST} chunk
 * holds a marker with the numbers that find the others, and no rows; after a restore, or when the
 * heap has forgotten the key, blind appends may land behind the marker until the key is loaded.
 */
interface HotKey {

    /** The live rows; a pass reads one chunk after the other. */
    LiveRows rows();

    /**
     * @param changes of kind {@code +I} or {@code -D}, in order
     */
    void append(List<RowData> changes) throws Exception;
}
