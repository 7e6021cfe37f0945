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
package io.stateaccel.views.join.fold;

import io.stateaccel.views.join.log.RowLog;
import io.stateaccel.views.join.log.StoredRows;
import java.util.List;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.table.data.RowData;

/** Turns the changes that were stored for one join key into the rows that are live. */
public interface ChangeFold {

    /**
     * Rows that nothing but their fields tells apart: a retraction takes one equal row away.
     *
     * @param log the stored changes are from
     */
    static ChangeFold counted(RowLog log) {
        return new CountedFold(log);
    }

    /**
     * Rows with a unique key: the last change of a key wins.
     *
     * @param uniqueKey extracts the unique key of a row
     * @param upsert whether {@code +U} replaces a row that no {@code -U} has taken away
     */
    static ChangeFold byUniqueKey(KeySelector<RowData, RowData> uniqueKey, boolean upsert) {
        return new UniqueKeyFold(uniqueKey, upsert);
    }

    /**
     * @param stored in the order in which they were appended, see {@link StoredRows}; neither the
     *     list nor its rows are changed, as a heap backend hands out what it stores
     * @return the live rows, repeated ones still in one
     */
    List<RowData> fold(List<RowData> stored) throws Exception;

    /**
     * The live rows that neither a retraction takes away nor an addition replaces; both arguments
     * stay as they are.
     *
     * @param live as {@link #fold} returns them
     * @param changes not stored yet: of any kind, but only retractions or only additions
     */
    List<RowData> without(List<RowData> live, List<RowData> changes) throws Exception;

    /** The live rows with equal ones made into one where that is shorter. */
    List<RowData> pack(List<RowData> live);

    /**
     * A hash of the row that is equal for all changes that may bear on each other.
     *
     * @param row of kind {@code +I}
     */
    int hash(RowData row) throws Exception;

    /**
     * How many stored changes are of no more use once {@code change} has been appended, at most.
     */
    int garbageOf(RowData change);
}
