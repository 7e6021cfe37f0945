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

import io.stateaccel.nexmark.bench.common.EventCount;
import io.stateaccel.nexmark.bench.common.UserError;
import io.stateaccel.nexmark.bench.queries.LatencyQuery;
import io.stateaccel.nexmark.bench.report.LoadReport;
import io.stateaccel.nexmark.bench.run.Load;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code ./bench plateau}: what a job occupies over time whose keys are always new and expire. */
@Command(
        name = "plateau",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Measures disk, files and live heap over time of a join and an aggregate over ever-new"
                    + " keys, at a steady rate, whose state expires.",
            "A run takes as long as warm-up and measured time, and about 20 seconds more."
        })
final class PlateauCommand implements Callable<Integer> {

    private static final LatencyQuery QUERY = LatencyQuery.NEW_KEYS;

    @Option(
            names = "--rows-per-second",
            paramLabel = "N",
            defaultValue = "20k",
            converter = EventCount.class,
            description = "How many rows come (default: ${DEFAULT-VALUE}).")
    private long rowsPerSecond;

    @Option(
            names = "--ttl-seconds",
            paramLabel = "N",
            defaultValue = "60",
            description = "State time-to-live (default: ${DEFAULT-VALUE}).")
    private int ttlSeconds;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "1800",
            description = "How long to measure, per run (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(
            names = "--warm-up-seconds",
            paramLabel = "N",
            defaultValue = "180",
            description =
                    "How long to run before, for the first state to expire; in the first half rows"
                            + " come at half the rate (default: ${DEFAULT-VALUE}).")
    private int warmUpSeconds;

    @Option(
            names = "--interval-seconds",
            paramLabel = "N",
            defaultValue = "10",
            description =
                    "Time between two looks, each of which collects the garbage of the whole heap"
                            + " (default: ${DEFAULT-VALUE}).")
    private int intervalSeconds;

    @Mixin private LoadOptions options;

    @ParentCommand private Bench bench;

    @Spec private CommandSpec command;

    @Override
    public Integer call() throws IOException {
        options.check(seconds, warmUpSeconds);
        if (rowsPerSecond >= Load.MORE_THAN_ANY) {
            throw new UserError("--rows-per-second must be below 10M but is " + rowsPerSecond);
        }
        if (ttlSeconds < 1) {
            throw new UserError("--ttl-seconds must be at least 1 but is " + ttlSeconds);
        }
        if (intervalSeconds < 1) {
            throw new UserError("--interval-seconds must be at least 1 but is " + intervalSeconds);
        }
        PrintWriter out = command.commandLine().getOut();
        out.printf("%s, state expires after %d s: %s%n", QUERY.title(), ttlSeconds, QUERY.about());
        Load load =
                new Load(rowsPerSecond, warmUpSeconds, seconds, false, intervalSeconds, Map.of());
        return options.run(
                bench.commandLine(),
                out,
                runs ->
                        runs.allRuns(
                                LoadReport.ofPlateau(
                                        QUERY, "TTL " + ttlSeconds + " s", rowsPerSecond),
                                QUERY,
                                load,
                                Map.of("table.exec.state.ttl", ttlSeconds + " s")));
    }
}
