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

import io.stateaccel.nexmark.checksum.Checksum;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/**
 * A job on a cluster, seen through Flink's REST interface. What the interface does not tell at a
 * moment reads as nothing, 0 or false. Used by one thread.
 */
public final class SubmittedJob {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern JOB_ID = Pattern.compile("Job ID: ([0-9a-f]{32})");
    private static final Duration POLL = Duration.ofMillis(20);
    private static final Duration PATIENCE = Duration.ofMinutes(15);

    private static final Set<String> ENDED = Set.of("CANCELED", "FAILED", "FINISHED");

    private final StandaloneCluster cluster;
    private final String id;

    private SubmittedJob(StandaloneCluster cluster, String id) {
        this.cluster = cluster;
        this.id = id;
    }

    /** Something about the job that may be true later; told the tasks as they are. */
    @FunctionalInterface
    public interface Condition {
        boolean holds(Tasks now) throws IOException, InterruptedException;
    }

    /**
     * The job's tasks at a moment.
     *
     * @param status of the job
     * @param names each with the operators in the task
     * @param oneInitializes whether a task restores its state
     * @param allRun whether every sub-task of every task runs
     * @param oneEnded whether a task has come to the end of its input
     */
    public record Tasks(
            String status,
            List<String> names,
            boolean oneInitializes,
            boolean allRun,
            boolean oneEnded) {}

    /**
     * The job's checkpoints at a moment.
     *
     * @param completed id of the last that completed
     * @param completedAt when the last task had acknowledged it
     * @param took from its trigger until then
     * @param oneInProgress whether another was triggered and has not completed
     * @param restored id of the one the job was last restored from
     * @param restores how often the job was restored
     */
    public record Checkpoints(
            long completed,
            Instant completedAt,
            Duration took,
            boolean oneInProgress,
            long restored,
            long restores) {

        /** Of a job that has just been submitted. */
        public static final Checkpoints NONE =
                new Checkpoints(0, Instant.EPOCH, Duration.ZERO, false, 0, 0);
    }

    /** Submits statements that start one job, through {@code sql-client.sh}. */
    public static SubmittedJob submit(StandaloneCluster cluster, String statements)
            throws IOException, InterruptedException {
        Command.Result result = cluster.distribution().runSql(statements);
        Matcher started = JOB_ID.matcher(result.output());
        if (!started.find()) {
            throw new IOException("No job was started: " + result.output());
        }
        return new SubmittedJob(cluster, started.group(1));
    }

    public Tasks tasks() throws IOException, InterruptedException {
        JsonNode job = get("");
        List<String> names = new ArrayList<>();
        Set<String> statuses = new HashSet<>();
        for (JsonNode vertex : job.path("vertices")) {
            names.add(vertex.path("name").asText());
            statuses.add(vertex.path("status").asText());
        }
        return new Tasks(
                job.path("state").asText(),
                names,
                statuses.contains("INITIALIZING"),
                statuses.equals(Set.of("RUNNING")),
                statuses.contains("FINISHED"));
    }

    public Checkpoints checkpoints() throws IOException, InterruptedException {
        JsonNode checkpoints = get("/checkpoints");
        JsonNode latest = checkpoints.path("latest");
        JsonNode completed = latest.path("completed");
        return new Checkpoints(
                completed.path("id").asLong(),
                Instant.ofEpochMilli(completed.path("latest_ack_timestamp").asLong()),
                Duration.ofMillis(completed.path("end_to_end_duration").asLong()),
                checkpoints.path("counts").path("in_progress").asLong() > 0,
                latest.path("restored").path("id").asLong(),
                checkpoints.path("counts").path("restored").asLong());
    }

    /** Why the job was restarted or ended, newest first, with stack traces. */
    public List<String> failures() throws IOException, InterruptedException {
        List<String> failures = new ArrayList<>();
        get("/exceptions?maxExceptions=1000")
                .path("exceptionHistory")
                .path("entries")
                .forEach(failure -> failures.add(failure.path("stacktrace").asText()));
        return failures;
    }

    /**
     * Number of changes that queries have sent to the checksum tables, without those that a restore
     * has undone. Comes with the heartbeats of the task managers. (Metrics would not do: Flink asks
     * for them, and after a kill waits ten minutes for the answer.)
     */
    public long changes() throws IOException, InterruptedException {
        return checksums().values().stream().mapToLong(Checksum::changes).sum();
    }

    /**
     * The greatest value that any sub-task of any operator has of a metric. Not to be asked for
     * after a task manager was killed, see {@link #changes}.
     *
     * @param name the end of its name, such as that of our group and what is in there
     * @return empty where no sub-task has it, or it has not been told yet, as at the first time
     */
    public OptionalLong maxMetric(String name) throws IOException, InterruptedException {
        OptionalLong max = OptionalLong.empty();
        for (JsonNode vertex : get("").path("vertices")) {
            String metrics = "/vertices/" + vertex.path("id").asText() + "/subtasks/metrics";
            for (JsonNode metric : get(metrics)) {
                String id = metric.path("id").asText();
                if (id.endsWith(name)) {
                    String query = "?agg=max&get=" + URLEncoder.encode(id, StandardCharsets.UTF_8);
                    long value = get(metrics + query).path(0).path("max").asLong();
                    max = OptionalLong.of(Math.max(max.orElse(value), value));
                }
            }
        }
        return max;
    }

    /** What the checksum tables hold that the job has filled, by table. */
    public Map<String, String> results() throws IOException, InterruptedException {
        Map<String, String> digests = new TreeMap<>();
        checksums().forEach((table, checksum) -> digests.put(table, checksum.digest()));
        return digests;
    }

    private Map<String, Checksum> checksums() throws IOException, InterruptedException {
        Map<String, String> accumulators = new HashMap<>();
        for (JsonNode accumulator : get("/accumulators").path("user-task-accumulators")) {
            accumulators.put(accumulator.path("name").asText(), accumulator.path("value").asText());
        }
        return Checksum.fromAccumulators(accumulators);
    }

    /** Waits until the job has come to the end of its input and checkpointed that. */
    public void awaitEnd() throws IOException, InterruptedException {
        await("the job's end", tasks -> tasks.status().equals("FINISHED"));
    }

    /**
     * Waits for something.
     *
     * @throws IOException when it has not come true in good time, or the job has ended before
     */
    public void await(String what, Condition condition) throws IOException, InterruptedException {
        Instant deadline = Instant.now().plus(PATIENCE);
        for (Tasks tasks = tasks(); !condition.holds(tasks); tasks = tasks()) {
            if (ENDED.contains(tasks.status()) || Instant.now().isAfter(deadline)) {
                throw new IOException(
                        "Waited in vain for %s; %s; %s; failures: %s"
                                .formatted(what, tasks, checkpoints(), failures()));
            }
            Thread.sleep(POLL.toMillis());
        }
    }

    /** Ends the job where it is; its checkpoints are retained if the settings say so. */
    public void cancel() throws IOException, InterruptedException {
        cluster.send("PATCH", path("?mode=cancel"), "");
        await("its cancellation", tasks -> ENDED.contains(tasks.status()));
    }

    /**
     * Ends the job with a canonical savepoint, for which all its keyed state is read.
     *
     * @param folder where the savepoint gets a folder of its own
     * @return that one, or empty where none could be taken; the job goes on then, or has failed
     */
    public Optional<Path> stopWithSavepoint(Path folder) throws IOException, InterruptedException {
        String request =
                JSON.writeValueAsString(
                        Map.of(
                                "targetDirectory",
                                folder.toUri().toString(),
                                "formatType",
                                "CANONICAL"));
        String trigger =
                JSON.readTree(cluster.send("POST", path("/stop"), request))
                        .path("request-id")
                        .asText();
        Instant deadline = Instant.now().plus(PATIENCE);
        while (Instant.now().isBefore(deadline)) {
            JsonNode savepoint = get("/savepoints/" + trigger);
            if (savepoint.path("status").path("id").asText().equals("COMPLETED")) {
                String location = savepoint.path("operation").path("location").asText();
                return Optional.of(location)
                        .filter(there -> !there.isEmpty())
                        .map(there -> Path.of(URI.create(there)));
            }
            Thread.sleep(POLL.toMillis());
        }
        throw new IOException("Waited in vain for a savepoint; failures: " + failures());
    }

    /**
     * The newest checkpoint that has been completed, as the file system tells, job manager or not.
     *
     * @return the folder with its metadata; empty if there is none
     */
    public Optional<Path> newestCheckpoint() throws IOException {
        Path folder = cluster.checkpoints().resolve(id);
        if (!Files.exists(folder)) {
            return Optional.empty();
        }
        try (Stream<Path> checkpoints = Files.list(folder)) {
            return checkpoints
                    .filter(checkpoint -> Files.exists(checkpoint.resolve("_metadata")))
                    .max(Comparator.comparingLong(SubmittedJob::checkpointNumber));
        }
    }

    private static long checkpointNumber(Path checkpoint) {
        return Long.parseLong(checkpoint.getFileName().toString().substring("chk-".length()));
    }

    private String path(String below) {
        return "/jobs/" + id + below;
    }

    private JsonNode get(String path) throws IOException, InterruptedException {
        return JSON.readTree(cluster.get(path(path)));
    }
}
