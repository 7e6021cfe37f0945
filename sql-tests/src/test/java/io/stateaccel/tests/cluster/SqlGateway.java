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
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/**
 * A running SQL gateway: a process of its own, started by {@code sql-gateway.sh}, that plans for
 * all its sessions and sends their jobs to the cluster of the distribution's configuration. {@link
 * #close} ends it, and so does the end of this JVM. Sessions may be used side by side, each by one
 * thread.
 */
public final class SqlGateway implements AutoCloseable {

    /** What Flink's scripts call the process. */
    private static final String DAEMON = "sql-gateway";

    private static final Duration SCRIPT_DEADLINE = Duration.ofMinutes(1);
    private static final Duration START_DEADLINE = Duration.ofMinutes(2);
    private static final Duration STATEMENT_DEADLINE = Duration.ofMinutes(5);
    private static final Duration STOP_DEADLINE = Duration.ofSeconds(30);
    private static final Duration POLL = Duration.ofMillis(50);

    private static final ObjectMapper JSON = new ObjectMapper();

    private final FlinkDistribution distribution;
    private final String address;
    private final HttpClient http = HttpClient.newHttpClient();

    /** A handle, not a number: a number may belong to somebody else by the time it is killed. */
    private volatile ProcessHandle process;

    private final Thread killer = new Thread(this::kill, "kill-test-gateway");

    private SqlGateway(FlinkDistribution distribution, int port) {
        this.distribution = distribution;
        this.address = "http://localhost:" + port;
    }

    /** Starts a gateway and waits until it answers. */
    public static SqlGateway start(FlinkDistribution distribution)
            throws IOException, InterruptedException {
        int port = StandaloneCluster.freePorts(1).get(0);
        SqlGateway gateway = new SqlGateway(distribution, port);
        Runtime.getRuntime().addShutdownHook(gateway.killer);
        try {
            gateway.startProcess(port);
            gateway.awaitAnswer();
        } catch (IOException | InterruptedException | RuntimeException e) {
            gateway.close();
            throw e;
        }
        return gateway;
    }

    private void startProcess(int port) throws IOException, InterruptedException {
        try {
            distribution.runScript(
                    SCRIPT_DEADLINE,
                    "sql-gateway.sh",
                    "start",
                    "-Dsql-gateway.endpoint.rest.address=localhost",
                    "-Dsql-gateway.endpoint.rest.port=" + port);
        } finally {
            // A script that was too slow may have started it too.
            process =
                    distribution.processIds(DAEMON).stream()
                            .flatMap(id -> ProcessHandle.of(id).stream())
                            .findFirst()
                            .orElse(null);
        }
        if (process == null) {
            throw failure("did not start: ");
        }
    }

    private void awaitAnswer() throws IOException, InterruptedException {
        Instant deadline = Instant.now().plus(START_DEADLINE);
        while (true) {
            try {
                request("GET", "/v2/info", null);
                return;
            } catch (IOException e) {
                if (Instant.now().isAfter(deadline) || !process.isAlive()) {
                    throw failure("does not answer: " + e);
                }
                LockSupport.parkNanos(POLL.toNanos());
            }
        }
    }

    private IOException failure(String what) {
        return new IOException("The SQL gateway " + what + distribution.logs(DAEMON));
    }

    /** Opens a session with the gateway's defaults. */
    public Session openSession() throws IOException, InterruptedException {
        String handle =
                request("POST", "/v2/sessions", Map.of()).required("sessionHandle").asText();
        return new Session("/v2/sessions/" + handle);
    }

    private JsonNode request(String method, String path, Object body)
            throws IOException, InterruptedException {
        HttpRequest.BodyPublisher publisher =
                body == null
                        ? HttpRequest.BodyPublishers.noBody()
                        : HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body));
        HttpResponse<String> response =
                http.send(
                        HttpRequest.newBuilder(URI.create(address + path))
                                .timeout(STATEMENT_DEADLINE)
                                .header("Content-Type", "application/json")
                                .method(method, publisher)
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException(method + " " + path + ": " + response.body());
        }
        return JSON.readTree(response.body());
    }

    /** Ends the process; one that does not go when asked is killed. */
    @Override
    public void close() throws IOException, InterruptedException {
        try {
            if (process != null && process.isAlive()) {
                distribution.runScript(SCRIPT_DEADLINE, "sql-gateway.sh", "stop");
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
        if (process != null) {
            process.destroyForcibly();
        }
    }

    /** A session of the gateway. */
    public final class Session {

        private final String path;

        private Session(String path) {
            this.path = path;
        }

        /**
         * Runs one statement to the end of its result.
         *
         * @throws IOException also when the statement failed, with what the gateway says
         */
        public Result run(String statement) throws IOException, InterruptedException {
            String operation =
                    request("POST", path + "/statements", Map.of("statement", statement))
                            .required("operationHandle")
                            .asText();
            Instant deadline = Instant.now().plus(STATEMENT_DEADLINE);
            List<JsonNode> changes = new ArrayList<>();
            String jobId = "";
            String next = path + "/operations/" + operation + "/result/0?rowFormat=JSON";
            while (!next.isEmpty()) {
                JsonNode page = request("GET", next, null);
                page.path("results").path("data").forEach(changes::add);
                jobId = page.path("jobID").asText(jobId);
                next = page.path("nextResultUri").asText("");
                if (page.path("resultType").asText().equals("NOT_READY")) {
                    if (Instant.now().isAfter(deadline)) {
                        throw new IOException(statement + " had no result in time");
                    }
                    LockSupport.parkNanos(POLL.toNanos());
                }
            }
            return new Result(jobId, changes);
        }
    }

    /**
     * What a statement gave.
     *
     * @param jobId of the job that ran for it, empty if there was none
     * @param changes as the gateway writes them
     */
    public record Result(String jobId, List<JsonNode> changes) {

        /** The text in the only column of the first row, as EXPLAIN gives it. */
        public String text() {
            return changes.get(0).required("fields").required(0).asText();
        }

        /** How often each row is there after all changes. */
        public Map<String, Integer> rows() {
            Map<String, Integer> rows = new TreeMap<>();
            for (JsonNode change : changes) {
                String kind = change.required("kind").asText();
                int count = kind.equals("INSERT") || kind.equals("UPDATE_AFTER") ? 1 : -1;
                rows.merge(
                        change.required("fields").toString(),
                        count,
                        (before, added) -> before + added == 0 ? null : before + added);
            }
            return rows;
        }
    }
}
