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

import io.stateaccel.nexmark.bench.common.EventCount;
import io.stateaccel.nexmark.bench.measure.ResourceUse;
import io.stateaccel.nexmark.bench.run.RunResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * Derives from a sweep over numbers of events what larger jobs need. The arithmetic is in the
 * document itself, so that a reader can follow it.
 */
public final class ScalingDocument {

    private static final long[] TARGET_EVENTS = {100_000_000L, 10_000_000_000L};
    private static final int[] TARGET_CORES = {1, 16, 256};

    private ScalingDocument() {}

    /** Medians of one variant at one number of events; null is what was not seen. */
    private record Point(
            long events,
            double cpuSeconds,
            Double writtenBytes,
            Double readCalls,
            Double stateBytes) {}

    /**
     * Costs of the next event.
     *
     * @param cpuMicros CPU microseconds, without what a job costs once
     * @param growth factor by which {@code cpuMicros} grows when events are ten times as many, at
     *     least 1
     */
    private record Marginal(double cpuMicros, double growth) {

        private static Marginal of(List<Point> points) {
            Point last = points.get(points.size() - 1);
            if (points.size() == 1) {
                return new Marginal(last.cpuSeconds / last.events * 1e6, 1);
            }
            double late = between(points.get(points.size() - 2), last);
            if (points.size() == 2) {
                return new Marginal(late, 1);
            }
            double early = between(points.get(0), points.get(1));
            double decades =
                    Math.log10(
                            middle(points.get(points.size() - 2), last)
                                    / middle(points.get(0), points.get(1)));
            return new Marginal(late, Math.max(1, Math.pow(late / early, 1 / decades)));
        }

        private static double between(Point a, Point b) {
            return (b.cpuSeconds - a.cpuSeconds) / (b.events - a.events) * 1e6;
        }

        private static double middle(Point a, Point b) {
            return Math.sqrt((double) a.events * b.events);
        }

        private double cpuMicrosAt(long events, Point last) {
            double decades = Math.max(0, Math.log10(events / (double) last.events));
            return cpuMicros * Math.pow(growth, decades);
        }
    }

    /** Writes the document. */
    static void write(Report report, Path file) throws IOException {
        Replacement.write(file, text(report));
    }

    static String text(Report report) {
        StringBuilder text = new StringBuilder();
        text.append("# What larger jobs need\n\n")
                .append("Written by the benchmark from what it measured; not measured at these")
                .append(" sizes.\n\n```sh\n")
                .append(MarkdownReport.withoutOutputs(report.command()))
                .append("\n```\n\n")
                .append(MarkdownReport.machine(report))
                .append(
                        """

                        How the figures are derived:

                        - *Next event*: (CPU s of this row - CPU s of the row above) / (events of
                          this row - events of the row above). What a job costs once, the start of
                          the JVM and compilation, drops out.
                        - *Growth*: how much dearer the next event gets when events are ten times as
                          many, from the first and the last step of the sweep, never below 1. State
                          that is ten times as large has about one more level in RocksDB.
                        - CPU at N events = N x next event x growth ^ log10(N / largest measured).
                        - C cores take 1/C of the time: Flink splits keys over sub-tasks, and these
                          queries have many keys. A hot key or a slow network makes it worse, so read
                          the times as lower bounds.
                        - State, bytes and reads per event are those of the largest measured run.
                          State grows with the number of events in queries without windows or TTL.
                        - *Reads per second* are read system calls. Where state is larger than memory
                          each may be one of the disk's: it is what the local disk has to deliver so
                          that a core does not wait.

                        """);
        report.queries().stream()
                .map(QueryReport::query)
                .distinct()
                .forEach(query -> appendQuery(text, report, query));
        return text.toString();
    }

    private static void appendQuery(StringBuilder text, Report report, String query) {
        text.append("## ").append(query).append("\n\nMeasured, medians:\n\n");
        text.append(
                "| variant | events | CPU s | us per event | next event, us | state files, MB |"
                        + " written per event, bytes | reads per event |\n"
                        + "|---|---|---|---|---|---|---|---|\n");
        for (String variant : report.variantNames()) {
            List<Point> points = points(report, query, variant);
            for (int i = 0; i < points.size(); i++) {
                Point point = points.get(i);
                text.append(
                        String.format(
                                "| %s | %s | %.1f | %.2f | %s | %s | %s | %s |%n",
                                variant,
                                EventCount.text(point.events),
                                point.cpuSeconds,
                                point.cpuSeconds / point.events * 1e6,
                                i == 0
                                        ? "-"
                                        : String.format(
                                                "%.2f", Marginal.between(points.get(i - 1), point)),
                                perUnit(point.stateBytes, 1e6, "%,.0f"),
                                perUnit(point.writtenBytes, point.events, "%.0f"),
                                perUnit(point.readCalls, point.events, "%.4f")));
            }
        }
        text.append("\nDerived:\n\n");
        text.append(
                "| variant | events | next event, us (growth) | CPU, core-hours | state, GB |"
                        + " cores | time | state per core, GB | events/s | disk writes, MB/s per core |"
                        + " reads per second and core |\n"
                        + "|---|---|---|---|---|---|---|---|---|---|---|\n");
        for (String variant : report.variantNames()) {
            List<Point> points = points(report, query, variant);
            if (!points.isEmpty()) {
                for (long events : TARGET_EVENTS) {
                    for (int cores : TARGET_CORES) {
                        text.append(derived(variant, points, events, cores));
                    }
                }
            }
        }
        text.append('\n');
    }

    private static String derived(String variant, List<Point> points, long events, int cores) {
        Point last = points.get(points.size() - 1);
        Marginal marginal = Marginal.of(points);
        double micros = marginal.cpuMicrosAt(events, last);
        double cpuSeconds = events * micros / 1e6;
        double perCoreSecond = 1e6 / micros;
        Double state =
                last.stateBytes == null ? null : last.stateBytes / last.events * events / 1e9;
        return String.format(
                "| %s | %,d | %.2f (%.2f) | %,.1f | %s | %d | %s | %s | %,.0f | %s | %s |%n",
                variant,
                events,
                micros,
                marginal.growth,
                cpuSeconds / 3600,
                perUnit(state, 1, "%,.1f"),
                cores,
                duration(cpuSeconds / cores),
                perUnit(state, cores, "%,.2f"),
                perCoreSecond * cores,
                perUnit(
                        last.writtenBytes == null
                                ? null
                                : last.writtenBytes / last.events * perCoreSecond,
                        1e6,
                        "%.1f"),
                perUnit(
                        last.readCalls == null
                                ? null
                                : last.readCalls / last.events * perCoreSecond,
                        1,
                        "%,.0f"));
    }

    private static List<Point> points(Report report, String query, String variant) {
        List<Point> points = new ArrayList<>();
        for (QueryReport part : report.queries()) {
            List<RunResult> runs = part.runsOf(variant);
            if (part.query().equals(query) && !runs.isEmpty()) {
                points.add(
                        new Point(
                                part.events(),
                                Comparison.median(runs, RunResult::cpuSeconds),
                                median(runs, ResourceUse::written),
                                median(runs, ResourceUse::readCalls),
                                median(runs, ResourceUse::peakStateBytes)));
            }
        }
        points.sort(Comparator.comparingLong(Point::events));
        return points;
    }

    private static Double median(List<RunResult> runs, Function<ResourceUse, Long> figure) {
        List<Long> values =
                runs.stream()
                        .map(RunResult::resources)
                        .filter(Objects::nonNull)
                        .map(figure)
                        .filter(Objects::nonNull)
                        .toList();
        return values.isEmpty() ? null : Comparison.median(values, Long::doubleValue);
    }

    private static String perUnit(Double value, double unit, String format) {
        return value == null ? "-" : String.format(format, value / unit);
    }

    private static String duration(double seconds) {
        if (seconds < 120) {
            return String.format("%.0f s", seconds);
        }
        return seconds < 7200
                ? String.format("%.0f min", seconds / 60)
                : String.format("%.1f h", seconds / 3600);
    }
}
