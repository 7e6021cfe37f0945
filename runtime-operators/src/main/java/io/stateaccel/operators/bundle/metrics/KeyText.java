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
package io.stateaccel.operators.bundle.metrics;

import io.stateaccel.config.HottestKeyMode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.StringJoiner;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryFormat;
import org.apache.flink.table.data.binary.BinarySegmentUtils;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * What metrics show of keys. The text of a key are its columns, divided by {@code ", "}: NULL as
 * {@code null}, bytes and nested values as hexadecimal digits. The hash is made of that text, so
 * that anyone may look up a key with a tool for SHA-256; {@code docs/metrics.md} says how. May be
 * used by several threads.
 */
final class KeyText {

    private static final int MOST_LETTERS = 100;
    private static final String HASH_PREFIX = "sha256:";
    private static final int BYTES_OF_HASH = 8;

    private final RowData.FieldGetter[] columns;
    private final HottestKeyMode mode;

    KeyText(InternalTypeInfo<RowData> type, HottestKeyMode mode) {
        this.columns = new RowData.FieldGetter[type.toRowSize()];
        Arrays.setAll(columns, i -> RowData.createFieldGetter(type.toRowFieldTypes()[i], i));
        this.mode = mode;
    }

    String of(RowData key) {
        return switch (mode) {
            case HASH -> HASH_PREFIX + hash(text(key));
            case VALUE -> shortened(text(key));
            case OFF -> "";
        };
    }

    private String text(RowData key) {
        StringJoiner text = new StringJoiner(", ");
        for (RowData.FieldGetter column : columns) {
            text.add(text(column.getFieldOrNull(key)));
        }
        return text.toString();
    }

    private static String text(Object value) {
        if (value instanceof byte[] bytes) {
            return HexFormat.of().formatHex(bytes);
        }
        if (value instanceof BinaryFormat nested && !(value instanceof StringData)) {
            return text(
                    BinarySegmentUtils.copyToBytes(
                            nested.getSegments(), nested.getOffset(), nested.getSizeInBytes()));
        }
        return String.valueOf(value);
    }

    private static String shortened(String text) {
        return text.length() <= MOST_LETTERS ? text : text.substring(0, MOST_LETTERS) + "...";
    }

    private static String hash(String text) {
        try {
            byte[] hash =
                    MessageDigest.getInstance("SHA-256")
                            .digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, BYTES_OF_HASH);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }
}
