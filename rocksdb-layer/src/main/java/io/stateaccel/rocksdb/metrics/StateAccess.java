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

import java.util.SplittableRandom;
import javax.annotation.Nullable;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;

/**
 * Counts what reaches RocksDB of one state, and looks closer at a random sample of the reads: how
 * long they take, and how long the values are.
 *
 * <p>Used by the task thread only; what it has counted may be read by others and is then a little
 * old.
 */
public final class StateAccess {

    /** What a read begins with that is not in the sample. */
    private static final long NOT_SAMPLED = 0;

    private static final int SAMPLES_IN_HISTOGRAM = 512;

    private final int sampleInterval;
    private final SplittableRandom random = new SplittableRandom();
    private final Histogram readNanos = new DescriptiveStatisticsHistogram(SAMPLES_IN_HISTOGRAM);
    private final Histogram scanNanos = new DescriptiveStatisticsHistogram(SAMPLES_IN_HISTOGRAM);
    private final Histogram valueBytes = new DescriptiveStatisticsHistogram(SAMPLES_IN_HISTOGRAM);

    /** Null as long as nobody asks. */
    @Nullable private ValueLengths lengths;

    private int untilSample;

    private long reads;
    private long absentReads;
    private long readsAhead;
    private long scans;
    private long writes;
    private long merges;

    /**
     * @param sampleInterval one read in so many is looked at closer, 0 for none
     */
    public StateAccess(int sampleInterval) {
        this.sampleInterval = sampleInterval;
        this.untilSample = gap();
    }

    private int gap() {
        return sampleInterval == 0 ? Integer.MAX_VALUE : 1 + random.nextInt(2 * sampleInterval - 1);
    }

    /**
     * A value is about to be read.
     *
     * @return to be handed to {@link #readEnded}
     */
    public long beginRead() {
        reads++;
        return begin();
    }

    /**
     * A value has been read.
     *
     * @param begun what {@link #beginRead} returned
     * @param value null when there is none
     */
    public void readEnded(long begun, @Nullable byte[] value) {
        if (value == null) {
            absentReads++;
        }
        if (begun != NOT_SAMPLED) {
            readNanos.update(System.nanoTime() - begun);
            if (value != null) {
                valueBytes.update(value.length);
            }
        }
    }

    /**
     * Several values have been read in one go.
     *
     * @param begun what a single {@link #beginRead} returned
     * @param keys how many
     * @param absent how many of them have no value
     * @param bytes of the values together; a sample of the reads is the mean of all
     */
    public void readsEnded(long begun, int keys, int absent, long bytes) {
        reads += keys - 1;
        readsAhead += keys;
        absentReads += absent;
        if (begun != NOT_SAMPLED && keys > 0) {
            readNanos.update((System.nanoTime() - begun) / keys);
            if (absent < keys) {
                valueBytes.update(bytes / (keys - absent));
            }
        }
    }

    /**
     * Entries that follow each other are about to be read.
     *
     * @return to be handed to {@link #scanEnded}
     */
    public long beginScan() {
        scans++;
        return begin();
    }

    /**
     * @param begun what {@link #beginScan} returned
     */
    public void scanEnded(long begun) {
        if (begun != NOT_SAMPLED) {
            scanNanos.update(System.nanoTime() - begun);
        }
    }

    private long begin() {
        if (--untilSample > 0) {
            return NOT_SAMPLED;
        }
        untilSample = gap();
        if (sampleInterval == 0) {
            return NOT_SAMPLED;
        }
        // One nanosecond more or less, lest the time be taken for none.
        return System.nanoTime() | 1;
    }

    /** A key has been written or removed, or will be with a batch. */
    public void written() {
        writes++;
    }

    /** A key has been written, or will be with a batch, with a value of this length. */
    public void written(int valueBytes) {
        writes++;
        seen(valueBytes);
    }

    /** A value of this length is in RocksDB that is written again and again. */
    public void seen(int valueBytes) {
        if (lengths != null) {
            lengths.add(valueBytes);
        }
    }

    /** The lengths of all values that are written or seen from the first call on. */
    public ValueLengths lengths() {
        if (lengths == null) {
            lengths = new ValueLengths();
        }
        return lengths;
    }

    /** Something has been merged into the value of a key. */
    public void merged() {
        merges++;
    }

    /** Values read, absent ones included. */
    public long reads() {
        return reads;
    }

    /** Reads of keys that had no value. */
    public long absentReads() {
        return absentReads;
    }

    /** Values read in one go with others, before anybody asked for them. */
    public long readsAhead() {
        return readsAhead;
    }

    /** Reads of several entries that follow each other. */
    public long scans() {
        return scans;
    }

    /** Keys written or removed. */
    public long writes() {
        return writes;
    }

    /** Values merged into those of keys. */
    public long merges() {
        return merges;
    }

    /** Duration of the latest sampled reads. */
    public Histogram readNanos() {
        return readNanos;
    }

    /** Duration of the latest sampled scans. */
    public Histogram scanNanos() {
        return scanNanos;
    }

    /** Lengths of the values of the latest sampled reads. */
    public Histogram valueBytes() {
        return valueBytes;
    }
}
