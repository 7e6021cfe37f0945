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
package io.stateaccel.tests.cluster;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A running standalone cluster: one job manager and one task manager, each a process of its own,
 * started by Flink's own scripts. {@link #close} ends both whatever happened in between, and so
 * does the end of this JVM.
 */
public final class StandaloneCluster implements AutoCloseable {

    /** What Flink's scripts call the processes. */
    private static final String JOB_MANAGER = "standalonesession";

    private static final String TASK_MANAGER = "taskexecutor";

    /** On a machine with much else to do, a script of Flink's has taken more than a minute. */
    private static final Duration SCRIPT_DEADLINE = Duration.ofMinutes(5);

    private static final Duration REQUEST_DEADLINE = Duration.ofMinutes(1);
    private static final Duration START_DEADLINE = Duration.ofMinutes(2);
    private static final Duration STOP_DEADLINE = Duration.ofSeconds(30);
    private static final Duration POLL = Duration.ofMillis(100);

    /** Small enough for a build machine; RocksDB gets what Flink's defaults leave it. */
    private static final Map<String, String> DEFAULTS =
            Map.of(
                    "jobmanager.memory.process.size", "1024m",
                    "taskmanager.memory.process.size", "1728m",
                    "taskmanager.numberOfTaskSlots", "2",
                    "parallelism.default", "2",
                    "state.backend.type", "rocksdb",
                    "execution.checkpointing.incremental", "true",
                    "execution.checkpointing.interval", "1s");

    private final FlinkDistribution distribution;
    private final int restPort;
    private final int slots;
    private final HttpClient http = HttpClient.newHttpClient();

    /** Handles, not numbers: a number may belong to somebody else by the time it is killed. */
    private volatile List<ProcessHandle> processes = List.of();

    private final Thread killer = new Thread(this::kill, "kill-test-cluster");

    private StandaloneCluster(FlinkDistribution distribution, int restPort, int slots) {
        this.distribution = distribution;
        this.restPort = restPort;
        this.slots = slots;
    }

    /**
     * Starts a cluster and waits until its slots can be used.
     *
     * @param settings what {@code config.yaml} is to say beyond the defaults of this class
     */
    public static StandaloneCluster start(
            FlinkDistribution distribution, Map<String, String> settings)
            throws IOException, InterruptedException {
        List<Integer> ports = freePorts(2);
        Map<String, String> all = new LinkedHashMap<>(DEFAULTS);
        all.put("jobmanager.rpc.address", "localhost");
        all.put("jobmanager.bind-host", "localhost");
        all.put("taskmanager.host", "localhost");
        all.put("taskmanager.bind-host", "localhost");
        all.put("rest.address", "localhost");
        all.put("rest.bind-address", "localhost");
        all.put("jobmanager.rpc.port", ports.get(0).toString());
        all.put("rest.port", ports.get(1).toString());
        all.put("execution.checkpointing.dir", checkpointsOf(distribution).toUri().toString());
        all.putAll(settings);
        distribution.configure(all);

        StandaloneCluster cluster =
                new StandaloneCluster(
                        distribution,
                        ports.get(1),
                        Integer.parseInt(all.get("taskmanager.numberOfTaskSlots")));
        Runtime.getRuntime().addShutdownHook(cluster.killer);
        try {
            cluster.startProcesses();
            cluster.awaitSlots();
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    private void startProcesses() throws IOException, InterruptedException {
        noteProcesses(distribution.runScript(SCRIPT_DEADLINE, "start-cluster.sh"));
    }

    /** Notes the job manager and the newest task manager, after a script has started something. */
    private void noteProcesses(Command.Result script) throws IOException {
        processes =
                Stream.of(JOB_MANAGER, TASK_MANAGER)
                        .flatMap(daemon -> newestOf(daemon).stream())
                        .toList();
        if (script.exitCode() != 0 || processes.size() != 2) {
            throw new IOException("The cluster did not start: " + script.output() + logs());
        }
    }

    private Optional<ProcessHandle> newestOf(String daemon) {
        List<Long> started = distribution.processIds(daemon);
        return started.isEmpty()
                ? Optional.empty()
                : ProcessHandle.of(started.get(started.size() - 1));
    }

    /**
     * Ends the task manager by SIGKILL, as a crash of its machine would: nothing in it gets to run
     * any more. Returns when the signal is sent.
     */
    public void killTaskManager() throws IOException {
        kill(taskManager());
    }

    /** Ends the job manager as {@link #killTaskManager} does the task manager. */
    public void killJobManager() throws IOException {
        kill(processes.get(0));
    }

    private void kill(ProcessHandle process) throws IOException {
        if (!process.isAlive() || !process.destroyForcibly()) {
            throw new IOException("There is no process " + process + " to kill: " + logs());
        }
    }

    /** The process of the task manager. */
    public ProcessHandle taskManager() {
        return processes.get(1);
    }

    /** Starts a task manager in place of one that was killed. Its logs get files of their own. */
    public void startTaskManager() throws IOException, InterruptedException {
        noteProcesses(distribution.runScript(SCRIPT_DEADLINE, "taskmanager.sh", "start"));
    }

    /**
     * Starts a job manager in place of one that was killed, at the same address, and waits until it
     * has the slots of the task manager. It knows of no job.
     */
    public void startJobManager() throws IOException, InterruptedException {
        noteProcesses(distribution.runScript(SCRIPT_DEADLINE, "jobmanager.sh", "start"));
        awaitSlots();
    }

    private void awaitSlots() throws IOException, InterruptedException {
        Instant deadline = Instant.now().plus(START_DEADLINE);
        while (!get("/overview").contains("\"slots-available\":" + slots + ",")) {
            if (Instant.now().isAfter(deadline)
                    || processes.stream().anyMatch(process -> !process.isAlive())) {
                throw new IOException("The cluster has no " + slots + " slots: " + logs());
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
    }

    /** Where the REST interface and the Web UI are. */
    public String address() {
        return "http://localhost:" + restPort;
    }

    /** What the REST interface answers, or nothing as long as it does not. */
    public String get(String path) throws InterruptedException {
        try {
            return send("GET", path, "");
        } catch (IOException e) {
            return "";
        }
    }

    /**
     * What the REST interface answers to a request that may change something.
     *
     * @param body JSON, or empty
     */
    String send(String method, String path, String body) throws IOException, InterruptedException {
        URI uri = URI.create(address() + path);
        return http.send(
                        HttpRequest.newBuilder(uri)
                                .timeout(REQUEST_DEADLINE)
                                .method(method, HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** Where checkpoints go, in a folder for each job. */
    public Path checkpoints() {
        return checkpointsOf(distribution);
    }

    /** Where the checkpoints of a cluster will go. */
    public static Path checkpointsOf(FlinkDistribution distribution) {
        return distribution.runFolder().resolve("checkpoints");
    }

    /** The distribution this cluster runs from. */
    public FlinkDistribution distribution() {
        return distribution;
    }

    private String logs() {
        return distribution.logs(JOB_MANAGER) + distribution.logs(TASK_MANAGER);
    }

    /** Ends both processes; those that do not go when asked are killed. */
    @Override
    public void close() throws IOException, InterruptedException {
        try {
            // The script would stop whichever process has got the number of a dead one.
            if (processes.stream().allMatch(ProcessHandle::isAlive)) {
                distribution.runScript(SCRIPT_DEADLINE, "stop-cluster.sh");
            } else {
                kill();
            }
            for (ProcessHandle process : processes) {
                process.onExit()
                        .completeOnTimeout(process, STOP_DEADLINE.toSeconds(), TimeUnit.SECONDS)
                        .join();
            }
        } finally {
            kill();
            Runtime.getRuntime().removeShutdownHook(killer);
        }
    }

    private void kill() {
        processes.forEach(ProcessHandle::destroyForcibly);
    }

    /** Holds all of them at once, so that they differ. */
    static List<Integer> freePorts(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            List<Integer> ports = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                sockets.add(new ServerSocket(0));
                ports.add(sockets.get(i).getLocalPort());
            }
            return ports;
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
    }
}
