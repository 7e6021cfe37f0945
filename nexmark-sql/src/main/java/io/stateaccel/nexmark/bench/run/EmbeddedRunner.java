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

import io.stateaccel.nexmark.bench.common.Json;
import io.stateaccel.nexmark.bench.measure.CpuProfile;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Runs each {@link RunSpec} in a JVM of its own: on an embedded cluster of one task manager, or
 * submitting to a cluster that is up already.
 */
public final class EmbeddedRunner implements Runner {

    /** How long a JVM may take beside the job: to start, to plan, to measure a recovery. */
    private static final long GRACE_SECONDS = 120;

    private final Path workDirectory;
    private final List<String> jvmArguments;
    private final URI rest;
    private final Path profileDirectory;

    private volatile Process process;
    private int runs;

    /**
     * @param workDirectory an empty directory for state, checkpoints and logs
     * @param jvmArguments further arguments of the runs' JVMs
     * @param rest address of a running cluster, with a slash at its end; null for an embedded one
     * @param profileDirectory gets a flame graph per run; null for no profiles
     */
    public EmbeddedRunner(
            Path workDirectory, List<String> jvmArguments, URI rest, Path profileDirectory) {
        this.workDirectory = workDirectory;
        this.jvmArguments = jvmArguments;
        this.rest = rest;
        this.profileDirectory = profileDirectory;
    }

    /** Returns Flink's EXPLAIN of the query. */
    public String explain(RunSpec spec) {
        return execute("explain", spec, progress -> {}).plan();
    }

    @Override
    public RunResult run(RunSpec spec, Consumer<Progress> progress) {
        return execute("run", spec, progress).result();
    }

    /**
     * Does one run of a {@link io.stateaccel.nexmark.bench.queries.LatencyQuery} from a fresh
     * start, on an embedded cluster.
     *
     * @param spec what to run, with a load
     * @param progress told about once a second how far the run is
     * @return the measurements, as run 0
     * @throws RunFailure if the run does not end well
     */
    public LoadResult runUnderLoad(RunSpec spec, Consumer<Progress> progress) {
        return execute("run", spec, progress).load();
    }

    @Override
    public void close() {
        Process running = process;
        if (running != null) {
            stop(running);
        }
        WorkFiles.deleteRecursively(workDirectory);
    }

    private EmbeddedRun.Message execute(String action, RunSpec spec, Consumer<Progress> progress) {
        Path directory = workDirectory.resolve(spec.variant() + "-" + ++runs);
        Path log = workDirectory.resolve(spec.variant() + "-" + runs + ".log");
        try {
            Files.createDirectories(directory);
            return execute(action, spec, directory, log, progress);
        } catch (IOException e) {
            throw new RunFailure("cannot run " + spec.variant() + ": " + e.getMessage(), e);
        } finally {
            WorkFiles.deleteRecursively(directory);
        }
    }

    private EmbeddedRun.Message execute(
            String action, RunSpec spec, Path directory, Path log, Consumer<Progress> progress)
            throws IOException {
        Process child = start(action, spec, directory, log);
        process = child;
        long limitSeconds = GRACE_SECONDS + 2 * spec.capSeconds();
        Timer watchdog = new Timer("watchdog", true);
        watchdog.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        child.destroyForcibly();
                    }
                },
                limitSeconds * 1000);
        EmbeddedRun.Message last = null;
        try (BufferedReader lines = child.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith("{")) {
                    // The JVM's own words, as when a --jvm-arg starts a profiler.
                    continue;
                }
                EmbeddedRun.Message message =
                        Json.MAPPER.readValue(line, EmbeddedRun.Message.class);
                if (message.progress() == null) {
                    last = message;
                } else {
                    progress.accept(message.progress());
                }
            }
        } finally {
            watchdog.cancel();
            stop(child);
            process = null;
        }
        if (last == null) {
            throw new RunFailure(
                    "the JVM of " + spec.variant() + " ended early: " + WorkFiles.tail(log));
        }
        if (last.error() != null) {
            throw new RunFailure(spec.variant() + " failed: " + last.error());
        }
        return last;
    }

    private void stop(Process child) {
        if (rest != null) {
            // It cancels its job before it ends.
            child.destroy();
            try {
                child.waitFor(15, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        child.destroyForcibly().onExit().join();
    }

    private Process start(String action, RunSpec spec, Path directory, Path log)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(TaskManagerSize.jvmArguments());
        command.add("-Dbench.log=" + log);
        command.add("-Dlog4j2.configurationFile=bench-log4j2.xml");
        if (profileDirectory != null && action.equals("run")) {
            command.addAll(profilerArguments(spec));
        }
        command.addAll(jvmArguments);
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(EmbeddedRun.class.getName());
        command.add(action);
        command.add(Json.MAPPER.writeValueAsString(specFor(spec, directory)));
        command.add(directory.toString());
        if (rest != null && action.equals("run")) {
            command.add(rest.toString());
        }
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    private List<String> profilerArguments(RunSpec spec) {
        String name =
                String.format(
                        "%s-%d-%s-%d.html", spec.query(), spec.events(), spec.variant(), runs);
        return List.of(
                "-XX:+UnlockDiagnosticVMOptions",
                // Else samples stick to the places where threads can be stopped.
                "-XX:+DebugNonSafepoints",
                "-D"
                        + CpuProfile.FILE_PROPERTY
                        + "="
                        + profileDirectory.toAbsolutePath().resolve(name));
    }

    private RunSpec specFor(RunSpec spec, Path directory) {
        if (rest == null) {
            return spec.over(new WorkDirectory(directory).settings());
        }
        // Where to put files is the cluster's affair; our classes travel with the job.
        return spec.over(
                Map.of(
                        "pipeline.jars",
                        BuiltJars.all().stream()
                                .map(jar -> jar.toUri().toString())
                                .collect(Collectors.joining(";"))));
    }
}
