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
package io.stateaccel.rocksdb.disk;

import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * How long operations took.
 *
 * @param count operations
 * @param perSecond operations per second, of all threads together
 * @param p50Micros half of them took no longer, in microseconds
 * @param p90Micros nine in ten took no longer
 * @param p99Micros 99 in 100 took no longer
 * @param p999Micros 999 in 1000 took no longer
 * @param maxMicros the longest
 */
public record Latencies(
        long count,
        double perSecond,
        double p50Micros,
        double p90Micros,
        double p99Micros,
        double p999Micros,
        double maxMicros) {

    private static final double NANOS_PER_MICRO = 1_000;
    private static final double NANOS_PER_SECOND = 1_000_000_000;

    /**
     * @param nanos the latency of each operation, in nanoseconds
     * @param elapsedNanos the time in which all of them were done
     */
    static Latencies of(Histogram nanos, long elapsedNanos) {
        return new Latencies(
                nanos.getTotalCount(),
                nanos.getTotalCount() * NANOS_PER_SECOND / Math.max(1, elapsedNanos),
                nanos.getValueAtPercentile(50) / NANOS_PER_MICRO,
                nanos.getValueAtPercentile(90) / NANOS_PER_MICRO,
                nanos.getValueAtPercentile(99) / NANOS_PER_MICRO,
                nanos.getValueAtPercentile(99.9) / NANOS_PER_MICRO,
                nanos.getMaxValue() / NANOS_PER_MICRO);
    }

    /** In a few words, such as {@code 9,871/s, p50 95 us, p99 210 us}. */
    public String describe() {
        return String.format(
                Locale.ROOT,
                "%,.0f/s, p50 %,.0f us, p99 %,.0f us",
                perSecond,
                p50Micros,
                p99Micros);
    }
}
