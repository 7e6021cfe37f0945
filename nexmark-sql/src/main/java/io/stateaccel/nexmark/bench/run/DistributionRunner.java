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
package io.stateaccel.nexmark.bench.run;

import io.stateaccel.nexmark.bench.common.UserError;
import io.stateaccel.nexmark.bench.measure.JobMonitor;
import io.stateaccel.nexmark.bench.measure.ProcessMeter;
import io.stateaccel.nexmark.bench.measure.ResourceUse;
import io.stateaccel.nexmark.bench.queries.Query;
import io.stateaccel.nexmark.workload.DataStreamProgram;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * Runs on a Flink distribution: each run starts a JobManager and a TaskManager process, submits
 * through {@code sql-client.sh} or {@code flink run} and stops both again. It works on a copy with
 * our jars in {@code lib/}, never in the given directory.
 */
public final class DistributionRunner implements Runner {

    private static final long SCRIPT_TIMEOUT_SECONDS = 180;
    private static final String GC_MILLIS = "Status.JVM.GarbageCollector.All.Time";

    private final Path home;
    private final Path workDirectory;
    private final List<String> jvmArguments;

    private volatile Process script;
    private volatile boolean running;

    /**
     * @param flinkHome an unpacked Flink distribution
     * @param workDirectory where to put the copy, state and logs
     * @param jvmArguments further arguments of the task manager's JVM
     * @throws UserError if something is missing in the distribution or in our own build
     */
    public DistributionRunner(Path flinkHome, Path workDirectory, List<String> jvmArguments) {
        if (!Files.isExecutable(flinkHome.resolve("bin/sql-client.sh"))) {
            throw new UserError(
                    "--flink-home: "
                            + flinkHome
                            + " is no Flink distribution, it has no bin/sql-client.sh");
        }
        if (BuiltJars.in(flinkHome.resolve("lib"), "flink-table-planner-loader-").isEmpty()) {
            throw new UserError(
                    "--flink-home: "
                            + flinkHome
                            + "/lib has no flink-table-planner-loader-*.jar, so it has no planner"
                            + " to accelerate");
        }
        List<Path> ours = BuiltJars.all();
        this.home = workDirectory.resolve("flink");
        this.workDirectory = workDirectory;
        this.jvmArguments = jvmArguments;
        WorkFiles.copyRecursively(flinkHome, home);
        for (Path jar : ours) {
            copyIntoLib(jar);
        }
    }

    @Override
    public RunResult run(RunSpec spec, Consumer<Progress> progress) {
        try {
            int restPort = freePort();
            writeConfiguration(spec, restPort);
            // Flink creates directories that it is told of, but not where they are to be.
            Files.createDirectories(directory().root());
            running = true;
            execute("start-cluster.sh");
            return measure(spec, URI.create("http://localhost:" + restPort + "/"), progress);
        } catch (IOException e) {
            throw new RunFailure(spec.variant() + " failed: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RunFailure("interrupted", e);
        } finally {
            stopCluster();
        }
    }

    @Override
    public void close() {
        Process current = script;
        if (current != null) {
            current.destroyForcibly().onExit().join();
        }
        stopCluster();
    }

    private RunResult measure(RunSpec spec, URI rest, Consumer<Progress> progress)
            throws IOException, InterruptedException {
        awaitTaskManager(rest);
        long pid = taskManagerPid();
        double cpuBefore = ProcessMeter.cpuSeconds(pid);
        double gcBefore = JobMonitor.sumOverTaskManagers(rest, GC_MILLIS);
        WorkDirectory directory = directory();
        ProcessMeter meter =
                new ProcessMeter(
                        pid, List.of(directory.state(), home.resolve("log")), directory.logs());
        meter.begin();
        submit(spec);
        JobMonitor monitor = JobMonitor.onlyJob(rest);
        JsonNode details =
                monitor.await(
                        Duration.ofSeconds(spec.capSeconds()),
                        events -> progress.accept(meter.sample(events)));
        double cpuSeconds = ProcessMeter.cpuSeconds(pid) - cpuBefore;
        double gcMillis = JobMonitor.sumOverTaskManagers(rest, GC_MILLIS) - gcBefore;
        ResourceUse resources = meter.end(monitor.tasks(), cpuSeconds, (long) gcMillis);
        return RunResult.of(spec, monitor.wallSeconds(details), cpuSeconds, monitor.checksum())
                .with(monitor.checkpoints(), resources, meter.samples());
    }

    /** Submits the job and does not wait for its end. */
    private void submit(RunSpec spec) throws IOException, InterruptedException {
        Query query = Query.named(spec.query());
        if (query.program().isPresent()) {
            execute(
                    "flink",
                    "run",
                    "--detached",
                    "--class",
                    DataStreamProgram.class.getName(),
                    BuiltJars.nexmark().toString(),
                    query.name(),
                    String.valueOf(spec.events()));
            return;
        }
        if (query.view().isPresent()) {
            execute(
                    "flink",
                    "run",
                    "--detached",
                    "--class",
                    TableApiQuery.class.getName(),
                    BuiltJars.nexmark().toString(),
                    query.name(),
                    String.valueOf(spec.events()));
            return;
        }
        Path sql = workDirectory.resolve(spec.query() + ".sql");
        Files.writeString(sql, query.script(spec.events()));
        String output = execute("sql-client.sh", "-f", sql.toString());
        if (output.contains("[ERROR]")) {
            throw new RunFailure(spec.variant() + " failed: " + reason(output));
        }
    }

    private WorkDirectory directory() {
        return new WorkDirectory(workDirectory.resolve("run"));
    }

    private void writeConfiguration(RunSpec spec, int restPort) throws IOException {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("jobmanager.rpc.address", "localhost");
        settings.put("jobmanager.rpc.port", String.valueOf(freePort()));
        settings.put("jobmanager.bind-host", "localhost");
        settings.put("jobmanager.memory.process.size", "1600m");
        settings.put("taskmanager.host", "localhost");
        settings.put("taskmanager.bind-host", "localhost");
        settings.put("taskmanager.memory.process.size", TaskManagerSize.PROCESS);
        settings.put("taskmanager.numberOfTaskSlots", String.valueOf(spec.parallelism()));
        settings.put("parallelism.default", String.valueOf(spec.parallelism()));
        settings.put("rest.address", "localhost");
        settings.put("rest.bind-address", "localhost");
        settings.put("rest.port", String.valueOf(restPort));
        settings.put("env.java.opts.all", String.join(" ", TaskManagerSize.openings()));
        settings.put("env.java.opts.taskmanager", String.join(" ", jvmArguments));
        settings.putAll(directory().settings());
        settings.putAll(spec.settings());
        List<String> lines = new ArrayList<>();
        settings.forEach((key, value) -> lines.add(key + ": '" + value.replace("'", "''") + "'"));
        Files.write(home.resolve("conf/config.yaml"), lines);
    }

    private void awaitTaskManager(URI rest) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SCRIPT_TIMEOUT_SECONDS);
        while (JobMonitor.taskManagers(rest) == 0) {
            if (System.nanoTime() > deadline) {
                throw new RunFailure(
                        "no task manager came up; see the logs in " + home.resolve("log"));
            }
            Thread.sleep(200);
        }
    }

    private synchronized void stopCluster() {
        if (running) {
            running = false;
            try {
                execute("stop-cluster.sh");
            } catch (IOException e) {
                System.err.println("bench: cannot stop the cluster: " + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            WorkFiles.deleteRecursively(directory().root());
        }
    }

    /** Runs one of Flink's scripts and returns what it printed. */
    private String execute(String name, String... arguments)
            throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(home.resolve("bin").resolve(name).toString()));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(workDirectory, name, ".out");
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile());
        // The user's own Flink settings would lead the scripts elsewhere.
        builder.environment().keySet().removeIf(key -> key.startsWith("FLINK_"));
        builder.environment().put("FLINK_PID_DIR", workDirectory.toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        script = process;
        try {
            if (!process.waitFor(SCRIPT_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                throw new RunFailure(name + " did not end: " + WorkFiles.tail(output));
            }
        } finally {
            process.destroyForcibly();
            script = null;
        }
        if (process.exitValue() != 0) {
            throw new RunFailure(name + " failed: " + reason(Files.readString(output)));
        }
        return Files.readString(output);
    }

    private long taskManagerPid() throws IOException {
        try (Stream<Path> pidFiles = Files.list(workDirectory)) {
            Path pidFile =
                    pidFiles.filter(file -> file.toString().endsWith("-taskexecutor.pid"))
                            .findFirst()
                            .orElseThrow(() -> new RunFailure("the task manager left no pid file"));
            List<String> pids = Files.readAllLines(pidFile);
            return Long.parseLong(pids.get(pids.size() - 1).strip());
        }
    }

    private void copyIntoLib(Path jar) {
        try {
            Files.copy(jar, home.resolve("lib").resolve(jar.getFileName().toString()));
        } catch (IOException e) {
            throw new UserError("cannot copy " + jar + " into the copy of the distribution");
        }
    }

    /** The line of a script's output that tells most. */
    private static String reason(String output) {
        int cause = output.lastIndexOf("Caused by: ");
        int error = output.indexOf("[ERROR]");
        String from = output.substring(Math.max(0, cause >= 0 ? cause : error));
        return String.join(" ", from.lines().filter(line -> !line.isBlank()).limit(2).toList());
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
