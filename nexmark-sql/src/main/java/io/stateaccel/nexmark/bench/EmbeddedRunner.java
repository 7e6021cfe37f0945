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

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/** Runs each {@link RunSpec} in a JVM of its own, on an embedded cluster of one task manager. */
final class EmbeddedRunner implements Runner {

    private final Path workDirectory;
    private final List<String> jvmArguments;

    private volatile Process process;
    private int runs;

    /**
     * @param workDirectory an empty directory for state, checkpoints and logs
     * @param jvmArguments further arguments of the runs' JVMs
     */
    EmbeddedRunner(Path workDirectory, List<String> jvmArguments) {
        this.workDirectory = workDirectory;
        this.jvmArguments = jvmArguments;
    }

    /** Returns Flink's EXPLAIN of the query. */
    String explain(RunSpec spec) {
        return execute("explain", spec, events -> {}).plan();
    }

    @Override
    public RunResult run(RunSpec spec, LongConsumer events) {
        return execute("run", spec, events).result();
    }

    @Override
    public void close() {
        Process running = process;
        if (running != null) {
            running.destroyForcibly().onExit().join();
        }
        WorkFiles.deleteRecursively(workDirectory);
    }

    private EmbeddedRun.Message execute(String action, RunSpec spec, LongConsumer events) {
        Path directory = workDirectory.resolve(spec.variant() + "-" + ++runs);
        Path log = workDirectory.resolve(spec.variant() + "-" + runs + ".log");
        try {
            Files.createDirectories(directory);
            return execute(action, inDirectory(spec, directory), log, events);
        } catch (IOException e) {
            throw new RunFailure("cannot run " + spec.variant() + ": " + e.getMessage(), e);
        } finally {
            WorkFiles.deleteRecursively(directory);
        }
    }

    private EmbeddedRun.Message execute(String action, RunSpec spec, Path log, LongConsumer events)
            throws IOException {
        Process child = start(action, spec, log);
        process = child;
        EmbeddedRun.Message last = null;
        try (BufferedReader lines = child.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith("{")) {
                    // The JVM's own words, as when a --jvm-arg starts a profiler.
                    continue;
                }
                EmbeddedRun.Message message =
                        Json.MAPPER.readValue(line, EmbeddedRun.Message.class);
                if (message.events() == null) {
                    last = message;
                } else {
                    events.accept(message.events());
                }
            }
        } finally {
            child.destroyForcibly().onExit().join();
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

    private Process start(String action, RunSpec spec, Path log) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(TaskManagerSize.jvmArguments());
        command.add("-Dbench.log=" + log);
        command.add("-Dlog4j2.configurationFile=bench-log4j2.xml");
        command.addAll(jvmArguments);
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(EmbeddedRun.class.getName());
        command.add(action);
        command.add(Json.MAPPER.writeValueAsString(spec));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    private static RunSpec inDirectory(RunSpec spec, Path directory) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put(
                "execution.checkpointing.dir", directory.resolve("checkpoints").toUri().toString());
        settings.put("dstl.dfs.base-path", directory.resolve("changelog").toUri().toString());
        settings.put("io.tmp.dirs", directory.resolve("tmp").toString());
        settings.put("state.backend.rocksdb.localdir", directory.resolve("rocksdb").toString());
        settings.putAll(spec.settings());
        return new RunSpec(
                spec.query(), spec.variant(), spec.events(), spec.parallelism(), settings);
    }
}
