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
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs a pipeline between a broker's topics: the job in a fresh JVM like any other, the broker,
 * with the same full topics for all runs of a number of events, in a process of the module
 * kafka-pipelines. The result is what the job has committed to the broker.
 */
public final class PipelineRunner implements Runner {

    private static final String MODULE = "kafka-pipelines";
    private static final String SERVER = "io.stateaccel.pipelines.PipelineServer";
    private static final long STOP_SECONDS = 60;

    private final EmbeddedRunner jobs;
    private final Path workDirectory;

    private Process server;
    private Path log;
    private BufferedReader answers;
    private long events;
    private int topics;

    /**
     * @param jobs where the job runs; closed by its owner
     * @param workDirectory for the broker's data
     * @throws UserError if the module is not built
     */
    public PipelineRunner(EmbeddedRunner jobs, Path workDirectory) {
        this.jobs = jobs;
        this.workDirectory = workDirectory;
        classPath();
    }

    /** Returns Flink's EXPLAIN of the pipeline. */
    public String explain(RunSpec spec) {
        return jobs.explain(spec.with(script(spec, nextTopic())));
    }

    @Override
    public RunResult run(RunSpec spec, Consumer<Progress> progress) {
        String topic = nextTopic();
        RunResult result = jobs.run(spec.with(script(spec, topic)), progress);
        String[] committed = ask("result " + topic).split(" ", 2);
        return result.withResult(committed[1], Long.parseLong(committed[0]));
    }

    private String nextTopic() {
        return "largest-orders-" + ++topics;
    }

    private String script(RunSpec spec, String topic) {
        serve(spec.events());
        byte[] script = Base64.getDecoder().decode(ask("script " + topic));
        return new String(script, StandardCharsets.UTF_8);
    }

    /** Starts a broker with so many events, if there is none. */
    private void serve(long count) {
        if (server != null && events == count) {
            return;
        }
        close();
        try {
            Files.createDirectories(workDirectory);
            Path folder = Files.createTempDirectory(workDirectory, "broker-");
            log = folder.resolve("server.log");
            synchronized (this) {
                server =
                        new ProcessBuilder(
                                        Path.of(System.getProperty("java.home"), "bin", "java")
                                                .toString(),
                                        "-Xmx1g",
                                        "-cp",
                                        classPath(),
                                        SERVER,
                                        folder.toString(),
                                        String.valueOf(count))
                                .redirectError(log.toFile())
                                .start();
            }
            answers = server.inputReader(StandardCharsets.UTF_8);
            events = count;
            answer();
        } catch (IOException e) {
            throw new RunFailure("cannot start the broker: " + e.getMessage(), e);
        }
    }

    private String ask(String request) {
        try {
            server.outputWriter(StandardCharsets.UTF_8).append(request).append('\n').flush();
            return answer();
        } catch (IOException e) {
            throw new RunFailure(ended(), e);
        }
    }

    private String answer() throws IOException {
        String line = answers.readLine();
        if (line == null || !line.startsWith("ok")) {
            throw new RunFailure(line == null ? ended() : "the broker " + line);
        }
        return line.substring("ok".length()).strip();
    }

    private String ended() {
        return "the broker's process ended: " + WorkFiles.tail(log);
    }

    private static String classPath() {
        Path module =
                Path.of(
                        System.getProperty("bench.root", "."),
                        MODULE,
                        System.getProperty("bench.build", "target"));
        try {
            return module.resolve("classes")
                    + File.pathSeparator
                    + Files.readString(module.resolve("broker.classpath"));
        } catch (IOException e) {
            throw new UserError(MODULE + " is not built; build it with: mvn -DskipTests package");
        }
    }

    @Override
    public synchronized void close() {
        if (server == null) {
            return;
        }
        try {
            // It ends its broker when there is nothing more to be asked, or when asked to end.
            server.outputWriter(StandardCharsets.UTF_8).close();
            if (!server.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                server.destroy();
                server.waitFor(STOP_SECONDS, TimeUnit.SECONDS);
            }
        } catch (IOException e) {
            server.destroy();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            server.destroyForcibly().onExit().join();
            server = null;
            WorkFiles.deleteRecursively(workDirectory);
        }
    }
}
