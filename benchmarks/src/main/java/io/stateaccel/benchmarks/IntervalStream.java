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
package io.stateaccel.benchmarks;

import java.util.Random;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.VarBinaryType;

/**
 * Two streams {@code (key BIGINT, time BIGINT, payload VARBINARY)} for an interval join,
 * alternating, one row a millisecond. A left row has a key of its own. Half of the right rows come
 * for a left row within the interval, the others for a key that there is not: three reads in four
 * find nothing.
 */
final class IntervalStream {

    static final int KEY = 0;
    static final int TIME = 1;
    static final InternalTypeInfo<RowData> ROW =
            InternalTypeInfo.ofFields(
                    new BigIntType(),
                    new BigIntType(),
                    new VarBinaryType(VarBinaryType.MAX_LENGTH));

    private final int interval;
    private final Random random = new Random(42);
    private final byte[] payload;
    private long time;

    /**
     * @param interval milliseconds, and so rows, for which the later row of a pair may come
     * @param payloadBytes length of a payload, which does not compress
     */
    IntervalStream(int interval, int payloadBytes) {
        this.interval = interval;
        this.payload = new byte[payloadBytes];
    }

    /** The next row, a left one when its time is even. */
    RowData next() {
        time++;
        random.nextBytes(payload);
        BinaryRowData row = new BinaryRowData(3);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeLong(KEY, scattered(time % 2 == 0 ? time : keyOfRightRow()));
        writer.writeLong(TIME, time);
        writer.writeBinary(2, payload);
        writer.complete();
        return row;
    }

    /** Left rows have even times. */
    private long keyOfRightRow() {
        long oldest = Math.max(2, time - interval);
        long left = (oldest + (long) (random.nextDouble() * (time - oldest))) / 2 * 2;
        return random.nextBoolean() ? left : left + 1;
    }

    private static long scattered(long key) {
        return key * 0x9E3779B97F4A7C15L;
    }
}
