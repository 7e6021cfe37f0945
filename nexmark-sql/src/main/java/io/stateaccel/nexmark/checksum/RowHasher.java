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
package io.stateaccel.nexmark.checksum;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.RowType;

/**
 * A 128-bit hash of a row's values.
 *
 * <p>It reads values, not memory, so two layouts of the same row hash alike; the kind of change is
 * no part of it. Floating-point values are hashed bit by bit. Not thread safe: the last hash is
 * kept in fields, so that hashing allocates no result.
 *
 * <p>The library zero-allocation-hashing (0.16) hashes arrays, so each row has to be copied to one
 * first: for a row of two numbers its XXH128 takes 1.5 times as long, for ten columns with four
 * strings about as long; and digests in reports of earlier runs would not compare any more.
 */
final class RowHasher {

    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final long SEED_HIGH = 0x243F6A8885A308D3L;
    private static final long SEED_LOW = 0x13198A2E03707344L;
    private static final long NULL_VALUE = 0xA4093822299F31D0L;

    private final ValueHasher[] fields;
    private final RowData.FieldGetter[] getters;

    private long high;
    private long low;

    /** Adds one value, never null, to the hash. */
    @FunctionalInterface
    private interface ValueHasher {
        void add(Object value);
    }

    /**
     * @param ignoredColumns columns that do not count
     * @throws IllegalArgumentException if a column that counts is of a type without a defined hash
     */
    RowHasher(RowType type, Set<String> ignoredColumns) {
        int[] columns =
                IntStream.range(0, type.getFieldCount())
                        .filter(i -> !ignoredColumns.contains(type.getFieldNames().get(i)))
                        .toArray();
        fields = new ValueHasher[columns.length];
        getters = new RowData.FieldGetter[columns.length];
        for (int i = 0; i < columns.length; i++) {
            LogicalType column = type.getTypeAt(columns[i]);
            fields[i] = hasher(column);
            getters[i] = RowData.createFieldGetter(column, columns[i]);
        }
    }

    /** Hashes a row; {@link #high()} and {@link #low()} then return the result. */
    void hash(RowData row) {
        high = SEED_HIGH;
        low = SEED_LOW;
        addRow(row, fields, getters);
        // Ends of the lanes mixed, so that sums of hashes do not cancel for similar rows.
        high = mix(high ^ (low >>> 32));
        low = mix(low ^ (high >>> 32));
    }

    long high() {
        return high;
    }

    long low() {
        return low;
    }

    private void addRow(RowData row, ValueHasher[] hashers, RowData.FieldGetter[] fieldGetters) {
        for (int i = 0; i < hashers.length; i++) {
            addNullable(fieldGetters[i].getFieldOrNull(row), hashers[i]);
        }
    }

    private void addNullable(Object value, ValueHasher hasher) {
        if (value == null) {
            add(NULL_VALUE);
        } else {
            hasher.add(value);
        }
    }

    private void add(long value) {
        high = mix(high ^ value) + 0x9E3779B97F4A7C15L;
        low = mix(low + value) ^ 0xC2B2AE3D27D4EB4FL;
    }

    private void addBytes(byte[] bytes) {
        add(bytes.length);
        int i = 0;
        for (; i + Long.BYTES <= bytes.length; i += Long.BYTES) {
            add((long) LONGS.get(bytes, i));
        }
        long rest = 0;
        for (; i < bytes.length; i++) {
            rest = rest << 8 | bytes[i] & 0xFF;
        }
        add(rest);
    }

    private ValueHasher hasher(LogicalType type) {
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> value -> add((Boolean) value ? 1 : 2);
            case TINYINT,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    DATE,
                    TIME_WITHOUT_TIME_ZONE,
                    INTERVAL_YEAR_MONTH,
                    INTERVAL_DAY_TIME ->
                    value -> add(((Number) value).longValue());
            case FLOAT -> value -> add(Float.floatToIntBits((Float) value));
            case DOUBLE -> value -> add(Double.doubleToLongBits((Double) value));
            case CHAR, VARCHAR -> value -> addBytes(((StringData) value).toBytes());
            case BINARY, VARBINARY -> value -> addBytes((byte[]) value);
            case DECIMAL -> value -> addBytes(((DecimalData) value).toUnscaledBytes());
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    value -> {
                        add(((TimestampData) value).getMillisecond());
                        add(((TimestampData) value).getNanoOfMillisecond());
                    };
            case ROW, STRUCTURED_TYPE -> rowHasher(type);
            case ARRAY -> arrayHasher(((ArrayType) type).getElementType());
            case MAP -> mapHasher(((MapType) type).getKeyType(), ((MapType) type).getValueType());
            case MULTISET -> mapHasher(((MultisetType) type).getElementType(), new IntType(false));
            default ->
                    throw new IllegalArgumentException(
                            "No checksum is defined for columns of type " + type.asSummaryString());
        };
    }

    private ValueHasher rowHasher(LogicalType type) {
        int arity = type.getChildren().size();
        ValueHasher[] hashers = new ValueHasher[arity];
        RowData.FieldGetter[] fieldGetters = new RowData.FieldGetter[arity];
        for (int i = 0; i < arity; i++) {
            hashers[i] = hasher(type.getChildren().get(i));
            fieldGetters[i] = RowData.createFieldGetter(type.getChildren().get(i), i);
        }
        return value -> addRow((RowData) value, hashers, fieldGetters);
    }

    private ValueHasher arrayHasher(LogicalType elementType) {
        ValueHasher element = hasher(elementType);
        ArrayData.ElementGetter getter = ArrayData.createElementGetter(elementType);
        return value -> {
            ArrayData array = (ArrayData) value;
            add(array.size());
            for (int i = 0; i < array.size(); i++) {
                addNullable(getter.getElementOrNull(array, i), element);
            }
        };
    }

    private ValueHasher mapHasher(LogicalType keyType, LogicalType valueType) {
        ValueHasher key = hasher(keyType);
        ValueHasher entryValue = hasher(valueType);
        ArrayData.ElementGetter keys = ArrayData.createElementGetter(keyType);
        ArrayData.ElementGetter values = ArrayData.createElementGetter(valueType);
        return value -> {
            MapData map = (MapData) value;
            ArrayData keyArray = map.keyArray();
            ArrayData valueArray = map.valueArray();
            long outerHigh = high;
            long outerLow = low;
            long entriesHigh = 0;
            long entriesLow = 0;
            // Entries have no order: each is hashed from the same start and the hashes are summed.
            for (int i = 0; i < map.size(); i++) {
                high = SEED_HIGH;
                low = SEED_LOW;
                addNullable(keys.getElementOrNull(keyArray, i), key);
                addNullable(values.getElementOrNull(valueArray, i), entryValue);
                entriesHigh += high;
                entriesLow += low;
            }
            high = outerHigh;
            low = outerLow;
            add(map.size());
            add(entriesHigh);
            add(entriesLow);
        };
    }

    private static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
