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
package io.stateaccel.nexmark.latency;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.apache.flink.api.common.accumulators.Accumulator;

/**
 * Microseconds as a job's accumulator. Its result is text, for Flink's REST interface: read it with
 * {@link #decode}.
 */
public final class LatencyHistogram implements Accumulator<Long, String> {

    private static final long serialVersionUID = 1L;

    /** A percentile is told to a thousandth of itself. */
    private static final int DIGITS = 3;

    /** What takes longer than an hour counts as an hour. */
    private static final long HIGHEST_MICROS = 3_600_000_000L;

    private final Histogram histogram = new Histogram(HIGHEST_MICROS, DIGITS);

    @Override
    public void add(Long micros) {
        record(micros);
    }

    /** Counts a latency. One below zero, which a clock that was set back gives, counts as zero. */
    public void record(long micros) {
        histogram.recordValue(Math.max(0, Math.min(micros, HIGHEST_MICROS)));
    }

    @Override
    public String getLocalValue() {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }

    /**
     * Reads a result.
     *
     * @throws IllegalArgumentException if the text is none
     */
    public static Histogram decode(String text) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(text)), 1);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("No histogram: " + text, e);
        }
    }

    @Override
    public void resetLocal() {
        histogram.reset();
    }

    @Override
    public void merge(Accumulator<Long, String> other) {
        histogram.add(((LatencyHistogram) other).histogram);
    }

    @Override
    public LatencyHistogram clone() {
        LatencyHistogram copy = new LatencyHistogram();
        copy.histogram.add(histogram);
        return copy;
    }
}
