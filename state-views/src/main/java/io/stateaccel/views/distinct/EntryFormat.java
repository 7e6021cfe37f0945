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
package io.stateaccel.views.distinct;

import io.stateaccel.views.batch.SerializedList;
import io.stateaccel.views.batch.SerializedLists;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.runtime.typeutils.ExternalSerializer;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;

/**
 * How the entries of a packed map lie in a list. An entry is a key and a value with nothing between
 * them, which tell where they end: both are of a fixed length, or begin with their length, as Flink
 * serialises texts, bytes, long decimals, rows and arrays. Those that expire have before them when
 * they were written. A list that has one entry twice, and no other, is a mark: the entries are in
 * other lists.
 */
final class EntryFormat {

    static final int NOT_FOUND = -1;

    private static final int NOT_FIXED = -1;

    private static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private static final Set<LogicalTypeRoot> BEGIN_WITH_LENGTH =
            EnumSet.of(
                    LogicalTypeRoot.CHAR,
                    LogicalTypeRoot.VARCHAR,
                    LogicalTypeRoot.BINARY,
                    LogicalTypeRoot.VARBINARY,
                    LogicalTypeRoot.DECIMAL,
                    LogicalTypeRoot.ROW,
                    LogicalTypeRoot.ARRAY);

    /** The length of what begins with it. */
    private static final int IN_FRONT = 0;

    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final int ofTime;
    private final int ofKey;
    private final int ofValue;

    /** Of each entry, if all are as long. */
    private final int fixedLength;

    private EntryFormat(int ofTime, int ofKey, int ofValue) {
        this.ofTime = ofTime;
        this.ofKey = ofKey;
        this.ofValue = ofValue;
        this.fixedLength =
                ofKey == IN_FRONT || ofValue == IN_FRONT ? NOT_FIXED : ofTime + ofKey + ofValue;
    }

    /**
     * That of entries of these types; nothing if an entry does not tell where it ends.
     *
     * @param expiring whether each has the time when it was written
     */
    static Optional<EntryFormat> of(
            TypeSerializer<?> keys, TypeSerializer<?> values, boolean expiring) {
        OptionalInt ofKey = lengthOf(keys);
        OptionalInt ofValue = lengthOf(values);
        return ofKey.isPresent() && ofValue.isPresent()
                ? Optional.of(
                        new EntryFormat(
                                expiring ? Long.BYTES : 0, ofKey.getAsInt(), ofValue.getAsInt()))
                : Optional.empty();
    }

    private static OptionalInt lengthOf(TypeSerializer<?> serializer) {
        if (serializer.getLength() > 0) {
            return OptionalInt.of(serializer.getLength());
        }
        if (!(serializer instanceof ExternalSerializer<?, ?> external)) {
            return OptionalInt.empty();
        }
        LogicalType type = external.getDataType().getLogicalType();
        if (type instanceof DecimalType decimal && DecimalData.isCompact(decimal.getPrecision())) {
            // A number and nothing else, though Flink's serialiser does not say so.
            return OptionalInt.of(Long.BYTES);
        }
        return BEGIN_WITH_LENGTH.contains(type.getTypeRoot())
                ? OptionalInt.of(IN_FRONT)
                : OptionalInt.empty();
    }

    /** How far behind the beginning of an entry its key begins. */
    int keyAt() {
        return ofTime;
    }

    /** When an entry that begins at an index was written, of those that expire. */
    static long timeAt(byte[] bytes, int index) {
        return (long) LONGS.get(bytes, index);
    }

    /**
     * Where in the array of a list the entry of a key begins.
     *
     * @param key serialised
     * @return {@link #NOT_FOUND} if there is none
     */
    int find(SerializedList list, byte[] key, int keyLength) {
        return fixedLength != NOT_FIXED && keyLength >= Long.BYTES
                ? findFixed(list, key, keyLength)
                : findAny(list, key, keyLength);
    }

    /** Those that came last are looked at first, as most that come once more do so soon. */
    private int findFixed(SerializedList list, byte[] key, int keyLength) {
        byte[] bytes = list.bytes();
        int begin = list.offset();
        int step = fixedLength + 1;
        // If numbers differ, most do in the last bytes.
        int lastAt = keyLength - Long.BYTES;
        long last = (long) LONGS.get(key, lastAt);
        for (int at = begin + list.length() - fixedLength; at >= begin; at -= step) {
            int keyAt = at + ofTime;
            if ((long) LONGS.get(bytes, keyAt + lastAt) == last
                    && Arrays.equals(bytes, keyAt, keyAt + lastAt, key, 0, lastAt)) {
                return at;
            }
        }
        return NOT_FOUND;
    }

    private int findAny(SerializedList list, byte[] key, int keyLength) {
        byte[] bytes = list.bytes();
        int end = list.offset() + list.length();
        byte last = key[keyLength - 1];
        for (int at = list.offset(); at < end; at += length(bytes, at) + 1) {
            int keyAt = at + ofTime;
            if (keyLength(bytes, at) == keyLength
                    && bytes[keyAt + keyLength - 1] == last
                    && Arrays.equals(bytes, keyAt, keyAt + keyLength, key, 0, keyLength)) {
                return at;
            }
        }
        return NOT_FOUND;
    }

    /** Whether a list that is not empty is a mark. */
    boolean isMark(SerializedList list) {
        byte[] bytes = list.bytes();
        int begin = list.offset();
        int length = fixedLength != NOT_FIXED ? fixedLength : length(bytes, begin);
        int second = begin + length + 1;
        // Flink may have given them their times, one after the other.
        return list.length() == 2 * length + 1
                && Arrays.equals(
                        bytes,
                        begin + ofTime,
                        begin + length,
                        bytes,
                        second + ofTime,
                        second + length);
    }

    /**
     * A mark that has an entry twice.
     *
     * @param begin of the entry in an array
     * @param time when the mark is to have been written, if entries expire
     */
    byte[] mark(byte[] bytes, int begin, long time) {
        int length = length(bytes, begin);
        byte[] twice = new byte[2 * length + 1];
        System.arraycopy(bytes, begin, twice, 0, length);
        twice[length] = SerializedLists.DELIMITER;
        System.arraycopy(bytes, begin, twice, length + 1, length);
        if (ofTime > 0) {
            LONGS.set(twice, 0, time);
            LONGS.set(twice, length + 1, time);
        }
        return twice;
    }

    /** The bytes of the key of an entry that begins at an index. */
    int keyLength(byte[] bytes, int index) {
        return length(ofKey, bytes, index + ofTime);
    }

    /** The bytes of an entry that begins at an index. */
    int length(byte[] bytes, int index) {
        int beforeValue = ofTime + keyLength(bytes, index);
        return beforeValue + length(ofValue, bytes, index + beforeValue);
    }

    private static int length(int known, byte[] bytes, int index) {
        return known == IN_FRONT ? Integer.BYTES + (int) INTS.get(bytes, index) : known;
    }
}
