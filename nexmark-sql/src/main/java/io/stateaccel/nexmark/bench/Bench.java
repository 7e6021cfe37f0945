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
import io.stateaccel.nexmark.bench.run.RunFailure;
import io.stateaccel.nexmark.bench.run.RunResult;
import io.stateaccel.nexmark.bench.run.RunSpec;
import io.stateaccel.nexmark.bench.run.Runner;
import io.stateaccel.nexmark.bench.run.TaskManagerSize;
import io.stateaccel.nexmark.bench.run.WorkFiles;
import io.stateaccel.nexmark.bench.variants.Variant;
import io.stateaccel.nexmark.bench.variants.VariantFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.flink.configuration.MemorySize;
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
        subcommands = {ListCommand.class, CompareCommand.class, RenderCommand.class},
        footer = {
            "",
            "Exit code: 0 done; 1 a run failed or results differ; 2 wrong use.",
            "Examples: ./bench list",
            "          ./bench q4 --events 5M --runs 3 --json q4.json",
            "          ./bench q4 q9 --variants stock,accel-planner,accel-backend,accel",
            "          ./bench all --events 1M --report out",
            "          ./bench sample-join iot-last-seen --variants stock,accel",
            "          ./bench all --events 1M --runs 1 --warmup --variant mine=mine.yaml",
            "          ./bench q4 --sweep events=1M,5M,20M --scaling scaling.md",
            "          ./bench compare before.json after.json"
        })
public final class Bench implements Callable<Integer> {

    static final int OK = 0;
    static final int FAILED = 1;
    static final int WRONG_USE = 2;

    private static final String ALL = "all";
    private static final String PEERS = "peers";

    private static final int RUNS = 3;
    private static final int RUNS_OF_MANY = 2;

    @Spec private CommandSpec command;

    @Parameters(
            paramLabel = "QUERY",
            arity = "0..*",
            description = {
                "Queries such as q4; all: those of Nexmark and our own; peers: the workloads of"
                        + " other state backends."
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
            names = "--variant",
            paramLabel = "NAME=FILE",
            description =
                    "A variant of your own, run after the others: FILE is like Flink's config.yaml"
                            + " and says all that differs from Flink's defaults, also"
                            + " state.backend.type; may be repeated.")
    private Map<String, Path> variantFiles = new LinkedHashMap<>();

    @Option(
            names = "--runs",
            paramLabel = "N",
            description = "Runs per variant; variants alternate (default: 3; of all and peers: 2).")
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

    @Option(
            names = "--parallelism",
            paramLabel = "N",
            defaultValue = "2",
            description =
                    "Sub-tasks per operator and slots of the task manager"
                            + " (default: ${DEFAULT-VALUE}).")
    private int parallelism;

    @Option(
            names = "--managed-memory",
            paramLabel = "SIZE",
            defaultValue = TaskManagerSize.MANAGED,
            description =
                    "Managed memory of the task manager, of which RocksDB lives"
                            + " (default: ${DEFAULT-VALUE}, as Flink gives one of 8 GB).")
    private String managedMemory;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Flink configuration for all variants; may be repeated.")
    private Map<String, String> userSettings = new LinkedHashMap<>();

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
            names = "--cap-minutes",
            paramLabel = "N",
            defaultValue = "10",
            description = "Stop a job that takes longer and say so (default: ${DEFAULT-VALUE}).")
    private int capMinutes;

    @Option(
            names = "--state-dir",
            paramLabel = "DIR",
            description =
                    "Where state, checkpoints and logs are put while running"
                            + " (default: the system's temporary directory).")
    private Path stateDirectory = Path.of(System.getProperty("java.io.tmpdir"));

    @Mixin private Outputs outputs;

    @Option(
            names = "--jvm-arg",
            paramLabel = "ARG",
            description =
                    "Argument for the JVM that runs the tasks, e.g. a profiler's agent; may be"
                            + " repeated.")
    private List<String> jvmArguments = new ArrayList<>();

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
    private volatile boolean stopping;
    private volatile boolean ended;

    public static void main(String[] args) {
        System.exit(execute(args));
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
                            .println("bench: " + (bench.stopping ? "stopped" : e.getMessage()));
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
        Path work = createWorkDirectory();
        EmbeddedRunner embedded =
                new EmbeddedRunner(
                        work.resolve("embedded"), jvmArguments, clusterAddress(), profileDirectory);
        List<AutoCloseable> open = new ArrayList<>(List.of(embedded));
        // A signal must end the runs too, and leave no state behind.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(open, work)));
        try {
            Runner runner = embedded;
            if (flinkHome != null) {
                runner = new DistributionRunner(flinkHome, work.resolve("cluster"), jvmArguments);
                open.add(runner);
            }
            return compare(variants, embedded, runner);
        } finally {
            cleanUp(open, work);
            ended = true;
        }
    }

    private void stop(List<AutoCloseable> open, Path work) {
        stopping = true;
        cleanUp(open, work);
        if (!ended) {
            System.err.println(
                    "bench: stopped"
                            + (outputs.isEmpty() ? "" : "; the runs that ended are written"));
        }
    }

    private int compare(Map<Query, List<Variant>> variants, EmbeddedRunner planner, Runner runner)
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
            Query query, List<Variant> variants, EmbeddedRunner planner, PrintWriter out) {
        variants.stream()
                .filter(Variant::isAccelerated)
                .findFirst()
                .ifPresent(variant -> out.println(planner.explain(spec(query, events, variant))));
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
                    if (stopping) {
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

    private static String reference(List<String> variants) {
        return variants.contains(Variant.REFERENCE) ? Variant.REFERENCE : variants.get(0);
    }

    private Report report() {
        Map<String, Variant> variants = new LinkedHashMap<>();
        for (QueryReport part : reports) {
            variantsOf(Query.named(part.query()))
                    .forEach(variant -> variants.put(variant.name(), variant));
        }
        List<String> names = List.copyOf(variants.keySet());
        String cluster = flinkHome == null ? "embedded" : "standalone";
        return new Report(
                commandLine,
                BuildProperties.get("project.version"),
                startedAt,
                Machine.here(),
                rest == null ? cluster : rest.toString(),
                parallelism,
                warmup,
                baseSettings(),
                List.copyOf(variants.values()),
                List.copyOf(reports),
                Summary.of(reports, names, reference(names)));
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
    private static List<Variant> inOrderOfRun(List<Variant> variants, int run) {
        List<Variant> order = new ArrayList<>(variants);
        if (run % 2 == 0) {
            Collections.reverse(order);
        }
        return order;
    }

    private RunSpec spec(Query query, long count, Variant variant) {
        Map<String, String> settings = new LinkedHashMap<>(baseSettings());
        settings.putAll(query.settings());
        settings.putAll(userSettings);
        settings.putAll((query.program().isPresent() ? variant.ofProgram() : variant).settings());
        return new RunSpec(
                query.name(), variant.name(), count, parallelism, 60L * capMinutes, settings);
    }

    /** What all queries and variants share: a task manager of 8 GB, incremental checkpoints. */
    private Map<String, String> baseSettings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("taskmanager.memory.managed.size", managedMemory);
        settings.put("execution.checkpointing.incremental", "true");
        settings.put("execution.checkpointing.interval", "30 s");
        // As the published benchmark has it: else a job at its end idles until the next checkpoint.
        settings.put("execution.checkpointing.checkpoints-after-tasks-finish.enabled", "false");
        // The progress line and the curves need figures that are no older.
        settings.put("metrics.fetcher.update-interval", "1000");
        settings.putAll(userSettings);
        return settings;
    }

    private List<Query> queries() {
        for (String group : List.of(ALL, PEERS)) {
            if (queryNames.contains(group)) {
                if (queryNames.size() > 1) {
                    throw new UserError(group + " takes no further queries");
                }
                return group.equals(ALL) ? Query.runnable() : Query.PEERS;
            }
        }
        return new LinkedHashSet<>(queryNames).stream().map(Query::named).toList();
    }

    private List<Variant> variantsOf(Query query) {
        List<Variant> known = new ArrayList<>(Variant.KNOWN);
        variantFiles.forEach((name, file) -> known.add(VariantFile.read(name, file)));
        Set<String> names =
                new LinkedHashSet<>(variantNames == null ? query.variants() : variantNames);
        names.addAll(variantFiles.keySet());
        return names.stream().map(name -> Variant.named(name, known)).toList();
    }

    private int runs() {
        if (runs != null) {
            return runs;
        }
        return queryNames.contains(ALL) || queryNames.contains(PEERS) ? RUNS_OF_MANY : RUNS;
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
        if (capMinutes < 1) {
            throw new UserError("--cap-minutes must be at least 1 but is " + capMinutes);
        }
        if (parallelism < 1) {
            throw new UserError("--parallelism must be at least 1 but is " + parallelism);
        }
        try {
            if (MemorySize.parse(managedMemory).getBytes() == 0) {
                throw new UserError("--managed-memory must be above 0");
            }
        } catch (IllegalArgumentException e) {
            throw new UserError(
                    "--managed-memory: '" + managedMemory + "' is not a size such as 512m");
        }
        if (profileDirectory != null && (flinkHome != null || rest != null)) {
            throw new UserError(
                    "--profile works on the embedded cluster only: leave out --flink-home and"
                            + " --rest");
        }
        outputs.check();
    }

    private Path createWorkDirectory() {
        try {
            return Files.createTempDirectory(Files.createDirectories(stateDirectory), "bench-");
        } catch (IOException e) {
            throw new UserError("--state-dir: cannot write to " + stateDirectory);
        }
    }

    private static synchronized void cleanUp(List<AutoCloseable> open, Path work) {
        for (AutoCloseable closeable : open) {
            try {
                closeable.close();
            } catch (Exception e) {
                System.err.println("bench: while stopping: " + e.getMessage());
            }
        }
        open.clear();
        WorkFiles.deleteRecursively(work);
    }
}
