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
package io.stateaccel.rocksdb.prefix;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.api.common.typeutils.base.ByteSerializer;
import org.apache.flink.api.common.typeutils.base.CharSerializer;
import org.apache.flink.api.common.typeutils.base.DoubleSerializer;
import org.apache.flink.api.common.typeutils.base.FloatSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.ShortSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.runtime.state.CompositeKeySerializationUtils;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;

/**
 * Where key and namespace end in the RocksDB keys of a state: {@code [key group | key | namespace |
 * map key]}, as Flink's {@code SerializedCompositeKeyBuilder} writes them.
 *
 * <p>A layout is a small program whose steps each move on by one part of the key. It is made for
 * serializers whose bytes can be told apart without them, others have no layout. The program runs
 * in native code too ({@code key_layout.h}), so the two interpreters must do the same. Immutable.
 */
public final class KeyLayout {

    /** Followed by one byte: that many bytes. */
    static final byte FIXED = 1;

    /** Four bytes, big endian: the number of bytes after them. */
    static final byte INT_LENGTH = 2;

    /** A string as Flink's {@code StringValue} writes it. */
    static final byte STRING = 3;

    /** Nothing: a key or namespace begins, whose length a marker tells. */
    static final byte START = 4;

    /** The marker: the length since the start, in as many bytes as it needs. */
    static final byte LENGTH_MARKER = 5;

    /** The length of {@link #program} that native code takes. */
    private static final int MAX_PROGRAM_BYTES = 128;

    /** RocksDB's name of the prefix extractor begins with this; the program follows. */
    private static final String NAME_PREFIX = "stateaccel.KeyPrefix.";

    private static final int NOT_IN_LAYOUT = -1;

    // By name, because Flink's table runtime need not be on the class path.
    private static final String SQL_WINDOW_SERIALIZER =
            "org.apache.flink.table.runtime.operators.window.TimeWindow$Serializer";

    private static final Set<String> ROW_SERIALIZERS =
            Set.of(
                    "org.apache.flink.table.runtime.typeutils.RowDataSerializer",
                    "org.apache.flink.table.runtime.typeutils.BinaryRowDataSerializer");

    private final byte[] program;

    private KeyLayout(byte[] program) {
        this.program = program;
    }

    /**
     * The layout of a state's keys; empty when key or namespace cannot be told from its bytes.
     *
     * @param keyGroupBytes length of the key group, 1 or 2
     */
    public static Optional<KeyLayout> of(
            int keyGroupBytes, TypeSerializer<?> key, TypeSerializer<?> namespace) {
        boolean marked = CompositeKeySerializationUtils.isAmbiguousKeyPossible(key, namespace);
        ByteArrayOutputStream program = new ByteArrayOutputStream();
        addFixed(keyGroupBytes, program);
        boolean known = addSection(key, marked, program) && addSection(namespace, marked, program);
        return known && program.size() <= MAX_PROGRAM_BYTES
                ? Optional.of(new KeyLayout(program.toByteArray()))
                : Optional.empty();
    }

    private static boolean addSection(
            TypeSerializer<?> serializer, boolean marked, ByteArrayOutputStream program) {
        if (marked) {
            program.write(START);
        }
        boolean known = add(serializer, program);
        if (marked) {
            program.write(LENGTH_MARKER);
        }
        return known;
    }

    private static boolean add(TypeSerializer<?> serializer, ByteArrayOutputStream program) {
        if (serializer instanceof VoidNamespaceSerializer) {
            // Writes one byte although its length is said to be 0.
            addFixed(1, program);
        } else if (hasFixedLength(serializer)) {
            addFixed(serializer.getLength(), program);
        } else if (serializer instanceof StringSerializer) {
            program.write(STRING);
        } else if (serializer instanceof BytePrimitiveArraySerializer || isOfRows(serializer)) {
            program.write(INT_LENGTH);
        } else if (serializer instanceof TupleSerializer<?> tuple) {
            for (TypeSerializer<?> field : tuple.getFieldSerializers()) {
                if (!add(field, program)) {
                    return false;
                }
            }
        } else {
            return false;
        }
        return true;
    }

    private static void addFixed(int bytes, ByteArrayOutputStream program) {
        program.write(FIXED);
        program.write(bytes);
    }

    private static boolean hasFixedLength(TypeSerializer<?> serializer) {
        return serializer instanceof LongSerializer
                || serializer instanceof IntSerializer
                || serializer instanceof ShortSerializer
                || serializer instanceof ByteSerializer
                || serializer instanceof BooleanSerializer
                || serializer instanceof CharSerializer
                || serializer instanceof DoubleSerializer
                || serializer instanceof FloatSerializer
                || serializer instanceof TimeWindow.Serializer
                || SQL_WINDOW_SERIALIZER.equals(serializer.getClass().getName());
    }

    private static boolean isOfRows(TypeSerializer<?> serializer) {
        return ROW_SERIALIZERS.contains(serializer.getClass().getName());
    }

    /** The steps, for native code. */
    public byte[] program() {
        return program.clone();
    }

    /**
     * The name under which RocksDB notes this layout in its files. Filters of files that carry
     * another name are not used.
     */
    public String name() {
        return NAME_PREFIX + HexFormat.of().formatHex(program);
    }

    /** Whether these bytes are a key group, a key and a namespace, and nothing else. */
    public boolean isPrefix(byte[] bytes) {
        return prefixLength(bytes) == bytes.length;
    }

    /** The length of key group, key and namespace, or -1 for a key of another layout. */
    int prefixLength(byte[] key) {
        int position = 0;
        int start = 0;
        for (int step = 0; step < program.length; step++) {
            int part = 0;
            switch (program[step]) {
                case FIXED -> part = program[++step] & 0xff;
                case INT_LENGTH -> {
                    if (key.length - position < Integer.BYTES) {
                        return NOT_IN_LAYOUT;
                    }
                    for (int i = 0; i < Integer.BYTES; i++) {
                        part = part << 8 | key[position++] & 0xff;
                    }
                }
                case STRING -> {
                    position = afterString(key, position);
                    if (position == NOT_IN_LAYOUT) {
                        return NOT_IN_LAYOUT;
                    }
                }
                case START -> start = position;
                case LENGTH_MARKER -> {
                    int value = position - start;
                    do {
                        part++;
                        value >>>= 8;
                    } while (value != 0);
                }
                default -> throw new IllegalStateException("unknown step " + program[step]);
            }
            if (part < 0 || part > key.length - position) {
                return NOT_IN_LAYOUT;
            }
            position += part;
        }
        return position;
    }

    private static int afterString(byte[] key, int from) {
        int position = from;
        long lengthPlusOne = 0;
        int shift = 0;
        byte part;
        do {
            if (position == key.length || shift > 28) {
                return NOT_IN_LAYOUT;
            }
            part = key[position++];
            lengthPlusOne |= (long) (part & 0x7f) << shift;
            shift += 7;
        } while (part < 0);
        // Zero is null.
        for (long left = lengthPlusOne - 1; left > 0; left--) {
            do {
                if (position == key.length) {
                    return NOT_IN_LAYOUT;
                }
                part = key[position++];
            } while (part < 0);
        }
        return position;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof KeyLayout layout && Arrays.equals(program, layout.program);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(program);
    }

    @Override
    public String toString() {
        return name();
    }
}
