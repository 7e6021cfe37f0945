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
package io.stateaccel.operators.window.topn;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.window.WindowedRows;
import java.time.ZoneId;
import java.util.List;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.generated.GeneratedRecordComparator;
import org.apache.flink.table.runtime.generated.RecordComparator;
import org.apache.flink.table.runtime.operators.rank.window.WindowRankOperatorBuilder;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.typeutils.PagedTypeSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.Test;

/**
 * Rows that rank equal by what is not the same, as 0.0 and -0.0, in a top-N of a window: all of
 * them count. Flink has them in several entries of its state, if they come between several
 * checkpoints, and emits one of these.
 */
class RowsThatRankEqualTest {

    private static final int KEY = 0;
    private static final int VALUE = 1;
    private static final int WINDOW_END = 2;

    private static final ZoneId ZONE = ZoneId.of("UTC");
    private static final InternalTypeInfo<RowData> ROW =
            InternalTypeInfo.ofFields(VarCharType.STRING_TYPE, new BigIntType(), new BigIntType());

    @Test
    void allCount() throws Exception {
        assertThat(play(accelerated(), accelerated())).containsExactly(2L, 3L, 2L);
    }

    @Test
    void allCountThatStockHasStored() throws Exception {
        assertThat(play(stock(), accelerated())).containsExactlyInAnyOrder(2L, 3L, 2L);
    }

    @Test
    void stockEmitsSome() throws Exception {
        assertThat(play(stock(), stock())).hasSizeLessThan(3);
    }

    private static List<Long> play(
            OneInputStreamOperator<RowData, RowData> first,
            OneInputStreamOperator<RowData, RowData> second)
            throws Exception {
        JoinCase.Selector key = new JoinCase.Selector(KEY);
        try (var before =
                        new KeyedOneInputStreamOperatorTestHarness<>(
                                first, key, key.getProducedType());
                var after =
                        new KeyedOneInputStreamOperatorTestHarness<>(
                                second, key, key.getProducedType())) {
            before.open();
            long checkpoint = 0;
            for (long value : new long[] {2, 3}) {
                before.processElement(new StreamRecord<>(row(value)));
                before.prepareSnapshotPreBarrier(++checkpoint);
            }
            after.initializeState(before.snapshot(checkpoint, checkpoint));
            after.open();
            after.processElement(new StreamRecord<>(row(2)));
            after.processWatermark(new Watermark(100));
            return after.extractOutputValues().stream().map(row -> row.getLong(VALUE)).toList();
        }
    }

    private static OneInputStreamOperator<RowData, RowData> accelerated() {
        return new HeapWindowRank(
                        new WindowedRows(ROW, WINDOW_END, ZONE, 1 << 20),
                        new HalvesInOrder(VALUE),
                        new JoinCase.Selector(VALUE),
                        1,
                        3,
                        false)
                .operator();
    }

    @SuppressWarnings("unchecked")
    private static OneInputStreamOperator<RowData, RowData> stock() {
        return WindowRankOperatorBuilder.builder()
                .inputSerializer(ROW.toRowSerializer())
                .shiftTimeZone(ZONE)
                .keySerializer(
                        (PagedTypeSerializer<RowData>)
                                new JoinCase.Selector(KEY).getProducedType().toSerializer())
                .sortKeySelector(new JoinCase.Selector(VALUE))
                .sortKeyComparator(new HalvesInOrder(0))
                .outputRankNumber(false)
                .rankStart(1)
                .rankEnd(3)
                .windowEndIndex(WINDOW_END)
                .withEventTime(true)
                .build();
    }

    private static BinaryRowData row(long value) {
        BinaryRowData row = new BinaryRowData(ROW.toRowSize());
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeString(KEY, StringData.fromString("k"));
        writer.writeLong(VALUE, value);
        writer.writeLong(WINDOW_END, 50);
        writer.complete();
        return row;
    }

    /** 2 and 3 are equal. */
    private static final class HalvesInOrder extends GeneratedRecordComparator {

        private static final long serialVersionUID = 1L;

        private final int column;

        private HalvesInOrder(int column) {
            super("HalvesInOrder", "", new Object[0]);
            this.column = column;
        }

        @Override
        public RecordComparator newInstance(ClassLoader classLoader) {
            return (one, other) -> Long.compare(one.getLong(column) / 2, other.getLong(column) / 2);
        }
    }
}
