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
package io.stateaccel.nexmark.bench.measure;

import io.stateaccel.nexmark.latency.Latencies;
import org.HdrHistogram.Histogram;

/**
 * How long the results of a run took.
 *
 * @param rows from a row's creation to the arrival of the first result that has it
 * @param results from the creation of the newest row that is new in a result to its arrival
 */
public record LatencyStats(Percentiles rows, Percentiles results) {

    /**
     * A distribution of milliseconds.
     *
     * @param count of how many; without any, all else is 0
     */
    public record Percentiles(long count, double p50, double p99, double p999, double max) {

        private static Percentiles of(Histogram micros) {
            return new Percentiles(
                    micros.getTotalCount(),
                    micros.getValueAtPercentile(50) / 1e3,
                    micros.getValueAtPercentile(99) / 1e3,
                    micros.getValueAtPercentile(99.9) / 1e3,
                    micros.getMaxValue() / 1e3);
        }
    }

    /** Sums up what a table has measured. */
    public static LatencyStats of(Latencies latencies) {
        return new LatencyStats(
                Percentiles.of(latencies.ofRows()), Percentiles.of(latencies.ofResults()));
    }
}
