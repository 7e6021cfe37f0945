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
package io.stateaccel.benchmarks;

import io.stateaccel.benchmarks.WideJoinProbe.Access;
import io.stateaccel.benchmarks.WideJoinResult.FilesThen;
import io.stateaccel.benchmarks.WideJoinResult.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** The results of all variants as Markdown. */
final class WideJoinReport {

    private static final double MIB = 1 << 20;

    /** Of the files over time, beside the first moment and the last. */
    private static final int MOST_SAMPLES = 30;

    private final List<WideJoinResult> results;
    private final StringBuilder text = new StringBuilder();

    private WideJoinReport(List<WideJoinResult> results) {
        this.results = results;
    }

    static String of(List<WideJoinResult> results) {
        WideJoinReport report = new WideJoinReport(results);
        report.cpu();
        report.bytes();
        report.latencies();
        report.files();
        return report.text.toString();
    }

    private void cpu() {
        title("CPU seconds per million rows");
        row(
                "variant",
                "state",
                "rows (M)",
                "task",
                "flush",
                "compaction",
                "other threads",
                "rows/s by the clock",
                "write stalls s");
        line(9);
        for (WideJoinResult result : results) {
            cpu(result.variant(), "filling", result.filling());
            cpu(result.variant(), "full", result.full());
        }
    }

    private void cpu(WideJoinVariant variant, String state, Phase phase) {
        double millions = phase.rows() / 1e6;
        row(
                variant,
                state,
                number("%.3f", millions),
                number("%.2f", phase.taskCpu() / millions),
                number("%.2f", phase.flushCpu() / millions),
                number("%.2f", phase.compactionCpu() / millions),
                number("%.2f", phase.otherCpu() / millions),
                number("%,.0f", phase.rows() / phase.seconds()),
                number("%.1f", phase.work().stallSeconds()));
    }

    private void bytes() {
        title("MiB that came in, and that RocksDB wrote for it");
        row(
                "variant",
                "state",
                "rows' payload",
                "flushed",
                "compactions read",
                "compactions wrote",
                "(flushed + wrote) / flushed",
                "SST files in the end",
                "blob files",
                "read from the device");
        line(10);
        for (WideJoinResult result : results) {
            bytes(result.variant(), "filling", result.filling());
            bytes(result.variant(), "full", result.full());
        }
    }

    private void bytes(WideJoinVariant variant, String state, Phase phase) {
        double flushed = phase.work().flushed();
        double written = phase.work().compactionWritten();
        row(
                variant,
                state,
                mib(phase.bytes()),
                mib(flushed),
                mib(phase.work().compactionRead()),
                mib(written),
                flushed == 0 ? "-" : number("%.2f", (flushed + written) / flushed),
                mib(phase.files().sstBytes()),
                mib(phase.files().blobBytes()),
                mib(phase.deviceReadBytes()));
    }

    private void latencies() {
        title("Microseconds of an access while the state is full: p50 / p99 / p99.9 (accesses)");
        List<Object> head = new ArrayList<>(List.of("access"));
        results.forEach(result -> head.add(result.variant()));
        row(head.toArray());
        line(head.size());
        for (Access access : Access.values()) {
            List<Object> cells =
                    new ArrayList<>(
                            List.of(access.name().toLowerCase(Locale.ROOT).replace('_', ' ')));
            results.forEach(result -> cells.add(percentiles(result.nanos().get(access))));
            row(cells.toArray());
        }
    }

    private static String percentiles(Histogram nanos) {
        if (nanos.getTotalCount() == 0) {
            return "-";
        }
        return number(
                "%.1f / %.1f / %.1f (%,d)",
                nanos.getValueAtPercentile(50) / 1e3,
                nanos.getValueAtPercentile(99) / 1e3,
                nanos.getValueAtPercentile(99.9) / 1e3,
                nanos.getTotalCount());
    }

    private void files() {
        title("SST files of levels 0, 1, ... by thousands of rows (and seconds)");
        for (WideJoinResult result : results) {
            List<FilesThen> all = result.files();
            text.append("- ").append(result.variant()).append(": ");
            text.append(
                    thinned(all).stream()
                            .map(WideJoinReport::filesThen)
                            .collect(Collectors.joining("; ")));
            text.append("; most at a time ").append(most(all)).append('\n');
        }
    }

    private static String filesThen(FilesThen sample) {
        return number("%,d (%.0f s) ", sample.rows() / 1000, sample.seconds())
                + levels(sample.files().perLevel());
    }

    private static String most(List<FilesThen> samples) {
        return levels(
                IntStream.range(0, samples.get(0).files().perLevel().size())
                        .mapToObj(
                                level ->
                                        samples.stream()
                                                .mapToLong(s -> s.files().perLevel().get(level))
                                                .max()
                                                .getAsLong())
                        .toList());
    }

    /** Without the empty levels at the bottom. */
    private static String levels(List<Long> files) {
        int used = files.size();
        while (used > 1 && files.get(used - 1) == 0) {
            used--;
        }
        return files.subList(0, used).stream()
                .map(String::valueOf)
                .collect(Collectors.joining("/"));
    }

    private static List<FilesThen> thinned(List<FilesThen> samples) {
        int last = samples.size() - 1;
        int kept = Math.min(last, MOST_SAMPLES);
        return IntStream.rangeClosed(0, kept)
                .mapToObj(i -> samples.get(kept == 0 ? 0 : (int) ((long) i * last / kept)))
                .toList();
    }

    private void title(String title) {
        text.append('\n').append(title).append("\n\n");
    }

    private void row(Object... cells) {
        for (Object cell : cells) {
            text.append("| ").append(cell).append(' ');
        }
        text.append("|\n");
    }

    private void line(int columns) {
        text.append("|---".repeat(columns)).append("|\n");
    }

    private static String mib(double bytes) {
        return number("%,.0f", bytes / MIB);
    }

    private static String number(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
