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

import io.stateaccel.nexmark.bench.common.BuildProperties;
import io.stateaccel.nexmark.bench.measure.Machine;
import io.stateaccel.nexmark.bench.queries.LatencyQuery;
import io.stateaccel.nexmark.bench.report.LoadReport;
import io.stateaccel.nexmark.bench.report.Outputs;
import io.stateaccel.nexmark.bench.report.Report;
import io.stateaccel.nexmark.bench.report.Summary;
import io.stateaccel.nexmark.bench.run.EmbeddedRunner;
import io.stateaccel.nexmark.bench.run.Load;
import io.stateaccel.nexmark.bench.run.LoadResult;
import io.stateaccel.nexmark.bench.run.RunFailure;
import io.stateaccel.nexmark.bench.run.RunSpec;
import io.stateaccel.nexmark.bench.variants.Variant;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs queries under loads, in all variants in turns, and keeps the report of it. */
final class LoadRuns {

    /** Flink's history has the checkpoints of a whole run then. */
    private static final Map<String, String> ALL_CHECKPOINTS =
            Map.of("web.checkpoints.history", "10000");

    private final String commandLine;
    private final RunOptions options;
    private final List<Variant> variants;
    private final int runs;
    private final Outputs outputs;
    private final EmbeddedRunner runner;
    private final PrintWriter out;

    private final String startedAt = Instant.now().toString();
    private final ProgressLine progress = ProgressLine.onTerminal();
    private final List<LoadReport> reports = new ArrayList<>();

    LoadRuns(
            String commandLine,
            RunOptions options,
            List<Variant> variants,
            int runs,
            Outputs outputs,
            EmbeddedRunner runner,
            PrintWriter out) {
        this.commandLine = commandLine;
        this.options = options;
        this.variants = variants;
        this.runs = runs;
        this.outputs = outputs;
        this.runner = runner;
        this.out = out;
    }

    /**
     * Runs a query in all variants. One that fails is left out from then on.
     *
     * @param empty the report, as yet without runs
     * @param settings Flink configuration that belongs to the load
     */
    void allRuns(LoadReport empty, LatencyQuery query, Load load, Map<String, String> settings)
            throws IOException {
        List<LoadResult> results = new ArrayList<>();
        Map<String, String> failures = new LinkedHashMap<>();
        reports.add(empty);
        for (int run = 1; run <= runs; run++) {
            for (Variant variant : Bench.inOrderOfRun(variants, run)) {
                if (failures.containsKey(variant.name())) {
                    continue;
                }
                String title =
                        String.format(
                                "%s, %s, run %d of %d, %s",
                                query.title(), empty.label(), run, runs, variant.name());
                try {
                    results.add(oneRun(title, query, load, settings, variant).asRun(run));
                } catch (RunFailure e) {
                    if (WorkPlace.isStopping()) {
                        throw e;
                    }
                    progress.clear();
                    out.printf("%s: %s%n", title, e.getMessage());
                    out.flush();
                    failures.put(variant.name(), e.getMessage());
                }
                // Now and not at the end, so that stopping keeps what is finished.
                reports.set(reports.size() - 1, empty.with(results, failures));
                outputs.writeFigures(report());
            }
        }
        out.print(reports.get(reports.size() - 1).text());
        out.flush();
    }

    /** Does one run and measures it. */
    LoadResult oneRun(
            String title,
            LatencyQuery query,
            Load load,
            Map<String, String> settings,
            Variant variant) {
        Map<String, String> ofLoad = new LinkedHashMap<>(ALL_CHECKPOINTS);
        ofLoad.putAll(settings);
        RunSpec spec =
                new RunSpec(
                        query.title(),
                        variant.name(),
                        load.rows(),
                        options.parallelism(),
                        // The load takes its time; only what comes on top can be too much.
                        options.capSeconds() + load.warmUpSeconds() + load.seconds(),
                        options.settings(ofLoad, variant),
                        load,
                        null);
        progress.show(title + ": starting");
        LoadResult result =
                runner.runUnderLoad(
                        spec,
                        soFar ->
                                progress.show(
                                        String.format("%s: %,d rows", title, soFar.events())));
        progress.clear();
        return result;
    }

    /** What is known so far. */
    Report report() {
        List<String> names = variants.stream().map(Variant::name).toList();
        return new Report(
                commandLine,
                BuildProperties.get("project.version"),
                startedAt,
                Machine.here(),
                Report.EMBEDDED,
                options.parallelism(),
                0,
                options.baseSettings(),
                variants,
                List.of(),
                Summary.of(List.of(), names, Bench.reference(names)),
                List.copyOf(reports));
    }

    /** Writes what the user asked for; returns the exit code. */
    int finish() throws IOException {
        outputs.writeAll(report());
        return reports.stream().allMatch(report -> report.failures().isEmpty())
                ? Bench.OK
                : Bench.FAILED;
    }
}
