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

import com.fasterxml.jackson.databind.JsonNode;
import io.stateaccel.nexmark.checksum.Checksum;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;

/** Follows one job through Flink's REST interface. Used by one thread. */
final class JobMonitor {

    private static final Duration POLL_INTERVAL = Duration.ofMillis(200);
    private static final int POLLS_PER_METRIC = 5;
    private static final Set<String> FINAL_STATES = Set.of("FINISHED", "FAILED", "CANCELED");

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
    JobMonitor(URI rest, String job) {
        this.rest = rest;
        this.job = job;
    }

    /** Finds the only job of a cluster. */
    static JobMonitor onlyJob(URI rest) throws IOException, InterruptedException {
        JsonNode jobs = new JobMonitor(rest, "").get("jobs/overview").path("jobs");
        if (jobs.size() != 1) {
            throw new RunFailure("expected one job on the cluster but found " + jobs.size());
        }
        return new JobMonitor(rest, jobs.get(0).path("jid").asText());
    }

    /** Number of task managers of a cluster, 0 as long as it cannot be reached. */
    static int taskManagers(URI rest) throws InterruptedException {
        try {
            return new JobMonitor(rest, "").get("overview").path("taskmanagers").asInt();
        } catch (IOException e) {
            return 0;
        }
    }

    /**
     * Waits until the job has ended.
     *
     * @param events told about once a second how many events were read so far
     * @return the job's details as Flink tells them
     * @throws RunFailure if the job did not finish, with the reason Flink gives
     */
    JsonNode await(LongConsumer events) throws IOException, InterruptedException {
        for (int poll = 0; ; poll++) {
            JsonNode details = get("jobs/" + job);
            String state = details.path("state").asText();
            if (FINAL_STATES.contains(state)) {
                if (!state.equals("FINISHED")) {
                    throw new RunFailure("the job ended as " + state + ": " + rootCause());
                }
                return details;
            }
            if (poll % POLLS_PER_METRIC == POLLS_PER_METRIC - 1) {
                eventsRead(details).ifPresent(events::accept);
            }
            Thread.sleep(POLL_INTERVAL.toMillis());
        }
    }

    /** The checksum of the only checksum table that the finished job filled. */
    Checksum checksum() throws IOException, InterruptedException {
        Map<String, String> values = new HashMap<>();
        for (JsonNode accumulator :
                get("jobs/" + job + "/accumulators").path("user-task-accumulators")) {
            values.put(accumulator.path("name").asText(), accumulator.path("value").asText());
        }
        Map<String, Checksum> checksums = Checksum.fromAccumulators(values);
        if (checksums.size() != 1) {
            throw new RunFailure("expected one checksum but found " + checksums.keySet());
        }
        return checksums.values().iterator().next();
    }

    /** Number of completed checkpoints. */
    long checkpoints() throws IOException, InterruptedException {
        return get("jobs/" + job + "/checkpoints").path("counts").path("completed").asLong();
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
