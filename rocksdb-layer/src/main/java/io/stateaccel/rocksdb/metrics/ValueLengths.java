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
package io.stateaccel.rocksdb.metrics;

/**
 * How long the values of one state are, by the bytes that values of each length take up together,
 * older ones counting less and less.
 *
 * <p>Every value is counted: with a bucket per power of two that costs less than to draw a sample,
 * and no more is needed to know the share of those from a power of two on. Used by the task thread
 * only.
 */
public final class ValueLengths {

    /** By the number of bits that the length has. */
    private final long[] bytesByBits = new long[Integer.SIZE];

    private long values;
    private long bytes;

    /**
     * @param length of one value, in bytes, not negative
     */
    public void add(int length) {
        bytesByBits[Integer.SIZE - Integer.numberOfLeadingZeros(length)] += length;
        values++;
        bytes += length;
    }

    /** How many values; those of the past in part. */
    public long values() {
        return values;
    }

    /** The bytes of all values; those of the past in part. */
    public long bytes() {
        return bytes;
    }

    /**
     * The share, 0 to 1, of the bytes that are in values of at least some length; 0 without values.
     *
     * @param length a power of two
     */
    public double shareFrom(int length) {
        if (bytes == 0) {
            return 0;
        }
        long longOnes = 0;
        for (int bits = Integer.SIZE - Integer.numberOfLeadingZeros(length);
                bits < bytesByBits.length;
                bits++) {
            longOnes += bytesByBits[bits];
        }
        return (double) longOnes / bytes;
    }

    /** Has all values so far count half. */
    public void age() {
        values /= 2;
        bytes = 0;
        for (int bits = 0; bits < bytesByBits.length; bits++) {
            bytesByBits[bits] /= 2;
            bytes += bytesByBits[bits];
        }
    }
}
