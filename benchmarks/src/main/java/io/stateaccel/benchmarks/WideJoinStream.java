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

/**
 * Two streams of wide rows {@link IntervalStream#ROW (key, time, payload)} for an interval join,
 * alternating, one row a millisecond. Payloads are 1 to 4 KiB, half of each random bytes and half
 * zeros, so that they compress to somewhat more than half.
 *
 * <ul>
 *   <li>One row in eight, on either side, has one of a few <em>busy</em> keys, of which each gets
 *       about {@value #BUSY_ROWS} rows per side and interval, for ever.
 *   <li>Another left row has a key of its own.
 *   <li>Half of the other right rows come for a left row of the last interval, half for a key that
 *       there is not.
 * </ul>
 *
 * <p>Key and time of a row are a function of its number, so that a reader knows which keys there
 * are.
 */
final class WideJoinStream {

    static final int LEAST_PAYLOAD_BYTES = 1 << 10;
    static final int MOST_PAYLOAD_BYTES = 4 << 10;

    private static final int ONE_BUSY_IN = 8;
    private static final int BUSY_ROWS = 4;

    private final long interval;
    private final long busyKeys;
    private final Random random = new Random(42);
    private long time;
    private long bytes;

    /**
     * @param interval milliseconds, and so rows of both sides, for which the later row of a pair
     *     may come
     */
    WideJoinStream(long interval) {
        this.interval = interval;
        this.busyKeys = Math.max(1, interval / 2 / ONE_BUSY_IN / BUSY_ROWS);
    }

    /** Payload bytes of a row on average. */
    static int averageBytes() {
        return (LEAST_PAYLOAD_BYTES + MOST_PAYLOAD_BYTES) / 2;
    }

    /** Whether the row of a time is a left one. */
    static boolean isLeft(long time) {
        return time % 2 == 0;
    }

    /** The next row. */
    RowData next() {
        time++;
        int length =
                LEAST_PAYLOAD_BYTES + random.nextInt(MOST_PAYLOAD_BYTES - LEAST_PAYLOAD_BYTES + 1);
        byte[] noise = new byte[length / 2];
        random.nextBytes(noise);
        byte[] payload = new byte[length];
        System.arraycopy(noise, 0, payload, 0, noise.length);
        bytes += length;
        BinaryRowData row = new BinaryRowData(3);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeLong(IntervalStream.KEY, key());
        writer.writeLong(IntervalStream.TIME, time);
        writer.writeBinary(2, payload);
        writer.complete();
        return row;
    }

    /** The time of the last row; 0 before the first one. */
    long time() {
        return time;
    }

    /** Payload bytes of all rows so far. */
    long bytes() {
        return bytes;
    }

    /** The time of some left row of the last interval that has a key of its own. */
    long timeOfSomeLeftRow(Random choice) {
        while (true) {
            long some = someLeftTime(choice);
            if (!isBusy(some)) {
                return some;
            }
        }
    }

    /** The key of a left row that has one of its own. */
    static long ownKey(long timeOfLeftRow) {
        return scattered(timeOfLeftRow);
    }

    /** A key that no left row ever has. */
    static long absentKey(Random choice) {
        return scattered(choice.nextInt(Integer.MAX_VALUE) | 1L);
    }

    /** One of the busy keys. */
    long someBusyKey(Random choice) {
        return busyKey(choice.nextLong() >>> 1);
    }

    private long key() {
        if (isBusy(time)) {
            return busyKey(mixed(time) >>> 3);
        }
        if (isLeft(time)) {
            return ownKey(time);
        }
        return random.nextBoolean() ? scattered(someLeftTime(random)) : absentKey(random);
    }

    private long someLeftTime(Random choice) {
        long oldest = Math.max(2, time - interval + 2);
        return (oldest + (long) (choice.nextDouble() * (time + 1 - oldest))) / 2 * 2;
    }

    private static boolean isBusy(long time) {
        return (mixed(time) & (ONE_BUSY_IN - 1)) == 0;
    }

    private long busyKey(long number) {
        return scattered(-1 - number % busyKeys);
    }

    private static long scattered(long key) {
        return key * 0x9E3779B97F4A7C15L;
    }

    private static long mixed(long number) {
        long scattered = scattered(number);
        scattered = (scattered ^ scattered >>> 32) * 0xBF58476D1CE4E5B9L;
        return scattered ^ scattered >>> 29;
    }
}
