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
package io.stateaccel.nexmark.checksum;

import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What a checksum table holds after a job: a digest of its final rows that does not depend on the
 * order in which changes arrived, on how they were spread over sub-tasks, nor on changes that were
 * taken back.
 *
 * @param rows rows in the table
 * @param high upper half of the sum of all row hashes
 * @param low lower half of it
 * @param changes changes the sink received; not part of the digest, as mini-batches save changes
 */
public record Checksum(long rows, long high, long low, long changes) {

    /** Prefix of the accumulators that carry checksums. */
    static final String ACCUMULATOR_PREFIX = "nexmark-checksum.";

    private static final String ENDED_AT = ".ended-at";

    /** The digest as text: equal for equal tables. */
    public String digest() {
        return String.format("%d rows %016x%016x", rows, high, low);
    }

    /**
     * Finds the checksums among a job's accumulators.
     *
     * @param accumulators accumulator values by name, numbers or their decimal text
     * @return checksums by table name; empty if the job filled no checksum table
     */
    public static Map<String, Checksum> fromAccumulators(Map<String, ?> accumulators) {
        Map<String, Checksum> checksums = new TreeMap<>();
        for (String name : accumulators.keySet()) {
            if (name.startsWith(ACCUMULATOR_PREFIX) && name.endsWith(Part.ROWS.suffix())) {
                String table =
                        name.substring(
                                ACCUMULATOR_PREFIX.length(),
                                name.length() - Part.ROWS.suffix().length());
                checksums.put(
                        table,
                        new Checksum(
                                Part.ROWS.read(accumulators, table),
                                Part.HIGH.read(accumulators, table),
                                Part.LOW.read(accumulators, table),
                                Part.CHANGES.read(accumulators, table)));
            }
        }
        return checksums;
    }

    /**
     * Finds when the input of the last checksum table ended, before the job waited for its last
     * checkpoint.
     *
     * @param accumulators accumulator values by name, numbers or their decimal text
     * @return milliseconds since the epoch; empty if the job filled no checksum table
     */
    public static OptionalLong inputEndedAtMillis(Map<String, ?> accumulators) {
        return accumulators.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(ACCUMULATOR_PREFIX))
                .filter(entry -> entry.getKey().endsWith(ENDED_AT))
                .mapToLong(entry -> Long.parseLong(String.valueOf(entry.getValue())))
                .max();
    }

    static String endedAtAccumulator(String table) {
        return ACCUMULATOR_PREFIX + table + ENDED_AT;
    }

    /** The numbers a checksum is made of; each is one accumulator. */
    enum Part {
        ROWS,
        HIGH,
        LOW,
        CHANGES;

        String accumulator(String table) {
            return ACCUMULATOR_PREFIX + table + suffix();
        }

        private String suffix() {
            return "." + name().toLowerCase(Locale.ROOT);
        }

        private long read(Map<String, ?> accumulators, String table) {
            return Long.parseLong(String.valueOf(accumulators.get(accumulator(table))));
        }
    }
}
