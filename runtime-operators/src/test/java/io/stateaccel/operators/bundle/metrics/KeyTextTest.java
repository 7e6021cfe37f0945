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

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.config.HottestKeyMode;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.Test;

class KeyTextTest {

    private static final LogicalType TEXT = new VarCharType(VarCharType.MAX_LENGTH);

    /** {@code printf %s '0, unknown' | sha256sum | cut -c1-16}. */
    @Test
    void aHashCanBeLookedUpWithOtherTools() {
        InternalTypeInfo<RowData> type = InternalTypeInfo.ofFields(new BigIntType(), TEXT);
        RowData key = row(type, 0L, StringData.fromString("unknown"));

        assertThat(new KeyText(type, HottestKeyMode.HASH).of(key))
                .isEqualTo("sha256:3caab9decb0f3753");
        assertThat(new KeyText(type, HottestKeyMode.VALUE).of(key)).isEqualTo("0, unknown");
    }

    /** No text has the identity of an object in it, so operators may be compared. */
    @Test
    void nullBytesAndNestedValuesHaveATextToo() {
        InternalTypeInfo<RowData> type =
                InternalTypeInfo.ofFields(
                        TEXT, new VarBinaryType(2), RowType.of(new BigIntType(), TEXT));
        RowData key =
                row(
                        type,
                        null,
                        new byte[] {1, -1},
                        GenericRowData.of(258L, StringData.fromString("a")));

        String text = new KeyText(type, HottestKeyMode.VALUE).of(key);
        assertThat(text).startsWith("null, 01ff, ").matches("null, 01ff, [0-9a-f]+");
        assertThat(new KeyText(type, HottestKeyMode.VALUE).of(type.toRowSerializer().copy(key)))
                .isEqualTo(text);
    }

    /** A value is shortened, its hash is that of all of it. */
    @Test
    void longKeysDifferInTheirHashes() {
        InternalTypeInfo<RowData> type = InternalTypeInfo.ofFields(TEXT);
        RowData one = row(type, StringData.fromString("x".repeat(200) + 1));
        RowData two = row(type, StringData.fromString("x".repeat(200) + 2));

        KeyText values = new KeyText(type, HottestKeyMode.VALUE);
        assertThat(values.of(one)).isEqualTo("x".repeat(100) + "...").isEqualTo(values.of(two));
        KeyText hashes = new KeyText(type, HottestKeyMode.HASH);
        assertThat(hashes.of(one)).isNotEqualTo(hashes.of(two));
    }

    private static RowData row(InternalTypeInfo<RowData> type, Object... fields) {
        return type.toRowSerializer().toBinaryRow(GenericRowData.of(fields)).copy();
    }
}
