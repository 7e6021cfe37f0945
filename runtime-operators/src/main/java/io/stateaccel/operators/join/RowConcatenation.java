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
package io.stateaccel.operators.join;

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;

/**
 * Makes one binary row of two, without a look at their values: what is of fixed length behind each
 * other, what is not behind that, with new offsets. The bytes are those that Flink's {@code
 * RowDataSerializer} gives the joined row, field by field, so that whoever stores it or compares
 * bytes sees no difference. A row whose bytes are not as that serialiser writes them is left to it.
 *
 * <p>A binary row is the kind, a bit for each NULL, eight bytes for each field and, for fields that
 * these do not suffice for, whole words in the order of the fields: see {@link BinaryRowData}. Used
 * by the task thread.
 */
final class RowConcatenation {

    private static final int FIELD_BYTES = Long.BYTES;

    /** Types whose values are not, or not always, in the eight bytes of a field. */
    private static final Set<LogicalTypeRoot> OTHERS =
            EnumSet.of(
                    LogicalTypeRoot.CHAR,
                    LogicalTypeRoot.VARCHAR,
                    LogicalTypeRoot.BINARY,
                    LogicalTypeRoot.VARBINARY,
                    LogicalTypeRoot.DECIMAL,
                    LogicalTypeRoot.TIMESTAMP_WITHOUT_TIME_ZONE,
                    LogicalTypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE,
                    LogicalTypeRoot.ARRAY,
                    LogicalTypeRoot.MULTISET,
                    LogicalTypeRoot.MAP,
                    LogicalTypeRoot.ROW,
                    LogicalTypeRoot.STRUCTURED_TYPE,
                    LogicalTypeRoot.RAW);

    private final Side left;
    private final Side right;
    private final int bitsBytes;
    private final int fixedBytes;
    private final BinaryRowData row;
    private MemorySegment buffer = MemorySegmentFactory.wrap(new byte[64]);

    private RowConcatenation(RowType left, RowType right) {
        int arity = left.getFieldCount() + right.getFieldCount();
        this.left = new Side(left);
        this.right = new Side(right);
        this.bitsBytes = BinaryRowData.calculateBitSetWidthInBytes(arity);
        this.fixedBytes = BinaryRowData.calculateFixPartSizeInBytes(arity);
        this.row = new BinaryRowData(arity);
    }

    /**
     * @return null if there are types whose bytes are not known here
     */
    @Nullable
    static RowConcatenation create(RowType left, RowType right) {
        boolean areKnown =
                Stream.concat(left.getChildren().stream(), right.getChildren().stream())
                        .allMatch(
                                type ->
                                        BinaryRowData.isInFixedLengthPart(type)
                                                || OTHERS.contains(type.getTypeRoot()));
        return areKnown ? new RowConcatenation(left, right) : null;
    }

    /**
     * @return both as one, valid until the next call; null if that has to be made field by field
     */
    @Nullable
    BinaryRowData of(RowKind kind, RowData leftRow, RowData rightRow) {
        if (!isInOneSegment(leftRow) || !isInOneSegment(rightRow)) {
            return null;
        }
        BinaryRowData leftBytes = (BinaryRowData) leftRow;
        BinaryRowData rightBytes = (BinaryRowData) rightRow;
        int leftEnd = fixedBytes + leftBytes.getSizeInBytes() - left.fixedBytes;
        int size = leftEnd + rightBytes.getSizeInBytes() - right.fixedBytes;
        if (buffer.size() < size) {
            buffer = MemorySegmentFactory.wrap(new byte[size + (size >> 1)]);
        }
        for (int at = 0; at < bitsBytes; at += Long.BYTES) {
            buffer.putLong(at, 0);
        }
        row.pointTo(buffer, 0, size);
        row.setRowKind(kind);
        if (copy(left, leftBytes, 0, fixedBytes) && copy(right, rightBytes, left.arity, leftEnd)) {
            return row;
        }
        return null;
    }

    private static boolean isInOneSegment(RowData row) {
        return row instanceof BinaryRowData && ((BinaryRowData) row).getSegments().length == 1;
    }

    /**
     * Copies a row to where it belongs.
     *
     * @param firstField that of the row, in the result
     * @param end where values begin that are not in a field's eight bytes
     * @return false if the bytes are not what Flink's serialiser writes
     */
    private boolean copy(Side side, BinaryRowData from, int firstField, int end) {
        MemorySegment bytes = from.getSegments()[0];
        int begin = from.getOffset();
        int rest = from.getSizeInBytes() - side.fixedBytes;
        int fields = bitsBytes + firstField * FIELD_BYTES;
        bytes.copyTo(begin + side.bitsBytes, buffer, fields, side.arity * FIELD_BYTES);
        bytes.copyTo(begin + side.fixedBytes, buffer, end, rest);
        if (from.anyNull()) {
            for (int field = 0; field < side.arity; field++) {
                if (from.isNullAt(field)) {
                    if (buffer.getLong(fields + field * FIELD_BYTES) != 0) {
                        return false;
                    }
                    row.setNullAt(firstField + field);
                }
            }
        }
        int moved = end - side.fixedBytes;
        int next = side.fixedBytes;
        for (int i = 0; i < side.variable.length; i++) {
            int at = fields + side.variable[i] * FIELD_BYTES;
            long value = buffer.getLong(at);
            // Zero is NULL; what is short is in the field itself, with the highest bit.
            if (value <= 0) {
                continue;
            }
            if ((int) (value >>> Integer.SIZE) != next) {
                return false;
            }
            if (side.lengths[i] != 0) {
                next += side.lengths[i];
            } else {
                int length = (int) value;
                next += toWords(length);
                if (!isPaddedWithZeros(length, next + moved)) {
                    return false;
                }
            }
            buffer.putLong(at, value + ((long) moved << Integer.SIZE));
        }
        return next == from.getSizeInBytes();
    }

    /**
     * @param end of the words that a value of some bytes is in
     */
    private boolean isPaddedWithZeros(int length, int end) {
        int inLastWord = length % FIELD_BYTES;
        return inLastWord == 0
                || buffer.getLongLittleEndian(end - FIELD_BYTES) >>> inLastWord * Byte.SIZE == 0;
    }

    private static int toWords(int length) {
        return (length + FIELD_BYTES - 1) / FIELD_BYTES * FIELD_BYTES;
    }

    /** What is known of the rows of a side. */
    private static final class Side {
        private final int arity;
        private final int bitsBytes;
        private final int fixedBytes;

        /** Fields whose eight bytes may say where the value is. */
        private final int[] variable;

        /** Bytes of the value of each of them; 0 where the eight bytes say so. */
        private final int[] lengths;

        Side(RowType type) {
            this.arity = type.getFieldCount();
            this.bitsBytes = BinaryRowData.calculateBitSetWidthInBytes(arity);
            this.fixedBytes = BinaryRowData.calculateFixPartSizeInBytes(arity);
            this.variable =
                    IntStream.range(0, arity)
                            .filter(
                                    field ->
                                            !BinaryRowData.isInFixedLengthPart(
                                                    type.getTypeAt(field)))
                            .toArray();
            this.lengths =
                    IntStream.of(variable).map(field -> length(type.getTypeAt(field))).toArray();
        }

        private static int length(LogicalType type) {
            switch (type.getTypeRoot()) {
                case DECIMAL:
                    return 2 * FIELD_BYTES;
                case TIMESTAMP_WITHOUT_TIME_ZONE:
                case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                    return FIELD_BYTES;
                default:
                    return 0;
            }
        }
    }
}
