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
import io.stateaccel.nexmark.bench.measure.CheckpointStats;
import io.stateaccel.nexmark.bench.measure.Machine;
import io.stateaccel.nexmark.bench.measure.ResourceUse;
import io.stateaccel.nexmark.bench.run.RunResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * Tables in a Markdown file that holds other text too. Those of a command stand between two
 * comments that name it, and running it again replaces them.
 */
public final class MarkdownReport {

    private MarkdownReport() {}

    /** Writes the tables of a report. */
    static void write(Report report, Path file) throws IOException {
        String before = Files.exists(file) ? Files.readString(file) : "# Benchmarks\n";
        Replacement.write(file, merge(before, report));
    }

    /** Returns the file's text with the tables of a report in place of older ones. */
    static String merge(String text, Report report) {
        String command = withoutOutputs(report.command());
        String begin = "<!-- begin: " + command + " -->\n";
        String end = "<!-- end: " + command + " -->\n";
        String block = begin + block(report, command) + end;
        int from = text.indexOf(begin);
        int to = text.indexOf(end);
        if (from >= 0 && to > from) {
            return text.substring(0, from) + block + text.substring(to + end.length());
        }
        return text + (text.endsWith("\n\n") ? "" : "\n") + block;
    }

    /** Where to write figures is no part of what was measured. */
    static String withoutOutputs(String command) {
        return command.replaceAll(" --(json|report|markdown|scaling)(=| )\\S+", "");
    }

    /** A line about where and when. */
    static String machine(Report report) {
        Machine machine = report.machine();
        return String.format(
                "%s; %s, %d cores, %.0f GiB; %s, Flink %s; %s cluster, parallelism %d; version %s,"
                        + " %s.%n",
                machine.cpu(),
                machine.operatingSystem(),
                machine.cores(),
                machine.memoryBytes() / (double) (1 << 30),
                machine.jdk(),
                machine.flink(),
                report.cluster(),
                report.parallelism(),
                report.version(),
                report.startedAt().substring(0, 10));
    }

    private static String block(Report report, String command) {
        StringBuilder block = new StringBuilder();
        block.append("```sh\n").append(command).append("\n```\n\n");
        block.append(machine(report)).append('\n');
        if (report.queries().size() > 1) {
            block.append(ratios(report)).append('\n');
        }
        for (QueryReport part : report.queries()) {
            block.append(table(part)).append('\n');
        }
        block.append(LoadReport.markdown(report.loads()));
        return block.toString();
    }

    /** Queries down, variants across. */
    private static String ratios(Report report) {
        List<String> variants = report.variantNames();
        StringBuilder table = new StringBuilder();
        table.append("Events per core-second as a multiple of ")
                .append(report.summary().reference())
                .append("'s (~: runs spread widely).\n\n| query | ")
                .append(String.join(" | ", variants))
                .append(" | results |\n|---|")
                .append("---|".repeat(variants.size() + 1))
                .append('\n');
        for (QueryReport part : report.queries()) {
            table.append("| ").append(part.label()).append(" | ");
            for (String variant : variants) {
                table.append(
                                part.failures().containsKey(variant)
                                        ? "failed"
                                        : part.row(variant)
                                                .map(
                                                        row ->
                                                                Summary.ratio(row.ratio())
                                                                        + (row.isNoisy()
                                                                                ? "~"
                                                                                : ""))
                                                .orElse("-"))
                        .append(" | ");
            }
            table.append(results(part)).append(" |\n");
        }
        table.append("| geometric mean | ");
        for (String variant : variants) {
            Double mean = report.summary().geometricMeans().get(variant);
            table.append("**").append(Summary.ratio(mean)).append("** | ");
        }
        return table.append("|\n").toString();
    }

    private static String table(QueryReport part) {
        StringBuilder table = new StringBuilder();
        table.append(
                String.format(
                        "%s, %s events: %s. Results: %s.%n%n",
                        part.query(), EventCount.text(part.events()), part.about(), results(part)));
        boolean hasCeiling = part.hasCeiling();
        table.append(
                        "| variant | CPU s | wall s | events per core-second | ratio | its range |"
                                + " spread of CPU s | runs |")
                .append(hasCeiling ? " of ceiling |" : "")
                .append("\n|---|---|---|---|---|---|---|---|")
                .append(hasCeiling ? "---|" : "")
                .append('\n');
        for (Comparison.Row row : part.summary()) {
            table.append(
                    String.format(
                            "| %s | %.1f | %.1f | %,.0f | %s | %s | %.0f%% | %d |%s%n",
                            row.variant(),
                            row.cpuSeconds(),
                            row.wallSeconds(),
                            row.eventsPerCoreSecond(),
                            Summary.ratio(row.ratio()),
                            row.ratio() == null
                                    ? "-"
                                    : String.format(
                                            "%.2f-%.2f", row.lowestRatio(), row.highestRatio()),
                            row.spread() * 100,
                            row.runs(),
                            hasCeiling ? " " + row.shareOfCeiling() + " |" : ""));
        }
        table.append(
                "\n| variant | memory, MB | GC, s | state files, MB | compacted, MB | checkpoints |"
                        + " p50 / p99, ms | full size, MB | recovery, s |\n"
                        + "|---|---|---|---|---|---|---|---|---|\n");
        for (Comparison.Row row : part.summary()) {
            List<RunResult> runs = part.runsOf(row.variant());
            table.append(
                    String.format(
                            "| %s | %s | %s | %s | %s | %s | %s / %s | %s | %s |%n",
                            row.variant(),
                            median(runs, 1e6, use(ResourceUse::peakMemoryBytes)),
                            median(runs, 1e3, use(ResourceUse::gcMillis)),
                            median(runs, 1e6, use(ResourceUse::peakStateBytes)),
                            median(runs, 1e6, use(MarkdownReport::compactedBytes)),
                            median(runs, 1, checkpoints(CheckpointStats::completed)),
                            median(runs, 1, checkpoints(stats -> p50(stats.millis()))),
                            median(runs, 1, checkpoints(stats -> p99(stats.millis()))),
                            median(runs, 1e6, checkpoints(stats -> max(stats.fullBytes()))),
                            median(runs, 1, RunResult::recoverySeconds)));
        }
        part.failures()
                .forEach(
                        (variant, reason) ->
                                table.append(
                                        String.format("%n`%s` failed: %s%n", variant, reason)));
        return table.toString();
    }

    private static String results(QueryReport part) {
        return switch (part.results()) {
            case EQUAL -> "equal";
            case DIFFERENT -> "**differ**";
            case NOT_COMPARABLE -> "not comparable";
            case NONE -> "none";
        };
    }

    private static Long compactedBytes(ResourceUse use) {
        return use.rocksDb() == null
                ? null
                : use.rocksDb().compactionReadBytes() + use.rocksDb().compactionWrittenBytes();
    }

    private static Function<RunResult, Number> use(Function<ResourceUse, Long> figure) {
        return run -> run.resources() == null ? null : figure.apply(run.resources());
    }

    private static Function<RunResult, Number> checkpoints(
            Function<CheckpointStats, Number> figure) {
        return run -> run.checkpoints() == null ? null : figure.apply(run.checkpoints());
    }

    private static Double p50(CheckpointStats.Distribution distribution) {
        return distribution == null ? null : distribution.p50();
    }

    private static Double p99(CheckpointStats.Distribution distribution) {
        return distribution == null ? null : distribution.p99();
    }

    private static Double max(CheckpointStats.Distribution distribution) {
        return distribution == null ? null : distribution.max();
    }

    /** Median over the runs that have the figure, as text. */
    private static String median(
            List<RunResult> runs, double unit, Function<RunResult, ? extends Number> figure) {
        List<Double> values =
                runs.stream()
                        .map(figure)
                        .filter(Objects::nonNull)
                        .map(number -> number.doubleValue() / unit)
                        .toList();
        if (values.isEmpty()) {
            return "-";
        }
        double median = Comparison.median(values, value -> value);
        return String.format(median < 10 && median != Math.rint(median) ? "%.2f" : "%,.0f", median);
    }
}
