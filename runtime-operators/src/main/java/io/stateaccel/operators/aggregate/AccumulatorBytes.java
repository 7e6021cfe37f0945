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

import java.util.Arrays;
import java.util.stream.IntStream;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.binary.BinaryStringData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;

/**
 * About how much heap an accumulator takes. Texts and bytes in it are known to the byte; how much
 * others of variable length take, a set on the heap for instance, is not.
 */
public final class AccumulatorBytes {

    /** Of a field, with what a result has of it. */
    private static final int FIELD_BYTES = 64;

    private final int fields;

    /** The fields that may grow. */
    private final int[] growing;

    private final boolean isMeasured;

    /**
     * @param types the fields of the accumulator
     */
    public AccumulatorBytes(LogicalType[] types) {
        this.fields = types.length;
        this.growing = IntStream.range(0, types.length).filter(i -> mayGrow(types[i])).toArray();
        this.isMeasured =
                Arrays.stream(growing)
                        .allMatch(
                                i ->
                                        types[i].is(LogicalTypeFamily.CHARACTER_STRING)
                                                || types[i].is(LogicalTypeFamily.BINARY_STRING));
    }

    private static boolean mayGrow(LogicalType type) {
        return switch (type.getTypeRoot()) {
            case DECIMAL, TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> false;
            default -> !BinaryRowData.isInFixedLengthPart(type);
        };
    }

    /** Of the fields, whatever they hold. */
    public int ofFields() {
        return fields * FIELD_BYTES;
    }

    /** Whether there are fields that may grow. */
    public boolean mayGrow() {
        return growing.length > 0;
    }

    /** Of the fields that may grow, as far as it is known. */
    public long ofGrowing(RowData accumulator) {
        long bytes = 0;
        if (growing.length > 0 && accumulator instanceof GenericRowData row) {
            for (int field : growing) {
                bytes += bytesOf(row.getField(field));
            }
        } else if (growing.length > 0 && accumulator instanceof BinaryRowData binary) {
            bytes = binary.getSizeInBytes();
        }
        return bytes;
    }

    /**
     * Of the fields that may grow, of an accumulator that has taken a row in.
     *
     * @param before what this was without the row
     * @param rowBytes what the values of the row take, which counts where the size of a field is
     *     not known
     */
    public long ofGrowing(RowData accumulator, long before, long rowBytes) {
        if (!mayGrow()) {
            return 0;
        }
        return isMeasured || accumulator instanceof BinaryRowData
                ? ofGrowing(accumulator)
                : before + rowBytes;
    }

    private static long bytesOf(Object field) {
        if (field instanceof BinaryStringData text) {
            return text.getSizeInBytes();
        }
        return field instanceof byte[] array ? array.length : 0;
    }
}
