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
package io.stateaccel.operators.over;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.join.JoinCase;
import java.util.Random;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.operators.over.RowTimeRangeBoundedPrecedingFunction;
import org.apache.flink.table.runtime.operators.over.RowTimeRangeUnboundedPrecedingFunction;
import org.apache.flink.table.runtime.operators.over.RowTimeRowsBoundedPrecedingFunction;
import org.apache.flink.table.runtime.operators.over.RowTimeRowsUnboundedPrecedingFunction;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarCharType;

/**
 * An OVER aggregate by row time.
 *
 * @param isRows whether the frame is of ROWS
 * @param preceding as {@link RowTimeOverSpec} has it
 * @param countsDistinct in a view in state
 * @param retention of partitions that get no row, in Flink's operator and ours
 * @param heapBytes for rows of ours that wait
 */
record OverCase(
        boolean isRows,
        long preceding,
        boolean countsDistinct,
        IdleRetention retention,
        long heapBytes) {

    static final int KEY = 0;
    static final int VALUE = 1;
    private static final int TIME = 2;

    /** Wide rows soon fill the chunks of a queue. */
    private static final int PADDING = 3;

    private static final LogicalType[] ROW = {
        VarCharType.STRING_TYPE, new BigIntType(), new TimestampType(3), VarCharType.STRING_TYPE
    };

    static LogicalType[] rowTypes() {
        return ROW.clone();
    }

    static OverCase random(Random random) {
        boolean isRows = random.nextBoolean();
        boolean isBounded = random.nextInt(3) > 0;
        long[] budgets = {0, 1_000, 10_000, 1L << 30, 1L << 30};
        long retention = 50 + random.nextInt(200);
        return new OverCase(
                isRows,
                !isBounded
                        ? RowTimeOverSpec.UNBOUNDED
                        : isRows ? 1 + random.nextInt(6) : random.nextInt(80),
                random.nextInt(3) == 0,
                isBounded && !isRows || random.nextBoolean()
                        ? IdleRetention.FOREVER
                        : new IdleRetention(retention, retention * 3 / 2),
                budgets[random.nextInt(budgets.length)]);
    }

    boolean isBounded() {
        return preceding != RowTimeOverSpec.UNBOUNDED;
    }

    OneInputStreamOperator<RowData, RowData> accelerated() {
        return new RowTimeOverOperator(
                new RowTimeOverSpec(
                        InternalTypeInfo.ofFields(ROW),
                        new JoinCase.Selector(KEY),
                        TIME,
                        isRows,
                        preceding,
                        new OverFunctions(countsDistinct),
                        OverFunctions.ACCUMULATOR,
                        retention,
                        new BundleSettings(1000, 1000),
                        heapBytes));
    }

    OneInputStreamOperator<RowData, RowData> stock() {
        return new KeyedProcessOperator<>(function());
    }

    private KeyedProcessFunction<RowData, RowData, RowData> function() {
        OverFunctions functions = new OverFunctions(countsDistinct);
        long min = retention.minMillis();
        long max = retention.maxMillis();
        LogicalType[] accumulator = OverFunctions.ACCUMULATOR;
        if (!isBounded()) {
            return isRows
                    ? new RowTimeRowsUnboundedPrecedingFunction<>(
                            min, max, functions, accumulator, ROW, TIME)
                    : new RowTimeRangeUnboundedPrecedingFunction<>(
                            min, max, functions, accumulator, ROW, TIME);
        }
        return isRows
                ? new RowTimeRowsBoundedPrecedingFunction<>(
                        min, max, functions, accumulator, ROW, preceding, TIME)
                : new RowTimeRangeBoundedPrecedingFunction<>(
                        functions, accumulator, ROW, preceding, TIME);
    }

    /**
     * @param time milliseconds
     */
    static BinaryRowData row(String key, long value, long time, String padding) {
        BinaryRowData row = new BinaryRowData(ROW.length);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeString(KEY, StringData.fromString(key));
        writer.writeLong(VALUE, value);
        writer.writeTimestamp(TIME, TimestampData.fromEpochMillis(time), 3);
        writer.writeString(PADDING, StringData.fromString(padding));
        writer.complete();
        return row;
    }

    static String keyOf(RowData result) {
        return result.getString(KEY).toString();
    }

    /** What a row of the result says. */
    static String text(RowData result) {
        int first = ROW.length;
        return "%s %d at %d: count %d, sum %d, values %s, different %d"
                .formatted(
                        result.getRowKind().shortString(),
                        result.getLong(VALUE),
                        result.getLong(TIME),
                        result.getLong(first),
                        result.getLong(first + 1),
                        result.getString(first + 2),
                        result.getLong(first + 3));
    }
}
