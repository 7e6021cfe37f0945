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

import java.io.IOException;
import java.io.PrintWriter;
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
        footer = {
            "",
            "Exit code: 0 done; 1 a run failed or results differ; 2 wrong use.",
            "Examples: ./bench list",
            "          ./bench q4 --events 5M --runs 3 --json q4.json",
            "          ./bench q4 q9 --variants stock,accel-planner,accel-backend,accel",
            "          ./bench all --events 1M --runs 1 --warmup --variant mine=mine.yaml"
        })
public final class Bench implements Callable<Integer> {

    static final int OK = 0;
    static final int FAILED = 1;
    static final int WRONG_USE = 2;

    private static final String LIST = "list";
    private static final String ALL = "all";

    /** Everything of a benchmark, for {@code --json}. */
    private record Report(
            String command,
            String startedAt,
            Machine machine,
            String cluster,
            long events,
            int parallelism,
            int warmup,
            Map<String, String> settings,
            List<Variant> variants,
            List<QueryReport> queries,
            Summary summary) {}

    @Spec private CommandSpec command;

    @Parameters(
            paramLabel = "QUERY",
            arity = "1..*",
            description = {
                "Queries such as q4, or all of them: all.",
                "list prints the queries and variants there are."
            })
    private List<String> queryNames;

    @Option(
            names = "--events",
            paramLabel = "N",
            defaultValue = "5000000",
            converter = EventCount.class,
            description = "Number of events, e.g. 500k or 5M (default: ${DEFAULT-VALUE}).")
    private long events;

    @Option(
            names = "--variants",
            paramLabel = "NAME",
            split = ",",
            defaultValue = "stock,accel",
            description = "Variants, see list (default: ${DEFAULT-VALUE}).")
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
            defaultValue = "3",
            description = "Runs per variant; variants alternate (default: ${DEFAULT-VALUE}).")
    private int runs;

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
            names = "--state-dir",
            paramLabel = "DIR",
            description =
                    "Where state, checkpoints and logs are put while running"
                            + " (default: the system's temporary directory).")
    private Path stateDirectory = Path.of(System.getProperty("java.io.tmpdir"));

    @Option(names = "--json", paramLabel = "FILE", description = "Write every figure to FILE.")
    private Path jsonFile;

    @Option(
            names = "--jvm-arg",
            paramLabel = "ARG",
            description =
                    "Argument for the JVM that runs the tasks, e.g. a profiler's agent; may be"
                            + " repeated.")
    private List<String> jvmArguments = new ArrayList<>();

    private String commandLine;
    private volatile boolean stopping;

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
        if (queryNames.contains(LIST)) {
            if (queryNames.size() > 1) {
                throw new UserError("list takes no queries");
            }
            list(command.commandLine().getOut());
            return OK;
        }
        List<Query> queries = queries();
        List<Variant> variants = variants();
        checkNumbers();
        Path work = createWorkDirectory();
        // A signal must end the runs too, and leave no state behind.
        EmbeddedRunner embedded = new EmbeddedRunner(work.resolve("embedded"), jvmArguments);
        List<AutoCloseable> open = new ArrayList<>(List.of(embedded));
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    stopping = true;
                                    cleanUp(open, work);
                                }));
        try {
            Runner runner = embedded;
            if (flinkHome != null) {
                runner = new DistributionRunner(flinkHome, work.resolve("cluster"), jvmArguments);
                open.add(runner);
            }
            return compare(queries, variants, embedded, runner);
        } finally {
            cleanUp(open, work);
        }
    }

    private static void list(PrintWriter out) {
        out.println("queries:");
        for (Query query : Query.ALL) {
            String note =
                    query.whyNot()
                            .map(reason -> " (cannot run: " + reason + ")")
                            .orElse(query.deterministic() ? "" : " (results not comparable)");
            out.printf("  %-18s %s%s%n", query.name(), query.title(), note);
        }
        out.println("variants:");
        for (Variant variant : Variant.KNOWN) {
            out.printf("  %-18s %s%n", variant.name(), variant.about());
        }
        out.flush();
    }

    private int compare(
            List<Query> queries, List<Variant> variants, EmbeddedRunner planner, Runner runner)
            throws IOException {
        String startedAt = Instant.now().toString();
        PrintWriter out = command.commandLine().getOut();
        if (queries.size() == 1) {
            explainAccelerated(queries.get(0), variants, planner, out);
        }
        List<String> names = variants.stream().map(Variant::name).toList();
        String reference = names.contains(Variant.REFERENCE) ? Variant.REFERENCE : names.get(0);
        List<QueryReport> reports = new ArrayList<>();
        for (Query query : queries) {
            if (queries.size() > 1) {
                out.printf("%n%s: %s%n", query.name(), query.title());
            }
            QueryReport report = allRuns(query, variants, reference, runner, out);
            reports.add(report);
            out.printf("%n%s", report.block());
            out.flush();
            // Now and not at the end, so that stopping keeps what is finished.
            writeJson(startedAt, variants, reports, Summary.of(reports, names, reference));
        }
        if (queries.size() > 1) {
            out.printf("%n%s", Summary.of(reports, names, reference).table(reports, names));
            out.flush();
        }
        return reports.stream().allMatch(QueryReport::isGood) ? OK : FAILED;
    }

    private void explainAccelerated(
            Query query, List<Variant> variants, EmbeddedRunner planner, PrintWriter out) {
        variants.stream()
                .filter(Variant::isAccelerated)
                .findFirst()
                .ifPresent(variant -> out.println(planner.explain(spec(query, variant))));
        out.flush();
    }

    /** Runs a query in all variants in turns. A variant that fails is left out from then on. */
    private QueryReport allRuns(
            Query query, List<Variant> variants, String reference, Runner runner, PrintWriter out) {
        List<RunResult> results = new ArrayList<>();
        Map<String, String> failures = new LinkedHashMap<>();
        ProgressLine progress = ProgressLine.onTerminal();
        for (int round = 1; round <= warmup + runs; round++) {
            int run = round - warmup;
            String title =
                    run < 1
                            ? String.format("warm-up %d of %d", round, warmup)
                            : String.format("run %d of %d", run, runs);
            for (Variant variant : inOrderOfRun(variants, run)) {
                if (failures.containsKey(variant.name())) {
                    continue;
                }
                try {
                    RunResult result =
                            oneRun(
                                    query,
                                    variant,
                                    title + ", " + variant.name(),
                                    runner,
                                    progress,
                                    out);
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
            }
        }
        // What a variant did before it failed has no counterpart in the other variants.
        results.removeIf(result -> failures.containsKey(result.variant()));
        return QueryReport.of(query, results, failures, reference);
    }

    private void writeJson(
            String startedAt, List<Variant> variants, List<QueryReport> reports, Summary summary)
            throws IOException {
        if (jsonFile != null) {
            Report report =
                    new Report(
                            commandLine,
                            startedAt,
                            Machine.here(),
                            flinkHome == null ? "embedded" : "standalone",
                            events,
                            parallelism,
                            warmup,
                            baseSettings(),
                            variants,
                            reports,
                            summary);
            Json.MAPPER.writerWithDefaultPrettyPrinter().writeValue(jsonFile.toFile(), report);
        }
    }

    private RunResult oneRun(
            Query query,
            Variant variant,
            String title,
            Runner runner,
            ProgressLine progress,
            PrintWriter out) {
        progress.show(title + ": starting");
        long start = System.nanoTime();
        RunResult result =
                runner.run(
                        spec(query, variant),
                        read ->
                                progress.show(
                                        title,
                                        read,
                                        events,
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

    private RunSpec spec(Query query, Variant variant) {
        return new RunSpec(
                query.name(), variant.name(), events, parallelism, variant.over(baseSettings()));
    }

    /** What all variants share: a task manager of 8 GB, incremental checkpoints. */
    private Map<String, String> baseSettings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("taskmanager.memory.managed.size", managedMemory);
        settings.put("execution.checkpointing.incremental", "true");
        settings.put("execution.checkpointing.interval", "30 s");
        settings.putAll(userSettings);
        return settings;
    }

    private List<Query> queries() {
        if (queryNames.contains(ALL)) {
            if (queryNames.size() > 1) {
                throw new UserError("all takes no further queries");
            }
            return Query.runnable();
        }
        return new LinkedHashSet<>(queryNames).stream().map(Query::named).toList();
    }

    private List<Variant> variants() {
        List<Variant> known = new ArrayList<>(Variant.KNOWN);
        variantFiles.forEach((name, file) -> known.add(VariantFile.read(name, file)));
        Set<String> names = new LinkedHashSet<>(variantNames);
        names.addAll(variantFiles.keySet());
        return names.stream().map(name -> Variant.named(name, known)).toList();
    }

    private void checkNumbers() {
        if (runs < 1) {
            throw new UserError("--runs must be at least 1 but is " + runs);
        }
        if (warmup < 0) {
            throw new UserError("--warmup must be at least 0 but is " + warmup);
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
        if (jsonFile != null && !Files.isDirectory(jsonFile.toAbsolutePath().getParent())) {
            throw new UserError("--json: the directory of " + jsonFile + " does not exist");
        }
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
