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
package io.stateaccel.nexmark.bench.report;

import io.stateaccel.nexmark.bench.run.RunResult;
import io.stateaccel.nexmark.bench.variants.Variant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonIgnore;

/**
 * The runs of one query in all variants, side by side.
 *
 * @param rows one per variant, the reference first if it ended well
 */
public record Comparison(List<Row> rows) {

    /** A spread above this says more about the machine than about the variant. */
    static final double WIDEST_SPREAD = 0.15;

    /**
     * A variant's medians over its runs.
     *
     * @param spread highest minus lowest CPU seconds of the runs, as a share of the median
     * @param ratio median over the runs of events per core-second against the run of the same
     *     number of the reference, so that a disturbance that hits both does not count; null, as
     *     are the next two, if there is no such reference
     * @param lowestRatio lowest of these ratios
     * @param highestRatio highest of them
     * @param ofCeiling median of events per core-second as a share of the ceiling's in the run of
     *     the same number; null if there is none
     */
    public record Row(
            String variant,
            long events,
            int runs,
            double wallSeconds,
            double cpuSeconds,
            double eventsPerCoreSecond,
            double spread,
            Double ratio,
            Double lowestRatio,
            Double highestRatio,
            Double ofCeiling) {

        /** As text. */
        String shareOfCeiling() {
            return ofCeiling == null ? "-" : String.format("%.0f%%", 100 * ofCeiling);
        }

        /** Whether the runs were too different to rely on. */
        @JsonIgnore
        public boolean isNoisy() {
            return spread > WIDEST_SPREAD;
        }
    }

    /**
     * Compares.
     *
     * @param results runs that ended well; every variant ran as often as the others
     * @param reference the variant that the others are compared with
     */
    public static Comparison of(List<RunResult> results, String reference) {
        List<RunResult> ofReference = runsOf(reference, results);
        List<RunResult> ofCeiling = runsOf(Variant.CEILING.name(), results);
        Set<String> variants = new LinkedHashSet<>();
        ofReference.forEach(run -> variants.add(run.variant()));
        results.forEach(run -> variants.add(run.variant()));
        return new Comparison(
                variants.stream()
                        .map(variant -> row(runsOf(variant, results), ofReference, ofCeiling))
                        .toList());
    }

    /** The table for the terminal, and below it what to make of noise. */
    public String table() {
        StringBuilder table = new StringBuilder();
        boolean hasCeiling = rows.stream().anyMatch(row -> row.ofCeiling != null);
        table.append(
                String.format(
                        "%-18s %13s %9s %9s %7s %14s %8s%s   %s%n",
                        "variant",
                        "events",
                        "wall s",
                        "CPU s",
                        "spread",
                        "events/core-s",
                        "ratio",
                        hasCeiling ? " of ceiling" : "",
                        "ratio's spread"));
        for (Row row : rows) {
            table.append(
                    String.format(
                            "%-18s %,13d %9.1f %9.1f %6.0f%% %,14.0f %8s%s   %s, %d run%s%n",
                            row.variant,
                            row.events,
                            row.wallSeconds,
                            row.cpuSeconds,
                            row.spread * 100,
                            row.eventsPerCoreSecond,
                            Summary.ratio(row.ratio),
                            hasCeiling ? String.format(" %10s", row.shareOfCeiling()) : "",
                            row.ratio == null
                                    ? "-"
                                    : String.format("%.2f-%.2f", row.lowestRatio, row.highestRatio),
                            row.runs,
                            row.runs == 1 ? "" : "s"));
        }
        for (Row row : rows) {
            if (row.isNoisy()) {
                table.append(
                        String.format(
                                "NOISY: CPU seconds of %s spread over %.0f%%, more than %.0f%%: do"
                                        + " not rely on its figures; take more --runs on a quieter"
                                        + " machine%n",
                                row.variant, row.spread * 100, WIDEST_SPREAD * 100));
            }
        }
        return table.toString();
    }

    private static Row row(
            List<RunResult> runs, List<RunResult> reference, List<RunResult> ceiling) {
        List<Double> ratios = ratios(runs, reference);
        List<Double> shares = ratios(runs, ceiling);
        double cpuSeconds = median(runs, RunResult::cpuSeconds);
        double[] allCpuSeconds =
                runs.stream().mapToDouble(RunResult::cpuSeconds).sorted().toArray();
        return new Row(
                runs.get(0).variant(),
                runs.get(0).events(),
                runs.size(),
                median(runs, RunResult::wallSeconds),
                cpuSeconds,
                median(runs, RunResult::eventsPerCoreSecond),
                (allCpuSeconds[allCpuSeconds.length - 1] - allCpuSeconds[0]) / cpuSeconds,
                ratios.isEmpty() ? null : median(ratios, ratio -> ratio),
                ratios.isEmpty() ? null : ratios.get(0),
                ratios.isEmpty() ? null : ratios.get(ratios.size() - 1),
                shares.isEmpty() ? null : median(shares, share -> share));
    }

    /** Of the runs of the same round, in order of size. */
    private static List<Double> ratios(List<RunResult> runs, List<RunResult> reference) {
        return IntStream.range(0, Math.min(runs.size(), reference.size()))
                .mapToObj(
                        i ->
                                runs.get(i).eventsPerCoreSecond()
                                        / reference.get(i).eventsPerCoreSecond())
                .sorted()
                .toList();
    }

    private static List<RunResult> runsOf(String variant, List<RunResult> results) {
        return results.stream().filter(run -> run.variant().equals(variant)).toList();
    }

    static <T> double median(List<T> items, ToDoubleFunction<T> value) {
        double[] sorted = items.stream().mapToDouble(value).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
