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
package io.stateaccel.operators.window.session;

import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.window.WindowCase;
import io.stateaccel.operators.window.WindowFunctions;
import io.stateaccel.operators.window.WindowQuery;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Random;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.operators.aggregate.window.WindowAggOperatorBuilder;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.table.runtime.operators.window.tvf.unslicing.UnsliceAssigner;
import org.apache.flink.table.runtime.operators.window.tvf.unslicing.UnsliceAssigners;
import org.apache.flink.table.runtime.typeutils.PagedTypeSerializer;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;

/**
 * The aggregate of windows of {@code SESSION}.
 *
 * @param isEventTime or processing time
 * @param areCarried whether rows have their windows with them
 * @param retracts whether rows may be retracted
 * @param countsDistinct in a view in state
 * @param unit milliseconds by which time goes on
 * @param gap milliseconds that end a session
 * @param zone of its times
 * @param begin of the times of rows, milliseconds
 * @param heapBytes of ours
 */
public record SessionCase(
        boolean isEventTime,
        boolean areCarried,
        boolean retracts,
        boolean countsDistinct,
        long unit,
        long gap,
        ZoneId zone,
        long begin,
        long heapBytes)
        implements WindowQuery {

    private static final int WINDOW_START = 2;
    private static final int WINDOW_END = 3;

    /** Of rows that carry their window. */
    private static final LogicalType[] CARRIED = {
        VarCharType.STRING_TYPE, new BigIntType(), new TimestampType(3), new TimestampType(3)
    };

    static SessionCase random(Random random) {
        boolean isEventTime = random.nextInt(3) > 0;
        boolean isLocal = random.nextInt(3) == 0;
        long unit = isLocal ? Duration.ofMinutes(30).toMillis() : 10;
        long[] budgets = {0, 600, 3_000, 20_000, 1L << 30, 1L << 30};
        return new SessionCase(
                isEventTime,
                isEventTime && random.nextInt(4) == 0,
                random.nextInt(3) == 0,
                random.nextInt(3) == 0,
                unit,
                gap(random, unit),
                ZoneId.of(isLocal ? "America/Los_Angeles" : "UTC"),
                isLocal ? WindowCase.begin(random) : 1_000,
                budgets[random.nextInt(budgets.length)]);
    }

    /**
     * More than a millisecond: with that, a second row in one cannot be merged on processing time
     * in Flink, which says that the window has passed.
     */
    public static long gap(Random random, long unit) {
        return Math.max(2, unit * (1 + random.nextInt(20)) / 10);
    }

    @Override
    public OneInputStreamOperator<RowData, RowData> accelerated() {
        return new HeapSessionAggregate(
                        new SessionSpec(
                                windows(),
                                new WindowFunctions<>(0, countsDistinct),
                                countsDistinct,
                                WindowFunctions.ACCUMULATOR,
                                indexOfCountStar(),
                                heapBytes))
                .operator();
    }

    private SessionWindows windows() {
        if (areCarried) {
            return SessionWindows.carried(WINDOW_START, WINDOW_END, zone);
        }
        return isEventTime
                ? SessionWindows.ofRowTime(WindowCase.TIME, gap, zone)
                : SessionWindows.ofProcessingTime(gap, zone);
    }

    @Override
    public OneInputStreamOperator<RowData, RowData> stock() {
        UnsliceAssigner<TimeWindow> sessions =
                UnsliceAssigners.session(
                        isEventTime ? WindowCase.TIME : -1, zone, Duration.ofMillis(gap));
        return WindowAggOperatorBuilder.builder()
                .inputSerializer(new RowDataSerializer(areCarried ? CARRIED : WindowCase.ROW))
                .shiftTimeZone(zone)
                .keySerializer(
                        (PagedTypeSerializer<RowData>)
                                new JoinCase.Selector(KEY).getProducedType().toSerializer())
                .assigner(
                        areCarried
                                ? UnsliceAssigners.windowed(WINDOW_START, WINDOW_END, sessions)
                                : sessions)
                .countStarIndex(indexOfCountStar())
                .aggregate(
                        new WindowFunctions<TimeWindow>(0, countsDistinct),
                        new RowDataSerializer(WindowFunctions.ACCUMULATOR))
                .build();
    }

    private int indexOfCountStar() {
        return retracts ? 0 : -1;
    }

    @Override
    public BinaryRowData row(RowKind rowKind, String key, long value, long time, long number) {
        if (!areCarried) {
            return WindowCase.row(rowKind, key, value, time);
        }
        BinaryRowData row = new BinaryRowData(CARRIED.length);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeRowKind(rowKind);
        writer.writeString(KEY, StringData.fromString(key));
        writer.writeLong(WindowCase.VALUE, value);
        long end = WindowCase.sliceEnd(time, unit, zone);
        writer.writeTimestamp(
                WINDOW_START, TimestampData.fromEpochMillis(end - unit * (1 + number % 3)), 3);
        writer.writeTimestamp(WINDOW_END, TimestampData.fromEpochMillis(end), 3);
        writer.complete();
        return row;
    }

    @Override
    public String text(RowData result) {
        String text = WindowFunctions.text(result);
        // Sessions of one key end in an order; windows that rows carry here may end together.
        return areCarried ? text : result.getString(KEY) + ": " + text;
    }
}
