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
package io.stateaccel.pipelines.broker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.Uuid;

/**
 * A Kafka broker in a process of its own: one node in KRaft mode, controller and broker at once, on
 * free ports of the loopback interface. It runs with the class path of this JVM, which has Kafka's
 * server, and keeps its data in a folder that outlives {@link #kill}. Ends with this JVM at the
 * latest. Used by one thread.
 */
public final class KafkaBroker implements AutoCloseable {

    private static final Duration START_DEADLINE = Duration.ofMinutes(2);
    private static final Duration STOP_DEADLINE = Duration.ofSeconds(20);
    private static final Duration ANSWER_DEADLINE = Duration.ofSeconds(5);
    private static final Duration POLL = Duration.ofMillis(100);

    private final Path folder;
    private final String address;
    private final Thread killer = new Thread(this::destroy, "kill-kafka-broker");

    private volatile Process process;

    private KafkaBroker(Path folder, String address) {
        this.folder = folder;
        this.address = address;
    }

    /**
     * Starts a broker without topics and waits until it answers.
     *
     * @param folder gets its configuration, data and log; made if need be, and not removed
     * @throws IOException if it does not start, with what it says
     */
    public static KafkaBroker start(Path folder) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        List<Integer> ports = freePorts(2);
        KafkaBroker broker = new KafkaBroker(folder, "127.0.0.1:" + ports.get(0));
        broker.configure(ports.get(1));
        Runtime.getRuntime().addShutdownHook(broker.killer);
        try {
            broker.format();
            broker.restart();
        } catch (IOException | InterruptedException | RuntimeException e) {
            broker.close();
            throw e;
        }
        return broker;
    }

    /** What clients call {@code bootstrap.servers}. */
    public String bootstrapServers() {
        return address;
    }

    /**
     * Ends the process by SIGKILL and waits until it is gone. Data that it has not yet written to
     * the disk is the operating system's, as after any crash of a process.
     */
    public void kill() {
        destroy();
    }

    /**
     * Starts a process on the data of the one before, at the same address, and waits until it
     * answers.
     *
     * @throws IOException if it does not start, with what it says
     */
    public void restart() throws IOException, InterruptedException {
        process = start("kafka.Kafka", properties().toString());
        Instant deadline = Instant.now().plus(START_DEADLINE);
        while (!answers()) {
            if (!process.isAlive() || Instant.now().isAfter(deadline)) {
                throw new IOException("The broker did not start: " + Files.readString(log()));
            }
            Thread.sleep(POLL.toMillis());
        }
    }

    private boolean answers() throws InterruptedException {
        try (Admin admin =
                Admin.create(
                        Map.of(
                                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                                address,
                                AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                                "100"))) {
            return !admin.describeCluster()
                    .nodes()
                    .get(ANSWER_DEADLINE.toSeconds(), TimeUnit.SECONDS)
                    .isEmpty();
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }

    private void configure(int controllerPort) throws IOException {
        String controller = "127.0.0.1:" + controllerPort;
        Properties properties = new Properties();
        properties.putAll(
                Map.of(
                        "process.roles",
                        "broker,controller",
                        "node.id",
                        "1",
                        "controller.quorum.voters",
                        "1@" + controller,
                        "controller.listener.names",
                        "CONTROLLER",
                        "listeners",
                        "PLAINTEXT://" + address + ",CONTROLLER://" + controller,
                        "advertised.listeners",
                        "PLAINTEXT://" + address,
                        "listener.security.protocol.map",
                        "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
                        "log.dirs",
                        folder.resolve("data").toString()));
        // One broker has one replica of everything.
        properties.putAll(
                Map.of(
                        "offsets.topic.replication.factor", "1",
                        "offsets.topic.num.partitions", "4",
                        "transaction.state.log.replication.factor", "1",
                        "transaction.state.log.min.isr", "1",
                        "transaction.state.log.num.partitions", "4",
                        "group.initial.rebalance.delay.ms", "0",
                        "auto.create.topics.enable", "false"));
        try (var out = Files.newOutputStream(properties())) {
            properties.store(out, null);
        }
    }

    private void format() throws IOException, InterruptedException {
        Process format =
                start(
                        "kafka.tools.StorageTool",
                        "format",
                        "--cluster-id",
                        Uuid.randomUuid().toString(),
                        "--config",
                        properties().toString());
        process = format;
        if (!format.waitFor(START_DEADLINE.toSeconds(), TimeUnit.SECONDS)
                || format.exitValue() != 0) {
            throw new IOException("No storage for the broker: " + Files.readString(log()));
        }
    }

    private Process start(String mainClass, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
    }

    private Path properties() {
        return folder.resolve("server.properties");
    }

    private Path log() {
        return folder.resolve("broker.log");
    }

    /** Ends the process, which is killed if it does not go when asked; the data stays. */
    @Override
    public void close() throws InterruptedException {
        Process running = process;
        if (running != null) {
            running.destroy();
            running.waitFor(STOP_DEADLINE.toSeconds(), TimeUnit.SECONDS);
        }
        destroy();
        Runtime.getRuntime().removeShutdownHook(killer);
    }

    private void destroy() {
        Process running = process;
        if (running != null) {
            running.destroyForcibly().onExit().join();
        }
    }

    /** Holds all of them at once, so that they differ. */
    private static List<Integer> freePorts(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            List<Integer> ports = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
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
