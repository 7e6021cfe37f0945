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
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code ./bench slow-sink}: how long checkpoints take while the sink holds the job up. */
@Command(
        name = "slow-sink",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Measures how long checkpoints take, aligned and unaligned, while a slow sink holds up"
                    + " the LEFT JOIN of left-updates and all that is before it.",
            "A run takes as long as warm-up and measured time, and about 20 seconds more."
        })
final class SlowSinkCommand implements Callable<Integer> {

    private static final LatencyQuery QUERY = LatencyQuery.LEFT_UPDATES;

    @Option(
            names = "--rows-per-second",
            paramLabel = "N",
            defaultValue = "2k",
            converter = EventCount.class,
            description =
                    "How many changes the sink takes, all its sub-tasks together"
                            + " (default: ${DEFAULT-VALUE}).")
    private long rowsPerSecond;

    @Option(
            names = "--chained",
            description =
                    "Have the sink in the tasks of the join, as SQL has it if nothing else is said;"
                            + " otherwise in tasks of its own, behind an exchange.")
    private boolean chained;

    @Option(
            names = "--interval-seconds",
            paramLabel = "N",
            defaultValue = "5",
            description = "Time between two checkpoints (default: ${DEFAULT-VALUE}).")
    private int intervalSeconds;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "120",
            description = "How long to measure, per run (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(
            names = "--warm-up-seconds",
            paramLabel = "N",
            defaultValue = "20",
            description =
                    "How long to run before; checkpoints triggered then do not count"
                            + " (default: ${DEFAULT-VALUE}).")
    private int warmUpSeconds;

    @Mixin private LoadOptions options;

    @ParentCommand private Bench bench;

    @Spec private CommandSpec command;

    @Override
    public Integer call() throws IOException {
        options.check(seconds, warmUpSeconds);
        if (intervalSeconds < 1) {
            throw new UserError("--interval-seconds must be at least 1 but is " + intervalSeconds);
        }
        PrintWriter out = command.commandLine().getOut();
        out.printf(
                "%s, %s: %s%n",
                QUERY.title(),
                chained ? "sink chained" : "sink in tasks of its own",
                QUERY.about());
        Load load =
                new Load(
                        Load.MORE_THAN_ANY,
                        warmUpSeconds,
                        seconds,
                        false,
                        0,
                        Map.of(
                                "rows-per-second",
                                String.valueOf(rowsPerSecond),
                                "own-task",
                                String.valueOf(!chained)));
        return options.run(
                bench.commandLine(),
                out,
                runs -> {
                    for (boolean unaligned : List.of(false, true)) {
                        runs.allRuns(
                                LoadReport.ofSlowSink(
                                        QUERY, unaligned ? "unaligned" : "aligned", rowsPerSecond),
                                QUERY,
                                load,
                                Map.of(
                                        "execution.checkpointing.interval",
                                        intervalSeconds + " s",
                                        "execution.checkpointing.unaligned.enabled",
                                        String.valueOf(unaligned)));
                    }
                });
    }
}
