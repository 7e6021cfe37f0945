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
import io.stateaccel.nexmark.bench.common.EventCount;
import io.stateaccel.nexmark.bench.common.UserError;
import io.stateaccel.nexmark.bench.measure.JobMonitor;
import io.stateaccel.nexmark.bench.measure.Machine;
import io.stateaccel.nexmark.bench.queries.Query;
import io.stateaccel.nexmark.bench.report.Outputs;
import io.stateaccel.nexmark.bench.report.QueryReport;
import io.stateaccel.nexmark.bench.report.Report;
import io.stateaccel.nexmark.bench.report.Summary;
import io.stateaccel.nexmark.bench.run.DistributionRunner;
import io.stateaccel.nexmark.bench.run.EmbeddedRunner;
import io.stateaccel.nexmark.bench.run.PipelineRunner;
import io.stateaccel.nexmark.bench.run.RunFailure;
import io.stateaccel.nexmark.bench.run.RunResult;
import io.stateaccel.nexmark.bench.run.RunSpec;
import io.stateaccel.nexmark.bench.run.Runner;
import io.stateaccel.nexmark.bench.variants.Variant;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code ./bench}: runs queries in several variants and compares them. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Runs Nexmark queries in several variants, checks that all results are equal and"
                    + " prints events per core-second side by side."
        },
        subcommands = {
            ListCommand.class,
            CompareCommand.class,
            RenderCommand.class,
            LatencyCommand.class,
            SlowSinkCommand.class,
            PlateauCommand.class
        },
        footer = {
            "",
            "Exit code: 0 done; 1 a run failed or results differ; 2 wrong use.",
            "Examples: ./bench list",
            "          ./bench q4 --events 5M --runs 3 --json q4.json",
            "          ./bench q4 q9-by-price --variants stock,accel-planner,accel-backend,accel",
            "          ./bench all --events 1M --report out",
            "          ./bench sample-join iot-last-seen --variants stock,accel",
            "          ./bench normalize --variants stock,stock-minibatch,accel",
            "          ./bench cdc --variants stock,accel",
            "          ./bench all --events 1M --runs 1 --warmup --variant mine=mine.yaml",
            "          ./bench q4 --sweep events=1M,5M,20M --scaling scaling.md",
            "          ./bench q4 q16 --against-ceiling --report out",
            "          ./bench latency --report out",
            "          ./bench slow-sink --report out",
            "          ./bench plateau --variants stock,accel --report out",
            "          ./bench compare before.json after.json"
        })
public final class Bench implements Callable<Integer> {

    static final int OK = 0;
    static final int FAILED = 1;
    static final int WRONG_USE = 2;

    private static final int RUNS = 3;
    private static final int RUNS_OF_MANY = 2;

    /** More queries than that are many. */
    private static final int MANY = 4;

    @Spec private CommandSpec command;

    @Parameters(
            paramLabel = "QUERY",
            arity = "0..*",
            description = {
                "Queries such as q4; all: those of Nexmark and our own; peers: the workloads of"
                        + " other state backends; normalize, upsert-sink: these operators of Flink"
                        + " alone; by-time: OVER, windows, and joins by time; cache-only: operators"
                        + " that stay Flink's; cdc: a pipeline from Kafka to Kafka, on a broker."
            })
    private List<String> queryNames = new ArrayList<>();

    @Option(
            names = "--events",
            paramLabel = "N",
            defaultValue = "5000000",
            converter = EventCount.class,
            description = "Number of events, e.g. 500k or 5M (default: ${DEFAULT-VALUE}).")
    private long events;

    @Option(
            names = "--sweep",
            paramLabel = "events=N,N",
            converter = Sweep.Converter.class,
            description = "Run with each of these numbers of events, instead of --events.")
    private Sweep sweep;

    @Option(
            names = "--variants",
            paramLabel = "NAME",
            split = ",",
            description =
                    "Variants, see list (default: stock,accel; workloads about checkpoints:"
                            + " stock,changelog,accel,accel-changelog).")
    private List<String> variantNames;

    @Option(
            names = "--runs",
            paramLabel = "N",
            description =
                    "Runs per variant; variants alternate (default: 3; of more than four queries: 2).")
    private Integer runs;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            arity = "0..1",
            defaultValue = "0",
            fallbackValue = "1",
            description =
                    "Runs per variant before those that count (default: ${DEFAULT-VALUE}; 1 if"
                            + " given without a number).")
    private int warmup;

    @Mixin private RunOptions options;

    @Option(
            names = "--flink",
            paramLabel = "LINE",
            description =
                    "Run on a distribution of this line of Flink, e.g. 2.2, with our jar for it:"
                            + " ./bench builds and assembles both.")
    private String flinkLine;

    @Option(
            names = "--flink-home",
            paramLabel = "DIR",
            description =
                    "Run on a copy of this Flink distribution through its sql-client.sh instead of"
                            + " on an embedded cluster.")
    private Path flinkHome;

    @Option(
            names = "--rest",
            paramLabel = "URL",
            description =
                    "Run on the cluster whose REST interface is there, e.g. http://host:8081; it"
                            + " must be idle. CPU seconds are those its task managers tell.")
    private URI rest;

    @Option(
            names = "--against-ceiling",
            description =
                    "Run the ceiling of each query in turn with the variants: its plan up to the"
                            + " first exchanges, the rows serialised and sent, and nothing done"
                            + " with them. The share of it that a variant reaches is in all"
                            + " reports. SQL and embedded cluster only.")
    private boolean againstCeiling;

    @Mixin private Outputs outputs;

    @Option(
            names = "--profile",
            paramLabel = "DIR",
            description =
                    "Take a CPU profile of every run with async-profiler: a flame graph in DIR, and"
                            + " in the report where the CPU went, by kind of code. Costs some CPU"
                            + " itself. Embedded cluster only.")
    private Path profileDirectory;

    private String commandLine;
    private final String startedAt = Instant.now().toString();
    private final List<QueryReport> reports = new ArrayList<>();

    public static void main(String[] args) {
        System.exit(execute(args));
    }

    /** What the user typed. */
    String commandLine() {
        return commandLine;
    }

    /** Runs the command and returns its exit code. */
    static int execute(String... args) {
        Bench bench = new Bench();
        bench.commandLine = "./bench " + String.join(" ", args);
        CommandLine commandLine = new CommandLine(bench);
        commandLine.setParameterExceptionHandler(
                (e, wrong) -> wrongUse(commandLine.getErr(), e.getMessage()));
        commandLine.setExecutionExceptionHandler(
                (e, parsed, result) -> {
                    if (e instanceof UserError) {
                        return wrongUse(commandLine.getErr(), e.getMessage());
                    }
                    // What breaks because the user stopped the command is no news.
                    commandLine
                            .getErr()
                            .println(
                                    "bench: "
                                            + (WorkPlace.isStopping()
                                                    ? "stopped"
                                                    : e.getMessage()));
                    return FAILED;
                });
        return commandLine.execute(args);
    }

    private static int wrongUse(PrintWriter err, String message) {
        err.println("bench: " + message + " (./bench --help tells more)");
        return WRONG_USE;
    }

    @Override
    public Integer call() throws IOException {
        if (queryNames.isEmpty()) {
            throw new UserError("name a QUERY such as q4, or all");
        }
        checkNumbers();
        List<Query> queries = queries();
        Map<Query, List<Variant>> variants = new LinkedHashMap<>();
        queries.forEach(query -> variants.put(query, variantsOf(query)));
        try (WorkPlace work = WorkPlace.in(options.stateDirectory(), !outputs.isEmpty())) {
            EmbeddedRunner embedded =
                    work.keep(
                            new EmbeddedRunner(
                                    work.directory().resolve("embedded"),
                                    options.jvmArguments(),
                                    clusterAddress(),
                                    profileDirectory));
            if (queries.stream().anyMatch(Query::needsBroker)) {
                PipelineRunner pipelines = pipelines(queries, embedded, work);
                return compare(variants, pipelines::explain, pipelines);
            }
            Runner runner = embedded;
            if (flinkHome != null) {
                runner =
                        work.keep(
                                new DistributionRunner(
                                        flinkHome,
                                        work.directory().resolve("cluster"),
                                        options.jvmArguments()));
            }
            return compare(variants, embedded::explain, runner);
        }
    }

    private PipelineRunner pipelines(List<Query> queries, EmbeddedRunner embedded, WorkPlace work) {
        if (queries.size() > 1) {
            throw new UserError("a query that needs a broker runs alone");
        }
        if (flinkHome != null || rest != null) {
            throw new UserError(
                    queries.get(0).name()
                            + " runs on the embedded cluster only: leave out --flink-home and"
                            + " --rest");
        }
        return work.keep(new PipelineRunner(embedded, work.directory().resolve("broker")));
    }

    private int compare(
            Map<Query, List<Variant>> variants, Function<RunSpec, String> planner, Runner runner)
            throws IOException {
        PrintWriter out = command.commandLine().getOut();
        List<Long> eventCounts = sweep == null ? List.of(events) : sweep.events();
        boolean many = variants.size() * eventCounts.size() > 1;
        if (variants.size() == 1) {
            variants.forEach((query, those) -> explainAccelerated(query, those, planner, out));
        }
        for (Map.Entry<Query, List<Variant>> entry : variants.entrySet()) {
            for (long count : eventCounts) {
                Query query = entry.getKey();
                if (many) {
                    out.printf(
                            "%n%s, %s events: %s%n",
                            query.name(), EventCount.text(count), query.about());
                }
                allRuns(query, count, entry.getValue(), runner, out);
                out.printf("%n%s", reports.get(reports.size() - 1).block());
                out.flush();
            }
        }
        Report report = report();
        if (many) {
            out.printf("%n%s", report.summary().table(reports, report.variantNames()));
            out.flush();
        }
        outputs.writeAll(report);
        return reports.stream().allMatch(QueryReport::isGood) ? OK : FAILED;
    }

    private void explainAccelerated(
            Query query,
            List<Variant> variants,
            Function<RunSpec, String> planner,
            PrintWriter out) {
        variants.stream()
                .filter(Variant::isAccelerated)
                .findFirst()
                .ifPresent(variant -> out.println(planner.apply(spec(query, events, variant))));
        out.flush();
    }

    /** Runs a query in all variants in turns. A variant that fails is left out from then on. */
    private void allRuns(
            Query query, long count, List<Variant> variants, Runner runner, PrintWriter out)
            throws IOException {
        String reference = reference(variants.stream().map(Variant::name).toList());
        List<RunResult> results = new ArrayList<>();
        Map<String, String> failures = new LinkedHashMap<>();
        ProgressLine progress = ProgressLine.onTerminal();
        reports.add(QueryReport.of(query, count, results, failures, reference));
        for (int round = 1; round <= warmup + runs(); round++) {
            int run = round - warmup;
            String title =
                    run < 1
                            ? String.format("warm-up %d of %d", round, warmup)
                            : String.format("run %d of %d", run, runs());
            for (Variant variant : inOrderOfRun(variants, run)) {
                if (failures.containsKey(variant.name())) {
                    continue;
                }
                RunSpec spec = spec(query, count, variant);
                try {
                    RunResult result = oneRun(spec, title, runner, progress, out);
                    if (run >= 1) {
                        results.add(result.asRun(run));
                    }
                } catch (RunFailure e) {
                    if (WorkPlace.isStopping()) {
                        throw e;
                    }
                    progress.clear();
                    out.printf("%s, %s: %s%n", title, variant.name(), e.getMessage());
                    out.flush();
                    failures.put(variant.name(), e.getMessage());
                }
                // Now and not at the end, so that stopping keeps what is finished.
                reports.set(
                        reports.size() - 1,
                        QueryReport.of(
                                query,
                                count,
                                List.copyOf(results),
                                new LinkedHashMap<>(failures),
                                reference));
                outputs.writeFigures(report());
            }
        }
    }

    static String reference(List<String> variants) {
        return variants.contains(Variant.REFERENCE) ? Variant.REFERENCE : variants.get(0);
    }

    private Report report() {
        Map<String, Variant> variants = new LinkedHashMap<>();
        for (QueryReport part : reports) {
            variantsOf(Query.named(part.query()))
                    .forEach(variant -> variants.put(variant.name(), variant));
        }
        List<String> names = List.copyOf(variants.keySet());
        String cluster = flinkHome == null ? Report.EMBEDDED : "standalone";
        return new Report(
                commandLine,
                BuildProperties.get("project.version"),
                startedAt,
                Machine.here(),
                rest == null ? cluster : rest.toString(),
                options.parallelism(),
                warmup,
                options.baseSettings(),
                List.copyOf(variants.values()),
                List.copyOf(reports),
                Summary.of(reports, names, reference(names)),
                List.of());
    }

    private RunResult oneRun(
            RunSpec spec, String round, Runner runner, ProgressLine progress, PrintWriter out) {
        String title = round + ", " + spec.variant();
        progress.show(title + ": starting");
        long start = System.nanoTime();
        RunResult result =
                runner.run(
                        spec,
                        soFar ->
                                progress.show(
                                        title,
                                        soFar,
                                        spec.events(),
                                        (System.nanoTime() - start) / 1_000_000));
        progress.clear();
        out.printf(
                "%s: wall %.1f s, CPU %.1f s, %,.0f events per core-second%n",
                title, result.wallSeconds(), result.cpuSeconds(), result.eventsPerCoreSecond());
        out.flush();
        return result;
    }

    /** Every second round goes backwards, so that no variant always follows the same one. */
    static List<Variant> inOrderOfRun(List<Variant> variants, int run) {
        List<Variant> order = new ArrayList<>(variants);
        if (run % 2 == 0) {
            Collections.reverse(order);
        }
        return order;
    }

    private RunSpec spec(Query query, long count, Variant variant) {
        return new RunSpec(
                query.name(),
                variant.name(),
                count,
                options.parallelism(),
                options.capSeconds(),
                options.settings(
                        query.settings(),
                        query.program().isPresent() ? variant.ofProgram() : variant),
                null,
                null);
    }

    private List<Query> queries() {
        for (String name : queryNames) {
            Optional<List<Query>> group = Query.group(name);
            if (group.isPresent()) {
                if (queryNames.size() > 1) {
                    throw new UserError(name + " takes no further queries");
                }
                return group.get();
            }
        }
        return new LinkedHashSet<>(queryNames).stream().map(Query::named).toList();
    }

    private List<Variant> variantsOf(Query query) {
        List<Variant> variants =
                options.variants(variantNames == null ? query.variants() : variantNames);
        return againstCeiling
                ? Stream.concat(variants.stream(), Stream.of(Variant.CEILING)).toList()
                : variants;
    }

    private int runs() {
        if (runs != null) {
            return runs;
        }
        return queries().size() > MANY ? RUNS_OF_MANY : RUNS;
    }

    private URI clusterAddress() {
        if (rest == null) {
            return null;
        }
        if (flinkHome != null) {
            throw new UserError("--rest and --flink-home exclude each other");
        }
        URI address = URI.create(rest.toString().replaceAll("/*$", "/"));
        if (address.getHost() == null || address.getPort() < 0) {
            throw new UserError("--rest: '" + rest + "' is not like http://host:8081");
        }
        try {
            if (JobMonitor.taskManagers(address) == 0) {
                throw new UserError("--rest: no cluster with a task manager answers at " + rest);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RunFailure("interrupted", e);
        }
        return address;
    }

    private void checkNumbers() {
        if (runs() < 1) {
            throw new UserError("--runs must be at least 1 but is " + runs);
        }
        if (warmup < 0) {
            throw new UserError("--warmup must be at least 0 but is " + warmup);
        }
        options.check();
        if (flinkLine != null && flinkHome == null) {
            throw new UserError(
                    "--flink "
                            + flinkLine
                            + " needs ./bench, which assembles the distribution; otherwise name one"
                            + " with --flink-home");
        }
        if (againstCeiling) {
            checkCeiling();
        }
        if (profileDirectory != null && (flinkHome != null || rest != null)) {
            throw new UserError(
                    "--profile works on the embedded cluster only: leave out --flink-home and"
                            + " --rest");
        }
        outputs.check();
    }

    private void checkCeiling() {
        if (flinkHome != null) {
            throw new UserError(
                    "--against-ceiling works on the embedded cluster only: leave out"
                            + " --flink-home");
        }
        for (Query query : queries()) {
            if (query.program().isPresent() || query.needsBroker()) {
                throw new UserError(
                        "--against-ceiling: "
                                + query.name()
                                + " has no ceiling, as only queries in SQL on tables of events"
                                + " have");
            }
        }
    }
}
