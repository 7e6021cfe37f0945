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
package io.stateaccel.operators.window.join;

import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.window.WindowCase;
import io.stateaccel.operators.window.WindowedRows;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Random;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.apache.flink.table.runtime.operators.join.window.WindowJoinOperatorBuilder;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.VarCharType;

/**
 * A join of windows.
 *
 * @param hasCondition besides key and window
 * @param filtersNull whether NULL equals nothing
 * @param unit milliseconds that the shortest windows are as long as
 * @param windows of different length that rows of one time are in
 * @param zone of the windows
 * @param begin of the times of rows, milliseconds
 * @param heapBytes of ours
 */
record WindowJoinCase(
        FlinkJoinType joinType,
        boolean hasCondition,
        boolean filtersNull,
        long unit,
        int windows,
        ZoneId zone,
        long begin,
        long heapBytes) {

    private static final int WINDOW_END = 3;

    private static final InternalTypeInfo<RowData> ROW =
            InternalTypeInfo.ofFields(
                    VarCharType.STRING_TYPE, new BigIntType(), new IntType(), new BigIntType());

    static WindowJoinCase random(Random random) {
        boolean isLocal = random.nextInt(3) == 0;
        long[] budgets = {0, 600, 3_000, 20_000, 1L << 30, 1L << 30};
        return new WindowJoinCase(
                FlinkJoinType.values()[random.nextInt(FlinkJoinType.values().length)],
                random.nextBoolean(),
                random.nextInt(3) > 0,
                isLocal ? Duration.ofMinutes(30).toMillis() : 10,
                1 + random.nextInt(3),
                ZoneId.of(isLocal ? "America/Los_Angeles" : "UTC"),
                isLocal ? WindowCase.begin(random) : 1_000,
                budgets[random.nextInt(budgets.length)]);
    }

    TwoInputStreamOperator<RowData, RowData, RowData> accelerated() {
        return new HeapWindowJoin(
                new HeapWindowJoinSpec(
                        joinType,
                        new WindowedRows(ROW, WINDOW_END, zone, heapBytes),
                        new WindowedRows(ROW, WINDOW_END, zone, heapBytes),
                        new JoinCase.TestCondition(hasCondition),
                        new boolean[] {filtersNull}));
    }

    TwoInputStreamOperator<RowData, RowData, RowData> stock() {
        return WindowJoinOperatorBuilder.builder()
                .leftSerializer(ROW.toRowSerializer())
                .rightSerializer(ROW.toRowSerializer())
                .generatedJoinCondition(new JoinCase.TestCondition(hasCondition))
                .leftWindowEndIndex(WINDOW_END)
                .rightWindowEndIndex(WINDOW_END)
                .filterNullKeys(new boolean[] {filtersNull})
                .joinType(joinType)
                .withShiftTimezone(zone)
                .build();
    }

    /**
     * @param time milliseconds
     * @param number of the row among all
     */
    BinaryRowData row(@Nullable String key, int value, long time, long number) {
        BinaryRowData row = new BinaryRowData(ROW.toRowSize());
        BinaryRowWriter writer = new BinaryRowWriter(row);
        if (key == null) {
            writer.setNullAt(JoinCase.KEY);
        } else {
            writer.writeString(JoinCase.KEY, StringData.fromString(key));
        }
        writer.writeLong(JoinCase.ID, number);
        writer.writeInt(JoinCase.VALUE, value);
        writer.writeLong(
                WINDOW_END,
                WindowCase.sliceEnd(time, unit, zone) + unit * Math.floorMod(number, windows));
        writer.complete();
        return row;
    }

    /** Of a result; what it is of before the colon. */
    static String text(RowData result) {
        int right = ROW.toRowSize();
        boolean isLeft = !result.isNullAt(JoinCase.ID);
        boolean isRight = result.getArity() > right && !result.isNullAt(right + JoinCase.ID);
        int side = isLeft ? 0 : right;
        return "%s until %d: %s, %s"
                .formatted(
                        result.isNullAt(side) ? null : result.getString(side),
                        result.getLong(side + WINDOW_END),
                        isLeft ? result.getLong(JoinCase.ID) : "none",
                        isRight ? result.getLong(right + JoinCase.ID) : "none");
    }
}
