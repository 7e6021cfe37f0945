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

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.table.runtime.typeutils.ExternalSerializer;
import org.apache.flink.table.types.logical.LogicalTypeRoot;

/**
 * Where in a list the entries of a packed map end, which are a key and a value with nothing between
 * them: both are of a fixed length, or begin with their length, as Flink serialises texts, bytes,
 * decimals, rows and arrays. Those that expire have before them when they were written.
 */
final class EntryFormat {

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

    private EntryFormat(int ofTime, int ofKey, int ofValue) {
        this.ofTime = ofTime;
        this.ofKey = ofKey;
        this.ofValue = ofValue;
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
        boolean beginsWithLength =
                serializer instanceof ExternalSerializer<?, ?> external
                        && BEGIN_WITH_LENGTH.contains(
                                external.getDataType().getLogicalType().getTypeRoot());
        return beginsWithLength ? OptionalInt.of(IN_FRONT) : OptionalInt.empty();
    }

    /** The bytes of each entry if all have as many. */
    OptionalInt fixedLength() {
        return ofKey == IN_FRONT || ofValue == IN_FRONT
                ? OptionalInt.empty()
                : OptionalInt.of(ofTime + ofKey + ofValue);
    }

    /** How far behind the beginning of an entry its key begins. */
    int keyAt() {
        return ofTime;
    }

    /** When an entry that begins at an index was written, of those that expire. */
    static long timeAt(byte[] bytes, int index) {
        return (long) LONGS.get(bytes, index);
    }

    /** Says of an entry that begins at an index that it was written at a time. */
    static void setTimeAt(byte[] bytes, int index, long time) {
        LONGS.set(bytes, index, time);
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
