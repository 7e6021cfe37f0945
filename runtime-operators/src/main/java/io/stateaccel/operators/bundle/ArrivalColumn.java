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
package io.stateaccel.operators.bundle;

import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.data.utils.ProjectedRowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * Keeps with rows the millisecond of processing time in which they came, as one more column behind
 * the others. For one thread.
 */
public final class ArrivalColumn {

    private final InternalTypeInfo<RowData> type;
    private final RowDataSerializer serializer;
    private final int index;
    private final GenericRowData column = new GenericRowData(1);
    private final JoinedRowData joined = new JoinedRowData();
    private final ProjectedRowData others;

    /**
     * @param rows without the column
     */
    public ArrivalColumn(InternalTypeInfo<RowData> rows) {
        this.index = rows.toRowSize();
        this.type =
                InternalTypeInfo.ofFields(
                        Stream.concat(
                                        Stream.of(rows.toRowFieldTypes()),
                                        Stream.of(new BigIntType()))
                                .toArray(LogicalType[]::new));
        this.serializer = type.toRowSerializer();
        this.others = ProjectedRowData.from(IntStream.range(0, index).toArray());
    }

    /** Rows with the column. */
    public InternalTypeInfo<RowData> type() {
        return type;
    }

    /** Where the time is, milliseconds. */
    public int index() {
        return index;
    }

    /** A copy of a row, with its time. */
    public BinaryRowData append(RowData row, long millis) {
        column.setField(0, millis);
        return serializer.toBinaryRow(joined.replace(row, column)).copy();
    }

    /**
     * @param row with the column
     * @return the row without it, good until the next call
     */
    public RowData strip(RowData row) {
        return others.replaceRow(row);
    }
}
