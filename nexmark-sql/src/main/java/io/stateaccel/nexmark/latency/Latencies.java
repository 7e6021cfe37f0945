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

import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * What a {@code nexmark-latency} table has measured.
 *
 * @param ofRows microseconds from a row's creation to the arrival of the first result that has it
 * @param ofResults microseconds from the creation of the newest row that is new in a result to its
 *     arrival
 */
public record Latencies(Histogram ofRows, Histogram ofResults) {

    /** Names of the accumulators. */
    static final String OF_ROWS = "nexmark-latency.of-rows";

    static final String OF_RESULTS = "nexmark-latency.of-results";

    /**
     * Finds the latencies among a job's accumulators.
     *
     * @param accumulators accumulator values by name
     * @return empty if the job filled no such table to its end
     */
    public static Optional<Latencies> fromAccumulators(Map<String, ?> accumulators) {
        if (!accumulators.containsKey(OF_ROWS)) {
            return Optional.empty();
        }
        return Optional.of(
                new Latencies(
                        LatencyHistogram.decode(String.valueOf(accumulators.get(OF_ROWS))),
                        LatencyHistogram.decode(String.valueOf(accumulators.get(OF_RESULTS)))));
    }
}
