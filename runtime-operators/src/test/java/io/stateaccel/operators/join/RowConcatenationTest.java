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
package io.stateaccel.operators.join;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RawValueData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.DistinctType;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RawType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;

class RowConcatenationTest {

    private static final List<LogicalType> TYPES =
            List.of(
                    new BooleanType(),
                    new IntType(),
                    new BigIntType(),
                    new DoubleType(),
                    new VarCharType(VarCharType.MAX_LENGTH),
                    new VarBinaryType(VarBinaryType.MAX_LENGTH),
                    new DecimalType(10, 2),
                    new DecimalType(38, 10),
                    new TimestampType(3),
                    new TimestampType(9),
                    new LocalZonedTimestampType(6),
                    new ArrayType(new IntType()),
                    new MapType(new IntType(), new VarCharType(20)),
                    RowType.of(new VarCharType(20), new BigIntType()),
                    new RawType<>(Integer.class, IntSerializer.INSTANCE));

    @Test
    void givesTheBytesThatFlinkGives() {
        final long seed = Long.getLong("stateaccel.seed", System.nanoTime());
        final Random random = new Random(seed);
        for (int i = 0; i < 2000; i++) {
            final RowType left = randomType(random);
            final RowType right = randomType(random);
            final List<LogicalType> both = new ArrayList<>(left.getChildren());
            both.addAll(right.getChildren());
            final RowDataSerializer flinks =
                    new RowDataSerializer(both.toArray(new LogicalType[0]));
            final RowConcatenation concatenation = RowConcatenation.create(left, right);
            for (int row = 0; row < 5; row++) {
                final BinaryRowData leftRow = randomRow(left, random);
                final BinaryRowData rightRow = randomRow(right, random);
                final RowKind kind = RowKind.values()[random.nextInt(4)];
                assertThat(concatenation.of(kind, leftRow, rightRow))
                        .as("-Dstateaccel.seed=%d: %s, %s", seed, left, right)
                        .isEqualTo(flinks.toBinaryRow(new JoinedRowData(kind, leftRow, rightRow)));
            }
        }
    }

    @Test
    void leavesRowsThatFlinkWouldWriteOtherwise() {
        final RowType type = RowType.of(new DecimalType(38, 10), new VarCharType(100));
        final RowConcatenation concatenation = RowConcatenation.create(type, type);
        final BinaryRowData regular =
                row(type, GenericRowData.of(null, StringData.fromString("long enough")));
        final BinaryRowData withRoomForNull = new BinaryRowData(2);
        BinaryRowWriter writer = new BinaryRowWriter(withRoomForNull);
        writer.writeDecimal(0, null, 38);
        writer.writeString(1, StringData.fromString("long enough"));
        writer.complete();
        final BinaryRowData inAnotherOrder = new BinaryRowData(2);
        writer = new BinaryRowWriter(inAnotherOrder);
        writer.writeString(1, StringData.fromString("long enough"));
        writer.writeDecimal(0, DecimalData.fromBigDecimal(new BigDecimal("1.5"), 38, 10), 38);
        writer.complete();
        final BinaryRowData inTwoSegments = new BinaryRowData(2);
        final MemorySegment[] segments = {
            MemorySegmentFactory.wrap(new byte[32]), MemorySegmentFactory.wrap(new byte[32])
        };
        segments[0].put(0, regular.getSegments()[0].getArray(), regular.getOffset(), 32);
        segments[1].put(
                0,
                regular.getSegments()[0].getArray(),
                regular.getOffset() + 32,
                regular.getSizeInBytes() - 32);
        inTwoSegments.pointTo(segments, 0, regular.getSizeInBytes());
        final BinaryRowData withAnotherEnd = regular.copy();
        withAnotherEnd.getSegments()[0].put(regular.getSizeInBytes() - 1, (byte) 1);

        assertThat(concatenation.of(RowKind.INSERT, regular, regular)).isNotNull();
        for (RowData other :
                List.of(
                        withRoomForNull,
                        inAnotherOrder,
                        inTwoSegments,
                        withAnotherEnd,
                        GenericRowData.of(null, null))) {
            assertThat(concatenation.of(RowKind.INSERT, regular, other)).isNull();
            assertThat(concatenation.of(RowKind.INSERT, other, regular)).isNull();
        }
    }

    @Test
    void isNotTriedWithTypesItDoesNotKnow() {
        final RowType known = RowType.of(new IntType());
        final RowType unknown =
                RowType.of(
                        DistinctType.newBuilder(
                                        ObjectIdentifier.of("c", "d", "money"), new BigIntType())
                                .build());
        assertThat(RowConcatenation.create(known, unknown)).isNull();
        assertThat(RowConcatenation.create(unknown, known)).isNull();
    }

    private static RowType randomType(Random random) {
        // Up to more NULL bits than one word has.
        final int arity = random.nextInt(10) == 0 ? 50 + random.nextInt(90) : random.nextInt(12);
        return RowType.of(
                IntStream.rangeClosed(0, arity)
                        .mapToObj(field -> TYPES.get(random.nextInt(TYPES.size())))
                        .toArray(LogicalType[]::new));
    }

    private static BinaryRowData randomRow(RowType type, Random random) {
        final GenericRowData values = new GenericRowData(type.getFieldCount());
        final int nulls = random.nextInt(4);
        for (int field = 0; field < values.getArity(); field++) {
            values.setField(
                    field,
                    random.nextInt(4) < nulls ? null : randomValue(type.getTypeAt(field), random));
        }
        final BinaryRowData row = row(type, values);
        // Where it is not alone in its segment.
        final int before = random.nextInt(3) * 8;
        final byte[] bytes = new byte[before + row.getSizeInBytes() + 8];
        random.nextBytes(bytes);
        row.getSegments()[0].get(row.getOffset(), bytes, before, row.getSizeInBytes());
        row.pointTo(MemorySegmentFactory.wrap(bytes), before, row.getSizeInBytes());
        return row;
    }

    private static BinaryRowData row(RowType type, GenericRowData values) {
        return new RowDataSerializer(type).toBinaryRow(values).copy();
    }

    private static Object randomValue(LogicalType type, Random random) {
        switch (type.getTypeRoot()) {
            case BOOLEAN:
                return random.nextBoolean();
            case INTEGER:
                return random.nextInt();
            case BIGINT:
                return random.nextLong();
            case DOUBLE:
                return random.nextGaussian();
            case VARCHAR:
                return StringData.fromString("x".repeat(random.nextInt(20)));
            case VARBINARY:
                final byte[] bytes = new byte[random.nextInt(20)];
                random.nextBytes(bytes);
                return bytes;
            case DECIMAL:
                final DecimalType decimal = (DecimalType) type;
                return DecimalData.fromBigDecimal(
                        BigDecimal.valueOf(random.nextInt(), decimal.getScale()),
                        decimal.getPrecision(),
                        decimal.getScale());
            case TIMESTAMP_WITHOUT_TIME_ZONE:
                return TimestampData.fromEpochMillis(
                        random.nextInt(),
                        ((TimestampType) type).getPrecision() > 3 ? random.nextInt(1_000_000) : 0);
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return TimestampData.fromEpochMillis(random.nextInt(), random.nextInt(1000) * 1000);
            case ARRAY:
                return new GenericArrayData(random.ints(random.nextInt(4)).toArray());
            case MAP:
                return new GenericMapData(
                        Map.of(random.nextInt(), StringData.fromString("a value of a map")));
            case ROW:
                return GenericRowData.of(
                        random.nextBoolean() ? null : StringData.fromString("of a nested row"),
                        random.nextLong());
            default:
                return RawValueData.fromObject(random.nextInt());
        }
    }
}
