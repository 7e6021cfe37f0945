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

/** The command {@code ./bench}: runs a query in several variants and compares them. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Runs a Nexmark query in several variants, checks that all results are equal and"
                    + " prints events per core-second side by side."
        },
        footer = {
            "",
            "Exit code: 0 done; 1 a run failed or results differ; 2 wrong use.",
            "Example: ./bench q4 --events 5M --runs 3 --json q4.json"
        })
public final class Bench implements Callable<Integer> {

    static final int OK = 0;
    static final int FAILED = 1;
    static final int WRONG_USE = 2;

    /** Everything of a benchmark, for {@code --json}. */
    private record Report(
            String command,
            String startedAt,
            Machine machine,
            String cluster,
            String query,
            long events,
            int parallelism,
            Map<String, String> settings,
            List<Variant> variants,
            List<RunResult> runs,
            List<Comparison.Row> summary) {}

    @Spec private CommandSpec command;

    @Parameters(paramLabel = "QUERY", arity = "1", description = "One of: q0, q4.")
    private String queryName;

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
            description =
                    "Variants: stock, stock-minibatch, hashmap, accel (default: ${DEFAULT-VALUE}).")
    private List<String> variantNames;

    @Option(
            names = "--runs",
            paramLabel = "N",
            defaultValue = "3",
            description = "Runs per variant; variants alternate (default: ${DEFAULT-VALUE}).")
    private int runs;

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
        Query query = Query.named(queryName);
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
            return compare(query, variants, embedded, runner);
        } finally {
            cleanUp(open, work);
        }
    }

    private int compare(Query query, List<Variant> variants, EmbeddedRunner planner, Runner runner)
            throws IOException {
        String startedAt = Instant.now().toString();
        PrintWriter out = command.commandLine().getOut();
        for (Variant variant : variants) {
            if (variant.isAccelerated()) {
                out.println(planner.explain(spec(query, variant)));
                out.flush();
                break;
            }
        }
        List<RunResult> results = new ArrayList<>();
        ProgressLine progress = ProgressLine.onTerminal();
        for (int run = 1; run <= runs; run++) {
            for (Variant variant : inOrderOfRun(variants, run)) {
                results.add(oneRun(query, variant, run, runner, progress, out));
            }
        }
        Comparison comparison = Comparison.of(results);
        out.println();
        out.print(comparison.table());
        boolean equal = reportResults(results, out);
        out.flush();
        if (jsonFile != null) {
            Report report =
                    new Report(
                            commandLine,
                            startedAt,
                            Machine.here(),
                            flinkHome == null ? "embedded" : "standalone",
                            query.name(),
                            events,
                            parallelism,
                            baseSettings(),
                            variants,
                            results,
                            comparison.rows());
            Json.MAPPER.writerWithDefaultPrettyPrinter().writeValue(jsonFile.toFile(), report);
        }
        return equal ? OK : FAILED;
    }

    private RunResult oneRun(
            Query query,
            Variant variant,
            int run,
            Runner runner,
            ProgressLine progress,
            PrintWriter out) {
        String title = String.format("run %d of %d, %s", run, runs, variant.name());
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
                                                (System.nanoTime() - start) / 1_000_000))
                        .asRun(run);
        progress.clear();
        out.printf(
                "%s: wall %.1f s, CPU %.1f s, %,.0f events per core-second%n",
                title, result.wallSeconds(), result.cpuSeconds(), result.eventsPerCoreSecond());
        out.flush();
        return result;
    }

    private static boolean reportResults(List<RunResult> results, PrintWriter out) {
        Map<String, Set<String>> variantsByChecksum = new LinkedHashMap<>();
        for (RunResult result : results) {
            variantsByChecksum
                    .computeIfAbsent(result.checksum(), checksum -> new LinkedHashSet<>())
                    .add(result.variant());
        }
        if (variantsByChecksum.size() == 1) {
            out.println("results equal: " + results.get(0).checksum());
            return true;
        }
        out.println("RESULTS DIFFER:");
        variantsByChecksum.forEach(
                (checksum, variants) -> out.println("  " + checksum + "  " + variants));
        return false;
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

    private List<Variant> variants() {
        List<Variant> variants = new ArrayList<>();
        for (String name : new LinkedHashSet<>(variantNames)) {
            variants.add(Variant.named(name));
        }
        return variants;
    }

    private void checkNumbers() {
        if (runs < 1) {
            throw new UserError("--runs must be at least 1 but is " + runs);
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
