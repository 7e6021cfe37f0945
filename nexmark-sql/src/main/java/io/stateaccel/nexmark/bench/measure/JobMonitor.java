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
package io.stateaccel.nexmark.bench.measure;

import io.stateaccel.nexmark.bench.common.Json;
import io.stateaccel.nexmark.bench.run.RunFailure;
import io.stateaccel.nexmark.checksum.Checksum;
import io.stateaccel.nexmark.latency.Latencies;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/** Follows one job through Flink's REST interface. Used by one thread. */
public final class JobMonitor {

    private static final Duration POLL_INTERVAL = Duration.ofMillis(200);
    private static final int POLLS_PER_METRIC = 5;
    private static final int METRIC_ATTEMPTS = 15;
    private static final long METRIC_FETCH_MILLIS = 1_000;
    private static final String FINISHED = "FINISHED";
    private static final Set<String> FINAL_STATES = Set.of(FINISHED, "FAILED", "CANCELED");

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
    private final URI rest;
    private final String job;

    /** The counter of the events read, once it is found. */
    private Optional<String> eventsMetric = Optional.empty();

    /**
     * @param rest address of the cluster, with a slash at its end
     * @param job id of the job
     */
    public JobMonitor(URI rest, String job) {
        this.rest = rest;
        this.job = job;
    }

    /** Finds the only job of a cluster. */
    public static JobMonitor onlyJob(URI rest) throws IOException, InterruptedException {
        JsonNode jobs = new JobMonitor(rest, "").get("jobs/overview").path("jobs");
        if (jobs.size() != 1) {
            throw new RunFailure("expected one job on the cluster but found " + jobs.size());
        }
        return new JobMonitor(rest, jobs.get(0).path("jid").asText());
    }

    /**
     * Sum of a metric over all task managers of a cluster. Flink answers with what it has and
     * fetches anew if that is too old, so this asks twice.
     *
     * @throws RunFailure if no task manager has it
     */
    public static double sumOverTaskManagers(URI rest, String metric)
            throws IOException, InterruptedException {
        JobMonitor cluster = new JobMonitor(rest, "");
        String path = "taskmanagers/metrics?agg=sum&get=" + metric;
        cluster.get(path);
        for (int attempt = 0; attempt < METRIC_ATTEMPTS; attempt++) {
            Thread.sleep(METRIC_FETCH_MILLIS);
            JsonNode sum = cluster.get(path).path(0);
            if (!sum.isMissingNode()) {
                return sum.path("sum").asDouble();
            }
        }
        throw new RunFailure("the cluster at " + rest + " does not tell " + metric);
    }

    /** Number of task managers of a cluster, 0 as long as it cannot be reached. */
    public static int taskManagers(URI rest) throws InterruptedException {
        try {
            return new JobMonitor(rest, "").get("overview").path("taskmanagers").asInt();
        } catch (IOException e) {
            return 0;
        }
    }

    /**
     * Waits until the job has ended.
     *
     * @param cap how long the job may take; it is cancelled then
     * @param events told about once a second how many events were read so far
     * @return the job's details as Flink tells them
     * @throws RunFailure if the job did not finish, with the reason Flink gives
     */
    public JsonNode await(Duration cap, LongConsumer events)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        long read = 0;
        for (int poll = 0; ; poll++) {
            JsonNode details = details();
            String state = details.path("state").asText();
            if (FINAL_STATES.contains(state)) {
                if (!state.equals(FINISHED)) {
                    throw endedAs(state);
                }
                return details;
            }
            if (poll % POLLS_PER_METRIC == POLLS_PER_METRIC - 1) {
                read = eventsRead(details).orElse(read);
                events.accept(read);
            }
            if (System.nanoTime() - start > cap.toNanos()) {
                cancel();
                throw new RunFailure(
                        String.format(
                                "stopped after %,d s (--cap-minutes), %,d events were read",
                                cap.toSeconds(), read));
            }
            Thread.sleep(POLL_INTERVAL.toMillis());
        }
    }

    /**
     * Lets the job run.
     *
     * @param until when to return
     * @param events told several times a second how many events were read so far
     * @throws RunFailure if the job ends before
     */
    public void runUntil(Instant until, LongConsumer events)
            throws IOException, InterruptedException {
        while (Instant.now().isBefore(until)) {
            JsonNode details = details();
            String state = details.path("state").asText();
            if (FINAL_STATES.contains(state)) {
                throw endedAs(state);
            }
            eventsRead(details).ifPresent(events::accept);
            Thread.sleep(POLL_INTERVAL.toMillis());
        }
    }

    /**
     * Waits for a checkpoint that was triggered after so many events, and cancels the job.
     *
     * @return where the checkpoint is, which must be one that Flink keeps after a cancellation;
     *     empty if the job finished first
     * @throws RunFailure if the job failed, or if there is no such checkpoint in time
     */
    public Optional<String> cancelAfterCheckpoint(Duration cap, long afterEvents)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + cap.toNanos();
        long read = 0;
        long completedThen = 0;
        while (System.nanoTime() < deadline) {
            JsonNode details = details();
            String state = details.path("state").asText();
            if (state.equals(FINISHED)) {
                return Optional.empty();
            }
            if (FINAL_STATES.contains(state)) {
                throw endedAs(state);
            }
            JsonNode checkpoints = get("jobs/" + job + "/checkpoints");
            long completed = checkpoints.at("/counts/completed").asLong();
            if (read < afterEvents) {
                read = eventsRead(details).orElse(0L);
                completedThen = completed;
            } else if (completed > completedThen) {
                cancel();
                // What the cancellation came too late for has deleted its checkpoints.
                return awaitEnd(deadline).equals(FINISHED)
                        ? Optional.empty()
                        : Optional.of(checkpoints.at("/latest/completed/external_path").asText());
            }
            Thread.sleep(POLL_INTERVAL.toMillis());
        }
        throw new RunFailure("no checkpoint completed after " + afterEvents + " events");
    }

    /** Waits until every task runs, its state restored. */
    public void awaitRunning(Duration cap) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + cap.toNanos();
        while (System.nanoTime() < deadline) {
            boolean all = true;
            JsonNode details = details();
            for (JsonNode vertex : details.path("vertices")) {
                all &= vertex.at("/tasks/RUNNING").asInt() == vertex.path("parallelism").asInt();
            }
            if (all && details.path("vertices").size() > 0) {
                return;
            }
            if (FINAL_STATES.contains(details.path("state").asText())) {
                throw new RunFailure("the restored job ended: " + rootCause());
            }
            Thread.sleep(20);
        }
        throw new RunFailure("the restored job did not start");
    }

    private String awaitEnd(long deadline) throws IOException, InterruptedException {
        String state = details().path("state").asText();
        while (!FINAL_STATES.contains(state)) {
            if (System.nanoTime() > deadline) {
                throw new RunFailure("the job was not cancelled");
            }
            Thread.sleep(POLL_INTERVAL.toMillis());
            state = details().path("state").asText();
        }
        return state;
    }

    /** The job as Flink describes it. */
    JsonNode details() throws IOException, InterruptedException {
        return get("jobs/" + job);
    }

    /** Names of the job's tasks. */
    public List<String> tasks() throws IOException, InterruptedException {
        List<String> names = new ArrayList<>();
        details().path("vertices").forEach(vertex -> names.add(vertex.path("name").asText()));
        return names;
    }

    /** Asks Flink to cancel the job; does nothing to one that has ended. */
    public void cancel() throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(rest.resolve("jobs/" + job + "?mode=cancel"))
                        .method("PATCH", HttpRequest.BodyPublishers.noBody())
                        .timeout(Duration.ofSeconds(10))
                        .build();
        client.send(request, HttpResponse.BodyHandlers.discarding());
    }

    /**
     * Seconds from the job's start to the end of its input, by the clocks of the cluster. The job
     * itself takes longer: it waits for a last checkpoint, sometimes until the next one is due.
     */
    public double wallSeconds(JsonNode details) throws IOException, InterruptedException {
        long started = details.path("start-time").asLong();
        long ended = started + details.path("duration").asLong();
        return (Checksum.inputEndedAtMillis(accumulators()).orElse(ended) - started) / 1e3;
    }

    /** The checksum of the only checksum table that the finished job filled. */
    public Checksum checksum() throws IOException, InterruptedException {
        Map<String, Checksum> checksums = Checksum.fromAccumulators(accumulators());
        if (checksums.size() != 1) {
            throw new RunFailure("expected one checksum but found " + checksums.keySet());
        }
        return checksums.values().iterator().next();
    }

    /**
     * How long the results of the finished job took.
     *
     * @throws RunFailure if it has not filled a table that measures that
     */
    public LatencyStats latencies() throws IOException, InterruptedException {
        return Latencies.fromAccumulators(accumulators())
                .map(LatencyStats::of)
                .orElseThrow(() -> new RunFailure("the job has measured no latencies"));
    }

    /**
     * The job's checkpoints of a while, as far back as Flink's history goes.
     *
     * @param from when the first one was triggered that counts
     */
    public CheckpointTimes checkpointsSince(Instant from) throws IOException, InterruptedException {
        return CheckpointTimes.of(
                get("jobs/" + job + "/checkpoints"),
                from.toEpochMilli(),
                System.currentTimeMillis());
    }

    /** What is known of the job's checkpoints. */
    public CheckpointStats checkpoints() throws IOException, InterruptedException {
        return CheckpointStats.of(get("jobs/" + job + "/checkpoints"));
    }

    private Map<String, String> accumulators() throws IOException, InterruptedException {
        Map<String, String> values = new HashMap<>();
        for (JsonNode accumulator :
                get("jobs/" + job + "/accumulators").path("user-task-accumulators")) {
            values.put(accumulator.path("name").asText(), accumulator.path("value").asText());
        }
        return values;
    }

    private Optional<Long> eventsRead(JsonNode details) throws IOException, InterruptedException {
        for (JsonNode vertex : details.path("vertices")) {
            if (!vertex.path("name").asText().startsWith("Source: ")) {
                continue;
            }
            String metrics =
                    "jobs/" + job + "/vertices/" + vertex.path("id").asText() + "/subtasks/metrics";
            if (eventsMetric.isEmpty()) {
                for (JsonNode metric : get(metrics)) {
                    String id = metric.path("id").asText();
                    if (id.startsWith("Source__") && id.endsWith(".numRecordsIn")) {
                        eventsMetric = Optional.of(id);
                    }
                }
            }
            if (eventsMetric.isPresent()) {
                JsonNode sum = get(metrics + "?agg=sum&get=" + eventsMetric.get());
                return sum.isEmpty()
                        ? Optional.empty()
                        : Optional.of(sum.get(0).path("sum").asLong());
            }
        }
        return Optional.empty();
    }

    private RunFailure endedAs(String state) throws IOException, InterruptedException {
        return new RunFailure("the job ended as " + state + ": " + rootCause());
    }

    private String rootCause() throws IOException, InterruptedException {
        JsonNode newest = get("jobs/" + job + "/exceptions").at("/exceptionHistory/entries/0");
        String trace = newest.path("stacktrace").asText("no reason given");
        int cause = trace.lastIndexOf("Caused by: ");
        String line = cause < 0 ? trace : trace.substring(cause + "Caused by: ".length());
        return line.lines().findFirst().orElse(line);
    }

    private JsonNode get(String path) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(rest.resolve(path)).timeout(Duration.ofSeconds(60)).build();
        HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException(
                    "Flink answered "
                            + response.statusCode()
                            + " to "
                            + path
                            + ": "
                            + response.body());
        }
        return Json.MAPPER.readTree(response.body());
    }
}
