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
package io.stateaccel.operators.window;

import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.window.aggregate.BestResultsSpec;
import io.stateaccel.operators.window.aggregate.HeapWindowAggregate;
import io.stateaccel.operators.window.aggregate.HeapWindowAggregateSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Random;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.operators.aggregate.window.WindowAggOperatorBuilder;
import org.apache.flink.table.runtime.operators.window.tvf.slicing.SliceAssigner;
import org.apache.flink.table.runtime.operators.window.tvf.slicing.SliceAssigners;
import org.apache.flink.table.runtime.typeutils.PagedTypeSerializer;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;

/**
 * The aggregate of a window.
 *
 * @param kind of the window
 * @param isEventTime or processing time
 * @param ofPartials whether accumulators come, in two phases
 * @param mergesTwice whether ours merges each by itself first, as data views want it
 * @param retracts whether rows may be retracted
 * @param countsDistinct in a view in state
 * @param unit milliseconds that slices are as long as
 * @param slices of a window
 * @param zone of its times
 * @param begin of the times of rows, milliseconds
 * @param heapBytes of ours
 */
public record WindowCase(
        Kind kind,
        boolean isEventTime,
        boolean ofPartials,
        boolean mergesTwice,
        boolean retracts,
        boolean countsDistinct,
        long unit,
        int slices,
        ZoneId zone,
        long begin,
        long heapBytes)
        implements WindowQuery {

    public static final int VALUE = 1;
    public static final int TIME = 2;

    /** Of what a local aggregate sends. */
    private static final int SLICE_END = 1;

    private static final int PARTIAL = 2;

    public static final LogicalType[] ROW = {
        VarCharType.STRING_TYPE, new BigIntType(), new TimestampType(3)
    };
    private static final LogicalType[] PARTIALS = {
        VarCharType.STRING_TYPE,
        new TimestampType(3),
        new BigIntType(),
        new BigIntType(),
        VarCharType.STRING_TYPE
    };

    public enum Kind {
        TUMBLE,
        HOP,
        CUMULATE
    }

    public static WindowCase random(Random random) {
        Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
        boolean isEventTime = random.nextInt(3) > 0;
        boolean ofPartials = isEventTime && random.nextInt(3) == 0;
        boolean isLocal = random.nextInt(3) == 0;
        long[] budgets = {0, 600, 3_000, 20_000, 1L << 30, 1L << 30};
        return new WindowCase(
                kind,
                isEventTime,
                ofPartials,
                ofPartials && random.nextBoolean(),
                !ofPartials && random.nextInt(3) == 0,
                !ofPartials && kind == Kind.TUMBLE && random.nextInt(3) == 0,
                isLocal ? Duration.ofMinutes(30).toMillis() : 10,
                kind == Kind.TUMBLE ? 1 : 2 + random.nextInt(4),
                ZoneId.of(isLocal ? "America/Los_Angeles" : "UTC"),
                isLocal ? begin(random) : 1_000,
                budgets[random.nextInt(budgets.length)]);
    }

    /**
     * Some hours before daylight saving begins, or some day. When it ends, Flink writes its buffer
     * too late for windows of the hour that comes twice, and their results lack rows.
     */
    public static long begin(Random random) {
        return Instant.parse(random.nextBoolean() ? "2021-03-14T07:00:00Z" : "2021-11-10T06:00:00Z")
                .toEpochMilli();
    }

    @Override
    public OneInputStreamOperator<RowData, RowData> accelerated() {
        return accelerated(null);
    }

    /**
     * @param best which results anything is made of; null for all
     */
    public OneInputStreamOperator<RowData, RowData> accelerated(@Nullable BestResultsSpec best) {
        return new HeapWindowAggregate(
                        new HeapWindowAggregateSpec(
                                functions(0),
                                functions(mergesTwice ? 0 : PARTIAL),
                                mergesTwice ? functions(PARTIAL) : null,
                                ofPartials,
                                retracts,
                                assigner(),
                                WindowFunctions.ACCUMULATOR,
                                indexOfCountStar(),
                                zone,
                                heapBytes,
                                best))
                .operator();
    }

    @Override
    public OneInputStreamOperator<RowData, RowData> stock() {
        RowDataSerializer accumulators = new RowDataSerializer(WindowFunctions.ACCUMULATOR);
        WindowAggOperatorBuilder builder =
                WindowAggOperatorBuilder.builder()
                        .inputSerializer(new RowDataSerializer(ofPartials ? PARTIALS : ROW))
                        .shiftTimeZone(zone)
                        .keySerializer(
                                (PagedTypeSerializer<RowData>)
                                        new JoinCase.Selector(KEY).getProducedType().toSerializer())
                        .assigner(assigner())
                        .countStarIndex(indexOfCountStar());
        return ofPartials
                ? builder.globalAggregate(
                                functions(PARTIAL), functions(0), functions(0), accumulators)
                        .build()
                : builder.aggregate(functions(0), accumulators).build();
    }

    private WindowFunctions<Long> functions(int offset) {
        return new WindowFunctions<>(offset, countsDistinct);
    }

    /** Only a HOP window has to know it. */
    private int indexOfCountStar() {
        return kind == Kind.HOP || retracts ? 0 : -1;
    }

    private SliceAssigner assigner() {
        int time = !isEventTime ? -1 : ofPartials ? Integer.MAX_VALUE : TIME;
        Duration size = Duration.ofMillis(unit * slices);
        Duration slice = Duration.ofMillis(unit);
        SliceAssigner assigner =
                switch (kind) {
                    case TUMBLE -> SliceAssigners.tumbling(time, zone, size);
                    case HOP -> SliceAssigners.hopping(time, zone, size, slice);
                    case CUMULATE -> SliceAssigners.cumulative(time, zone, size, slice);
                };
        return ofPartials ? SliceAssigners.sliced(SLICE_END, assigner) : assigner;
    }

    /** A local aggregate sends the end of the row's slice, in the zone, and not its time. */
    @Override
    public BinaryRowData row(RowKind rowKind, String key, long value, long time, long number) {
        if (!ofPartials) {
            return row(rowKind, key, value, time);
        }
        BinaryRowData row = new BinaryRowData(PARTIALS.length);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeRowKind(rowKind);
        writer.writeString(KEY, StringData.fromString(key));
        writer.writeTimestamp(
                SLICE_END, TimestampData.fromEpochMillis(sliceEnd(time, unit, zone)), 3);
        writer.writeLong(PARTIAL, 1);
        writer.writeLong(PARTIAL + 1, value);
        writer.writeString(PARTIAL + 2, StringData.fromString(value + ","));
        writer.complete();
        return row;
    }

    /** One with its time. */
    public static BinaryRowData row(RowKind rowKind, String key, long value, long time) {
        BinaryRowData row = new BinaryRowData(ROW.length);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeRowKind(rowKind);
        writer.writeString(KEY, StringData.fromString(key));
        writer.writeLong(VALUE, value);
        writer.writeTimestamp(TIME, TimestampData.fromEpochMillis(time), 3);
        writer.complete();
        return row;
    }

    /** The end of the slice of a row, in the zone. */
    public static long sliceEnd(long time, long unit, ZoneId zone) {
        long local =
                time
                        + zone.getRules().getOffset(Instant.ofEpochMilli(time)).getTotalSeconds()
                                * 1000L;
        return local - Math.floorMod(local, unit) + unit;
    }

    @Override
    public String text(RowData result) {
        return WindowFunctions.text(result);
    }
}
