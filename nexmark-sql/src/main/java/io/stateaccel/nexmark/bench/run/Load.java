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
package io.stateaccel.nexmark.bench.run;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How rows come and go in a run of a {@link io.stateaccel.nexmark.bench.queries.LatencyQuery}.
 *
 * @param rowsPerSecond rows that are due per second, all sub-tasks together
 * @param warmUpSeconds before the measured time; in the first half of it rows come at half the rate
 * @param seconds the measured time
 * @param drained whether rows stop soon after the measured time and the job then runs to its end;
 *     else it is cancelled when the measured time is over
 * @param sampleSeconds time between two looks at what the job occupies, 0 for none
 * @param sink options of the table that results go to
 */
public record Load(
        long rowsPerSecond,
        int warmUpSeconds,
        int seconds,
        boolean drained,
        int sampleSeconds,
        Map<String, String> sink) {

    /** More rows per second than any job takes: the source is never ahead. */
    public static final long MORE_THAN_ANY = 10_000_000;

    /**
     * For how long rows come after the measured time: longer than bundles of any variant wait, so
     * that no row that counts gains from the end of the input.
     */
    private static final int COOL_DOWN_SECONDS = 4;

    /** When the measured time begins, if the first row is due at the start. */
    Instant from(Instant start) {
        return start.plusSeconds(warmUpSeconds);
    }

    /** When it ends. */
    Instant until(Instant start) {
        return from(start).plusSeconds(seconds);
    }

    /** Number of rows, 0 for endless. */
    public long rows() {
        if (!drained) {
            return 0;
        }
        // At half the rate in half of the warm-up, a quarter of its rows is missing.
        return Math.max(
                1,
                Math.round(rowsPerSecond * (0.75 * warmUpSeconds + seconds + COOL_DOWN_SECONDS)));
    }

    /** The statements that set up the tables for this. */
    List<String> statements(Instant start) {
        Map<String, String> source = new LinkedHashMap<>();
        source.put("first-event.rate", String.valueOf(rowsPerSecond));
        source.put("next-event.rate", String.valueOf(rowsPerSecond));
        source.put("events.num", String.valueOf(rows()));
        source.put("rate.start", start.toString());
        source.put("rate.ramp", Duration.ofMillis(warmUpSeconds * 500L).toMillis() + " ms");
        Map<String, String> measured = new LinkedHashMap<>(sink);
        measured.put("measure.start", start.toString());
        measured.put("measure.from", from(start).toString());
        measured.put("measure.until", until(start).toString());
        return List.of(alter("events", source), alter("latencies", measured));
    }

    private static String alter(String table, Map<String, String> options) {
        List<String> set =
                options.entrySet().stream()
                        .map(option -> "'" + option.getKey() + "' = '" + option.getValue() + "'")
                        .toList();
        return "ALTER TABLE " + table + " SET (" + String.join(", ", set) + ")";
    }
}
