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

import java.util.function.ToLongFunction;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * The last rank of a partition as its rows have it in a column. Rows are binary ones, which have 0
 * where a column is NULL, so that nothing is ranked there.
 */
final class RankEndColumn {

    private RankEndColumn() {}

    /**
     * @param type of the rows
     * @param column of one of the types that Flink takes
     */
    static ToLongFunction<RowData> of(InternalTypeInfo<RowData> type, int column) {
        LogicalType ofColumn = type.toRowFieldTypes()[column];
        return switch (ofColumn.getTypeRoot()) {
            case BIGINT -> row -> row.getLong(column);
            case INTEGER -> row -> row.getInt(column);
            case SMALLINT -> row -> row.getShort(column);
            default -> throw new IllegalArgumentException("No rank: " + ofColumn);
        };
    }
}
