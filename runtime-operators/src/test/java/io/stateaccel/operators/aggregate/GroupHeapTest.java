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

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.Test;

class GroupHeapTest {

    private static final long MANY = Long.MAX_VALUE;

    @Test
    void fillsUpWithGroups() {
        GroupHeap heap = new GroupHeap(types(new BigIntType()), 10_000, MANY);
        int groups = 0;
        while (!heap.isFull()) {
            heap.groupAdded(key());
            groups++;
        }
        assertThat(groups).isBetween(10, 100);

        heap.clear();
        assertThat(heap.isFull()).isFalse();
    }

    @Test
    void fillsUpWithTextsThatGrow() {
        GroupHeap heap = new GroupHeap(types(VarCharType.STRING_TYPE), 10_000, MANY);
        heap.groupAdded(key());
        long bytes = heap.measure(text(8_000), 0);
        assertThat(bytes).isEqualTo(8_000);
        assertThat(heap.isFull()).isFalse();

        bytes = heap.measure(text(11_000), bytes);
        assertThat(heap.isFull()).isTrue();

        heap.measure(text(10), bytes);
        assertThat(heap.isFull()).as("a text that has become shorter").isFalse();
    }

    @Test
    void limitsRowsWhereAccumulatorsMayGrow() {
        assertThat(isFullAfterTwoRows(new ArrayType(new BigIntType()))).isTrue();
        assertThat(isFullAfterTwoRows(VarCharType.STRING_TYPE)).isTrue();
        assertThat(isFullAfterTwoRows(new BigIntType())).isFalse();
        assertThat(isFullAfterTwoRows(new DecimalType(38, 2))).isFalse();
        assertThat(isFullAfterTwoRows(new TimestampType(9))).isFalse();
    }

    private static boolean isFullAfterTwoRows(LogicalType type) {
        GroupHeap heap = new GroupHeap(types(new BigIntType(), type), MANY, 2);
        heap.rowAdded();
        assertThat(heap.isFull()).isFalse();
        heap.rowAdded();
        return heap.isFull();
    }

    @Test
    void isNeverFullWithoutBounds() {
        GroupHeap heap = GroupHeap.unbounded();
        for (int i = 0; i < 1_000_000; i++) {
            heap.groupAdded(key());
            heap.rowAdded();
        }
        assertThat(heap.isFull()).isFalse();
    }

    private static LogicalType[] types(LogicalType... types) {
        return types;
    }

    private static GenericRowData text(int length) {
        return GenericRowData.of(StringData.fromString("x".repeat(length)));
    }

    private static BinaryRowData key() {
        BinaryRowData key = new BinaryRowData(1);
        BinaryRowWriter writer = new BinaryRowWriter(key);
        writer.writeLong(0, 1);
        writer.complete();
        return key;
    }
}
