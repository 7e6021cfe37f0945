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

import io.stateaccel.views.list.RowQueue;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;

/** What the state has of a partition, but for the rows of its frame. */
final class Partition {

    static final long NEVER = Long.MIN_VALUE;

    private static final int DROPPED_AT = 0;
    private static final int LAST_TIME = 1;
    private static final int OLDEST = 2;
    private static final int FIRST_CHUNK = 3;
    private static final int GONE = 4;
    private static final int LAST_CHUNK = 5;
    private static final int LAST_BYTES = 6;
    private static final int ROWS = 7;

    /** What the state has, which begins with the accumulator; null if it has nothing. */
    @Nullable RowData stored;

    /** When there is a timer that may drop it, {@link #NEVER} if there is none. */
    long droppedAt = NEVER;

    /** Up to which row time the partition is worked off. Flink's begins in 1970. */
    long lastTime;

    /** The time of the first row of its frame, if that has any. */
    long oldest;

    /** Of the rows of its frame. */
    RowQueue.Ends ends = RowQueue.Ends.EMPTY;

    boolean isChanged;

    /** Whether the accumulator is what the functions have. */
    boolean isHeld;

    private Partition() {}

    /** How partitions are stored: the fields of the accumulator, and behind them the others. */
    static final class Format {

        private final int fields;
        private final boolean hasFrame;
        private final InternalTypeInfo<RowData> type;
        private final RowDataSerializer serializer;

        /**
         * @param accumulatorTypes the fields of an accumulator
         * @param hasFrame whether rows leave the frame, so that they are kept
         */
        Format(LogicalType[] accumulatorTypes, boolean hasFrame) {
            this.fields = accumulatorTypes.length;
            this.hasFrame = hasFrame;
            this.type =
                    InternalTypeInfo.ofFields(
                            Stream.concat(Stream.of(accumulatorTypes), others(hasFrame))
                                    .toArray(LogicalType[]::new));
            this.serializer = type.toRowSerializer();
        }

        private static Stream<LogicalType> others(boolean hasFrame) {
            LogicalType time = new BigIntType();
            LogicalType chunk = new IntType();
            return hasFrame
                    ? Stream.of(time, time, time, chunk, chunk, chunk, chunk, new BigIntType())
                    : Stream.of(time);
        }

        InternalTypeInfo<RowData> type() {
            return type;
        }

        /**
         * @param stored null if nothing is
         */
        Partition read(@Nullable RowData stored) {
            Partition partition = new Partition();
            if (stored == null) {
                return partition;
            }
            partition.stored = stored;
            partition.droppedAt = stored.getLong(fields + DROPPED_AT);
            if (hasFrame) {
                partition.lastTime = stored.getLong(fields + LAST_TIME);
                partition.oldest = stored.getLong(fields + OLDEST);
                partition.ends =
                        new RowQueue.Ends(
                                stored.getInt(fields + FIRST_CHUNK),
                                stored.getInt(fields + GONE),
                                stored.getInt(fields + LAST_CHUNK),
                                stored.getInt(fields + LAST_BYTES),
                                stored.getLong(fields + ROWS));
            }
            return partition;
        }

        /**
         * @param accumulator what that has become
         */
        BinaryRowData write(Partition partition, RowData accumulator) {
            RowQueue.Ends ends = partition.ends;
            RowData others =
                    hasFrame
                            ? GenericRowData.of(
                                    partition.droppedAt,
                                    partition.lastTime,
                                    partition.oldest,
                                    ends.firstChunk(),
                                    ends.gone(),
                                    ends.lastChunk(),
                                    ends.lastBytes(),
                                    ends.rows())
                            : GenericRowData.of(partition.droppedAt);
            return serializer.toBinaryRow(new JoinedRowData(accumulator, others)).copy();
        }
    }
}
