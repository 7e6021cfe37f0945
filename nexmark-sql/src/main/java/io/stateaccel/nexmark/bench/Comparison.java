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
package io.stateaccel.nexmark.bench;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * The runs of all variants, side by side.
 *
 * @param rows one per variant, the reference first if it was run
 */
record Comparison(List<Row> rows) {

    /**
     * A variant's medians over its runs.
     *
     * @param ratio median over the runs of events per core-second against the run of the same
     *     number of the reference, so that a disturbance that hits both does not count
     * @param lowestRatio lowest of these ratios
     * @param highestRatio highest of them
     */
    record Row(
            String variant,
            long events,
            int runs,
            double wallSeconds,
            double cpuSeconds,
            double eventsPerCoreSecond,
            double ratio,
            double lowestRatio,
            double highestRatio) {}

    /**
     * @param results runs that ended well; every variant ran as often as the others
     */
    static Comparison of(List<RunResult> results) {
        Set<String> variants = new LinkedHashSet<>();
        if (results.stream().anyMatch(run -> run.variant().equals(Variant.REFERENCE))) {
            variants.add(Variant.REFERENCE);
        }
        results.forEach(run -> variants.add(run.variant()));
        List<RunResult> reference = runsOf(variants.iterator().next(), results);
        List<Row> rows = new ArrayList<>();
        for (String variant : variants) {
            rows.add(row(runsOf(variant, results), reference));
        }
        return new Comparison(rows);
    }

    /** The table for the terminal. */
    String table() {
        StringBuilder table = new StringBuilder();
        table.append(
                String.format(
                        "%-16s %12s %9s %9s %16s %8s   %s%n",
                        "variant",
                        "events",
                        "wall s",
                        "CPU s",
                        "events/core-s",
                        "ratio",
                        "ratio's spread"));
        for (Row row : rows) {
            table.append(
                    String.format(
                            "%-16s %,12d %9.1f %9.1f %,16.0f %7.2fx   %.2f-%.2f, %d run%s%n",
                            row.variant,
                            row.events,
                            row.wallSeconds,
                            row.cpuSeconds,
                            row.eventsPerCoreSecond,
                            row.ratio,
                            row.lowestRatio,
                            row.highestRatio,
                            row.runs,
                            row.runs == 1 ? "" : "s"));
        }
        return table.toString();
    }

    private static Row row(List<RunResult> runs, List<RunResult> reference) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < runs.size(); i++) {
            ratios.add(runs.get(i).eventsPerCoreSecond() / reference.get(i).eventsPerCoreSecond());
        }
        return new Row(
                runs.get(0).variant(),
                runs.get(0).events(),
                runs.size(),
                median(runs, RunResult::wallSeconds),
                median(runs, RunResult::cpuSeconds),
                median(runs, RunResult::eventsPerCoreSecond),
                median(ratios, ratio -> ratio),
                ratios.stream().mapToDouble(ratio -> ratio).min().orElseThrow(),
                ratios.stream().mapToDouble(ratio -> ratio).max().orElseThrow());
    }

    private static List<RunResult> runsOf(String variant, List<RunResult> results) {
        return results.stream().filter(run -> run.variant().equals(variant)).toList();
    }

    private static <T> double median(List<T> items, ToDoubleFunction<T> value) {
        double[] sorted = items.stream().mapToDouble(value).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
