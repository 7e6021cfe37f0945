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

import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.window.WindowCase;
import io.stateaccel.operators.window.WindowQuery;
import io.stateaccel.operators.window.WindowedRows;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Random;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.generated.GeneratedRecordComparator;
import org.apache.flink.table.runtime.generated.RecordComparator;
import org.apache.flink.table.runtime.operators.deduplicate.window.RowTimeWindowDeduplicateOperatorBuilder;
import org.apache.flink.table.runtime.operators.rank.window.WindowRankOperatorBuilder;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.typeutils.PagedTypeSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;

/**
 * A top-N of a window, or a deduplication in one.
 *
 * @param kind what it is
 * @param rankStart of a top-N
 * @param rankEnd of a top-N
 * @param outputRankNumber of a top-N
 * @param isDescending the order of a top-N
 * @param unit milliseconds that the shortest windows are as long as
 * @param windows of different length that rows of one time are in
 * @param zone of the windows
 * @param begin of the times of rows, milliseconds
 * @param heapBytes of ours
 */
record WindowRowsCase(
        Kind kind,
        long rankStart,
        long rankEnd,
        boolean outputRankNumber,
        boolean isDescending,
        long unit,
        int windows,
        ZoneId zone,
        long begin,
        long heapBytes)
        implements WindowQuery {

    private static final int VALUE = 1;
    private static final int ROW_TIME = 2;
    private static final int NUMBER = 3;
    private static final int WINDOW_END = 4;
    private static final int RANK = 5;

    private static final InternalTypeInfo<RowData> ROW =
            InternalTypeInfo.ofFields(
                    VarCharType.STRING_TYPE,
                    new BigIntType(),
                    new BigIntType(),
                    new BigIntType(),
                    new BigIntType());

    enum Kind {
        TOP_N,
        FIRST_ROW,
        LAST_ROW
    }

    static WindowRowsCase random(Random random) {
        boolean isLocal = random.nextInt(3) == 0;
        long[] budgets = {0, 600, 3_000, 20_000, 1L << 30, 1L << 30};
        long rankStart = random.nextInt(4) == 0 ? 2 : 1;
        return new WindowRowsCase(
                random.nextBoolean() ? Kind.TOP_N : Kind.values()[1 + random.nextInt(2)],
                rankStart,
                rankStart + random.nextInt(random.nextInt(4) == 0 ? 100 : 4),
                random.nextBoolean(),
                random.nextBoolean(),
                isLocal ? Duration.ofMinutes(30).toMillis() : 10,
                1 + random.nextInt(3),
                ZoneId.of(isLocal ? "America/Los_Angeles" : "UTC"),
                isLocal ? WindowCase.begin(random) : 1_000,
                budgets[random.nextInt(budgets.length)]);
    }

    @Override
    public boolean isEventTime() {
        return true;
    }

    @Override
    public boolean retracts() {
        return false;
    }

    @Override
    public OneInputStreamOperator<RowData, RowData> accelerated() {
        WindowedRows rows = new WindowedRows(ROW, WINDOW_END, zone, heapBytes);
        return kind == Kind.TOP_N
                ? new HeapWindowRank(
                                rows,
                                new Order(VALUE, isDescending),
                                new JoinCase.Selector(VALUE),
                                rankStart,
                                rankEnd,
                                outputRankNumber)
                        .operator()
                : new HeapWindowDeduplicate(rows, ROW_TIME, kind == Kind.LAST_ROW).operator();
    }

    @Override
    @SuppressWarnings("unchecked")
    public OneInputStreamOperator<RowData, RowData> stock() {
        PagedTypeSerializer<RowData> keys =
                (PagedTypeSerializer<RowData>)
                        new JoinCase.Selector(KEY).getProducedType().toSerializer();
        return kind == Kind.TOP_N
                ? WindowRankOperatorBuilder.builder()
                        .inputSerializer(ROW.toRowSerializer())
                        .shiftTimeZone(zone)
                        .keySerializer(keys)
                        .sortKeySelector(new JoinCase.Selector(VALUE))
                        .sortKeyComparator(new Order(0, isDescending))
                        .outputRankNumber(outputRankNumber)
                        .rankStart(rankStart)
                        .rankEnd(rankEnd)
                        .windowEndIndex(WINDOW_END)
                        .withEventTime(true)
                        .build()
                : RowTimeWindowDeduplicateOperatorBuilder.builder()
                        .inputSerializer(ROW.toRowSerializer())
                        .shiftTimeZone(zone)
                        .keySerializer(keys)
                        .keepLastRow(kind == Kind.LAST_ROW)
                        .rowtimeIndex(ROW_TIME)
                        .windowEndIndex(WINDOW_END)
                        .build();
    }

    @Override
    public BinaryRowData row(RowKind rowKind, String key, long value, long time, long number) {
        BinaryRowData row = new BinaryRowData(ROW.toRowSize());
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeRowKind(rowKind);
        writer.writeString(KEY, StringData.fromString(key));
        if (value == 0) {
            writer.setNullAt(VALUE);
        } else {
            writer.writeLong(VALUE, value);
        }
        writer.writeLong(ROW_TIME, time);
        writer.writeLong(NUMBER, number);
        writer.writeLong(
                WINDOW_END,
                WindowCase.sliceEnd(time, unit, zone) + unit * Math.floorMod(number, windows));
        writer.complete();
        return row;
    }

    @Override
    public String text(RowData result) {
        return "%s until %d: %s #%d of %d%s"
                .formatted(
                        result.getString(KEY),
                        result.getLong(WINDOW_END),
                        result.isNullAt(VALUE) ? "NULL" : result.getLong(VALUE),
                        result.getLong(NUMBER),
                        result.getLong(ROW_TIME),
                        result.getArity() > RANK ? " is " + result.getLong(RANK) : "");
    }

    /** By one column, NULL last. */
    private static final class Order extends GeneratedRecordComparator {

        private static final long serialVersionUID = 1L;

        private final int column;
        private final boolean isDescending;

        private Order(int column, boolean isDescending) {
            super("Order", "", new Object[0]);
            this.column = column;
            this.isDescending = isDescending;
        }

        @Override
        public RecordComparator newInstance(ClassLoader classLoader) {
            return this::compare;
        }

        private int compare(RowData one, RowData other) {
            if (one.isNullAt(column) || other.isNullAt(column)) {
                return Boolean.compare(one.isNullAt(column), other.isNullAt(column));
            }
            int ascending = Long.compare(one.getLong(column), other.getLong(column));
            return isDescending ? -ascending : ascending;
        }
    }
}
