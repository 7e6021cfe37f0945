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
package io.stateaccel.tests.cluster;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The tables that the print connector wrote to the task managers' standard output. */
public final class PrintedTables {

    /** One change: {@code name:subtask> +I[12, 345]}. */
    private static final Pattern CHANGE =
            Pattern.compile("^(\\w+)(?::\\d+)?> ([-+][IUD])\\[(.*)]$", Pattern.MULTILINE);

    private PrintedTables() {}

    /** Per {@code print-identifier}, how often each row is there after all changes. */
    public static Map<String, Map<String, Integer>> of(FlinkDistribution distribution) {
        Map<String, Map<String, Integer>> tables = new TreeMap<>();
        Matcher changes = CHANGE.matcher(distribution.logs(".out"));
        while (changes.find()) {
            boolean adds = changes.group(2).equals("+I") || changes.group(2).equals("+U");
            tables.computeIfAbsent(changes.group(1), ignored -> new TreeMap<>())
                    .merge(
                            changes.group(3),
                            adds ? 1 : -1,
                            (before, added) -> before + added == 0 ? null : before + added);
        }
        return tables;
    }
}
