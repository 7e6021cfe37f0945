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

/** Turns the changes that were appended for one join key into the rows that are live. */
interface ChangeFold {

    /**
     * @param changes in the order in which they were appended; neither the list nor its rows are
     *     changed, as a heap backend hands out what it stores
     * @return the live rows, all of {@code RowKind.INSERT}
     */
    List<RowData> fold(List<RowData> changes) throws Exception;

    /**
     * How many stored changes are of no more use once {@code change} has been appended, at most.
     */
    int garbageOf(RowData change);
}
