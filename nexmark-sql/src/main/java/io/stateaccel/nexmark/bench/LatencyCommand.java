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
import io.stateaccel.nexmark.bench.run.RunFailure;
import io.stateaccel.nexmark.bench.variants.Variant;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code ./bench latency}: how long results take, at several rates. */
@Command(
        name = "latency",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Measures the time from a row's creation to the arrival of the first result that has"
                    + " it. Rows are created at a steady rate, whether the job keeps up or not.",
            "A run takes as long as warm-up and measured time, and about 20 seconds more."
        })
final class LatencyCommand implements Callable<Integer> {

    /** The number of rows read is taken several times a second. */
    private static final Map<String, String> FRESH_METRICS =
            Map.of("metrics.fetcher.update-interval", "100");

    @Parameters(
            paramLabel = "QUERY",
            arity = "0..*",
            description =
                    "q4, top-n, left-updates, idle, new-keys, see list (default: the first three).")
    private List<String> queryNames = List.of();

    @Option(
            names = "--rates",
            paramLabel = "N",
            split = ",",
            defaultValue = "10,1k,50k,90%",
            converter = Rate.Converter.class,
            description =
                    "Rows per second, or a share of stock's highest rate"
                            + " (default: 10,1k,50k,90%%).")
    private List<Rate> rates;

    @Option(
            names = "--highest",
            paramLabel = "N",
            converter = EventCount.class,
            description =
                    "Stock's highest rate in rows per second. If not given it is measured by a run"
                            + " of the query with as many rows as it takes.")
    private Long highest;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "20",
            description = "How long to measure, per run (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(
            names = "--warm-up-seconds",
            paramLabel = "N",
            defaultValue = "16",
            description =
                    "How long to run before; in the first half rows come at half the rate, as a job"
                            + " that has just started is slow (default: ${DEFAULT-VALUE}).")
    private int warmUpSeconds;

    @Mixin private LoadOptions options;

    @ParentCommand private Bench bench;

    @Spec private CommandSpec command;

    @Override
    public Integer call() throws IOException {
        options.check(seconds, warmUpSeconds);
        List<LatencyQuery> queries =
                queryNames.isEmpty()
                        ? LatencyQuery.BY_DEFAULT
                        : new LinkedHashSet<>(queryNames)
                                .stream().map(LatencyQuery::named).toList();
        if (highest != null && highest >= Load.MORE_THAN_ANY) {
            throw new UserError("--highest must be below 10M but is " + highest);
        }
        PrintWriter out = command.commandLine().getOut();
        return options.run(
                bench.commandLine(),
                out,
                runs -> {
                    for (LatencyQuery query : queries) {
                        measure(query, runs, out);
                    }
                });
    }

    private void measure(LatencyQuery query, LoadRuns runs, PrintWriter out) throws IOException {
        out.printf("%n%s: %s%n", query.title(), query.about());
        out.flush();
        OptionalLong highestRate =
                rates.stream().anyMatch(Rate::isShare)
                        ? OptionalLong.of(highest == null ? highestOf(query, runs, out) : highest)
                        : OptionalLong.empty();
        for (Rate rate : rates) {
            long rowsPerSecond = rate.of(highestRate);
            runs.allRuns(
                    LoadReport.ofLatency(query, rate.label(), rowsPerSecond),
                    query,
                    new Load(rowsPerSecond, warmUpSeconds, seconds, true, 0, Map.of()),
                    query.settings());
        }
    }

    private long highestOf(LatencyQuery query, LoadRuns runs, PrintWriter out) {
        Double rate =
                runs.oneRun(
                                query.title() + ", stock's highest rate",
                                query,
                                new Load(
                                        Load.MORE_THAN_ANY,
                                        warmUpSeconds,
                                        seconds,
                                        false,
                                        0,
                                        Map.of()),
                                FRESH_METRICS,
                                Variant.named(Variant.REFERENCE))
                        .rowsPerSecond();
        if (rate == null || rate < 1) {
            throw new RunFailure(
                    "stock's highest rate could not be measured in "
                            + seconds
                            + " s: take more --seconds, or give it as --highest");
        }
        out.printf("stock's highest rate: %,.0f rows per second%n", rate);
        out.flush();
        return Math.round(rate);
    }
}
