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
package io.stateaccel.nexmark.latency;

import java.io.Serializable;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;

/**
 * Where a result says what is measured of it; other columns are not looked at.
 *
 * @param key position of the column that identifies the result
 * @param rows position of the number of rows that it is made of
 * @param createdSum position of the sum of their creation times
 */
record LatencyColumns(int key, int rows, int createdSum) implements Serializable {

    /** Finds them by name; {@link ValidationException} says which one is missing. */
    static LatencyColumns of(RowType type) {
        return new LatencyColumns(
                position(type, "result_key"),
                position(type, "row_count"),
                position(type, "created_sum"));
    }

    private static int position(RowType type, String column) {
        int position = type.getFieldNames().indexOf(column);
        if (position < 0 || !type.getTypeAt(position).is(LogicalTypeRoot.BIGINT)) {
            throw new ValidationException(
                    "A nexmark-latency table has the BIGINT columns result_key, row_count and"
                            + " created_sum, but "
                            + column
                            + (position < 0
                                    ? " is missing"
                                    : " is " + type.getTypeAt(position).asSummaryString()));
        }
        return position;
    }
}
