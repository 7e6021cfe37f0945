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

import io.stateaccel.nexmark.bench.measure.CheckpointTimes;
import io.stateaccel.nexmark.bench.measure.Footprint;
import io.stateaccel.nexmark.bench.measure.LatencyStats;
import io.stateaccel.nexmark.bench.queries.LatencyQuery;
import io.stateaccel.nexmark.bench.run.LoadResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * All runs of one query under one load.
 *
 * @param kind what is measured
 * @param query name of the query
 * @param about what it is, in a few words
 * @param label what distinguishes this load from the others of the query
 * @param rowsPerSecond rows that are due per second; of a slow sink, changes that it takes
 * @param runs runs that ended well
 * @param failures by variant, why it did not end well
 */
public record LoadReport(
        Kind kind,
        String query,
        String about,
        String label,
        long rowsPerSecond,
        List<LoadResult> runs,
        Map<String, String> failures) {

    /** What a load is for. */
    public enum Kind {
        LATENCY(
                List.of(
                        new Column("p50 ms", "%.1f", rows(LatencyStats.Percentiles::p50)),
                        new Column("p99 ms", "%.1f", rows(LatencyStats.Percentiles::p99)),
                        new Column("p99.9 ms", "%.1f", rows(LatencyStats.Percentiles::p999)),
                        new Column("max ms", "%.1f", rows(LatencyStats.Percentiles::max)),
                        new Column("newest p50", "%.1f", results(LatencyStats.Percentiles::p50)),
                        new Column("newest p99", "%.1f", results(LatencyStats.Percentiles::p99)),
                        new Column("rows", "%,.0f", rows(all -> (double) all.count())),
                        new Column("results", "%,.0f", results(all -> (double) all.count())),
                        new Column("rows/s read", "%,.0f", LoadResult::rowsPerSecond),
                        new Column("CPU s", "%.1f", LoadResult::cpuSeconds))),
        SLOW_SINK(
                List.of(
                        new Column("median ms", "%,.0f", times(CheckpointTimes::medianMillis)),
                        new Column("max ms", "%,.0f", times(CheckpointTimes::maxMillis)),
                        new Column("completed", "%,.0f", times(t -> (double) t.completed())),
                        new Column("failed", "%,.0f", times(t -> (double) t.failed())),
                        new Column(
                                "under way ms", "%,.0f", times(CheckpointTimes::unfinishedMillis)),
                        new Column("CPU s", "%.1f", LoadResult::cpuSeconds))),
        PLATEAU(
                List.of(
                        new Column("disk 1st MB", "%,.1f", mean(0, Kind::megabytesOnDisk)),
                        new Column("disk 2nd MB", "%,.1f", mean(1, Kind::megabytesOnDisk)),
                        new Column("disk max MB", "%,.1f", most(Kind::megabytesOnDisk)),
                        new Column("files 1st", "%,.0f", mean(0, at -> at.files())),
                        new Column("files 2nd", "%,.0f", mean(1, at -> at.files())),
                        new Column("heap 1st MB", "%,.1f", mean(0, Kind::megabytesOfHeap)),
                        new Column("heap 2nd MB", "%,.1f", mean(1, Kind::megabytesOfHeap)),
                        new Column("rows/s read", "%,.0f", LoadResult::rowsPerSecond),
                        new Column("CPU s", "%.1f", LoadResult::cpuSeconds)));

        private final List<Column> columns;

        Kind(List<Column> columns) {
            this.columns = columns;
        }

        private static Function<LoadResult, Double> rows(
                Function<LatencyStats.Percentiles, Double> figure) {
            return run -> run.latency() == null ? null : figure.apply(run.latency().rows());
        }

        private static Function<LoadResult, Double> results(
                Function<LatencyStats.Percentiles, Double> figure) {
            return run -> run.latency() == null ? null : figure.apply(run.latency().results());
        }

        private static Function<LoadResult, Double> times(
                Function<CheckpointTimes, Double> figure) {
            return run -> figure.apply(run.checkpoints());
        }

        /** Mean over the first (0) or the second (1) half of the measured time. */
        private static Function<LoadResult, Double> mean(
                int half, ToDoubleFunction<Footprint> figure) {
            return run -> {
                List<Footprint> measured = measured(run);
                int middle = measured.size() / 2;
                List<Footprint> part =
                        half == 0
                                ? measured.subList(0, middle)
                                : measured.subList(middle, measured.size());
                OptionalDouble mean = part.stream().mapToDouble(figure).average();
                return mean.isPresent() ? mean.getAsDouble() : null;
            };
        }

        private static Function<LoadResult, Double> most(ToDoubleFunction<Footprint> figure) {
            return run -> {
                OptionalDouble most = measured(run).stream().mapToDouble(figure).max();
                return most.isPresent() ? most.getAsDouble() : null;
            };
        }

        private static List<Footprint> measured(LoadResult run) {
            return run.footprints().stream().filter(at -> at.seconds() >= 0).toList();
        }

        private static double megabytesOnDisk(Footprint at) {
            return at.diskBytes() / 1e6;
        }

        private static double megabytesOfHeap(Footprint at) {
            return at.heapBytes() / 1e6;
        }
    }

    /**
     * A column of the tables: a median over the runs that have the figure.
     *
     * @param format of the figure
     */
    private record Column(String title, String format, Function<LoadResult, Double> figure) {

        private String text(List<LoadResult> runs) {
            List<Double> known = runs.stream().map(figure).filter(Objects::nonNull).toList();
            return known.isEmpty()
                    ? "-"
                    : String.format(format, Comparison.median(known, value -> value));
        }
    }

    /** A report of a rate, as yet without runs. */
    public static LoadReport ofLatency(LatencyQuery query, String rate, long rowsPerSecond) {
        return empty(Kind.LATENCY, query, rate, rowsPerSecond);
    }

    /** A report of a way to take checkpoints, as yet without runs. */
    public static LoadReport ofSlowSink(LatencyQuery query, String way, long rowsPerSecond) {
        return empty(Kind.SLOW_SINK, query, way, rowsPerSecond);
    }

    /** A report of a state that expires, as yet without runs. */
    public static LoadReport ofPlateau(LatencyQuery query, String ttl, long rowsPerSecond) {
        return empty(Kind.PLATEAU, query, ttl, rowsPerSecond);
    }

    private static LoadReport empty(
            Kind kind, LatencyQuery query, String label, long rowsPerSecond) {
        return new LoadReport(
                kind, query.title(), query.about(), label, rowsPerSecond, List.of(), Map.of());
    }

    /** This report with runs. */
    public LoadReport with(List<LoadResult> someRuns, Map<String, String> someFailures) {
        return new LoadReport(
                kind,
                query,
                about,
                label,
                rowsPerSecond,
                List.copyOf(someRuns),
                new LinkedHashMap<>(someFailures));
    }

    /** The table for the terminal. */
    public String text() {
        StringBuilder text = new StringBuilder();
        text.append(
                String.format(
                        "%n%s, %s (%,d per second)%n%-20s",
                        query, label, rowsPerSecond, "variant"));
        kind.columns.forEach(column -> text.append(String.format(" %12s", column.title)));
        text.append(String.format(" %5s%n", "runs"));
        for (String variant : variants()) {
            text.append(String.format("%-20s", variant));
            List<LoadResult> itsRuns = runsOf(variant);
            kind.columns.forEach(
                    column -> text.append(String.format(" %12s", column.text(itsRuns))));
            text.append(String.format(" %5d%n", itsRuns.size()));
        }
        failures.forEach(
                (variant, reason) ->
                        text.append(String.format("FAILED: %s: %s%n", variant, reason)));
        return text.toString();
    }

    /** The tables for Markdown, one for each query. */
    static String markdown(List<LoadReport> reports) {
        StringBuilder text = new StringBuilder();
        LoadReport before = null;
        for (LoadReport report : reports) {
            if (before == null
                    || !before.query.equals(report.query)
                    || before.kind != report.kind) {
                text.append(report.markdownHead());
            }
            text.append(report.markdownRows());
            before = report;
        }
        for (LoadReport report : reports) {
            report.failures.forEach(
                    (variant, reason) ->
                            text.append(
                                    String.format(
                                            "%n%s, %s: `%s` failed: %s%n",
                                            report.query, report.label, variant, reason)));
        }
        return text.toString();
    }

    private String markdownHead() {
        StringBuilder head = new StringBuilder();
        head.append(String.format("%n%s: %s.%n%n| | variant | ", query, about));
        kind.columns.forEach(column -> head.append(column.title).append(" | "));
        return head.append("runs |\n|---|---|")
                .append("---|".repeat(kind.columns.size() + 1))
                .append('\n')
                .toString();
    }

    private String markdownRows() {
        StringBuilder rows = new StringBuilder();
        for (String variant : variants()) {
            List<LoadResult> itsRuns = runsOf(variant);
            rows.append("| ").append(label).append(" | ").append(variant).append(" | ");
            kind.columns.forEach(column -> rows.append(column.text(itsRuns)).append(" | "));
            rows.append(itsRuns.size()).append(" |\n");
        }
        return rows.toString();
    }

    private List<String> variants() {
        return runs.stream().map(LoadResult::variant).distinct().toList();
    }

    private List<LoadResult> runsOf(String variant) {
        return runs.stream().filter(run -> run.variant().equals(variant)).toList();
    }
}
