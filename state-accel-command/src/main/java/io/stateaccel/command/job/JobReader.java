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
package io.stateaccel.command.job;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

/** Takes the {@link JobSample} of a running job by Flink's REST API. Used by one thread. */
public final class JobReader {

    /** The JobManager asks for metrics every ten seconds, unless told otherwise. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

    /** What a task does with its time is known from the second look at it, every five seconds. */
    private static final double LEAST_RUN_MILLIS = 11_000;

    /** What a request line may have, of Flink's 4,096. */
    private static final int MOST_LETTERS = 3000;

    private static final Set<String> TASK_METRICS =
            Set.of(
                    "accumulateBackPressuredTimeMs",
                    "accumulateBusyTimeMs",
                    "accumulateIdleTimeMs",
                    "backPressuredTimeMsPerSecond",
                    "busyTimeMsPerSecond",
                    "numRecordsIn",
                    "numRecordsOut");

    /** Of an operator: ours, of histograms the mean only, and what waits before a source. */
    private static final Pattern OPERATOR_METRIC =
            Pattern.compile(
                    ".*\\.pendingRecords|.*\\.state-accel\\.(?!.*_(min|max|stddev|median|p\\d+)$).*");

    private static final String GARBAGE_COLLECTION = "Status.JVM.GarbageCollector.All.Time";

    private final RestApi api;

    /**
     * @param address of the cluster, such as {@code http://localhost:8081}
     */
    public JobReader(URI address) {
        this.api = new RestApi(address);
    }

    /**
     * Reads a job's metrics twice.
     *
     * @param jobId empty for the only one that runs
     * @param seconds between the readings, at least; it takes as long, and as it takes the
     *     JobManager to ask for metrics again
     * @throws IOException with one line to tell the user
     */
    public JobSample read(Optional<String> jobId, int seconds)
            throws IOException, InterruptedException {
        String id = jobId.isPresent() ? jobId.get() : onlyJob();
        JsonObject job = api.get("jobs/" + id).getAsJsonObject();
        if (!job.get("state").getAsString().equals("RUNNING")) {
            throw new IOException("job " + id + " is " + job.get("state").getAsString());
        }
        List<Vertex> vertices = vertices(job);
        long giveUp =
                System.nanoTime() + PATIENCE.toNanos() + Duration.ofSeconds(seconds).toNanos();
        Metrics before = metrics(id, vertices);
        while (!before.isComplete()) {
            pause(id, giveUp, BETWEEN_LOOKS);
            before = metrics(id, vertices);
        }
        pause(id, giveUp, Duration.ofSeconds(seconds));
        JobSample sample = sample(id, job, vertices, before, metrics(id, vertices));
        while (sample.seconds() < seconds) {
            pause(id, giveUp, BETWEEN_LOOKS);
            sample = sample(id, job, vertices, before, metrics(id, vertices));
        }
        return sample;
    }

    private void pause(String job, long giveUp, Duration pause)
            throws IOException, InterruptedException {
        if (System.nanoTime() > giveUp) {
            JsonObject now = api.get("jobs/" + job).getAsJsonObject();
            throw new IOException(
                    "not all tasks of the job report metrics, which is "
                            + now.get("state").getAsString()
                            + " now with tasks "
                            + now.get("status-counts"));
        }
        Thread.sleep(pause.toMillis());
    }

    private String onlyJob() throws IOException, InterruptedException {
        List<JsonObject> running =
                objects(api.get("jobs/overview").getAsJsonObject().get("jobs")).stream()
                        .filter(job -> job.get("state").getAsString().equals("RUNNING"))
                        .toList();
        if (running.size() == 1) {
            return running.get(0).get("jid").getAsString();
        }
        if (running.isEmpty()) {
            throw new IOException("no job is running there");
        }
        throw new IOException(
                "several jobs are running there: name one by --job, of "
                        + running.stream()
                                .map(
                                        job ->
                                                job.get("jid").getAsString()
                                                        + " ("
                                                        + job.get("name").getAsString()
                                                        + ")")
                                .toList());
    }

    /**
     * A task as the API knows it.
     *
     * @param inputs ids of others
     */
    private record Vertex(String id, String name, int parallelism, List<String> inputs) {}

    private static List<Vertex> vertices(JsonObject job) {
        Map<String, List<String>> inputs = new HashMap<>();
        for (JsonObject node : objects(job.getAsJsonObject("plan").get("nodes"))) {
            inputs.put(
                    node.get("id").getAsString(),
                    node.has("inputs")
                            ? objects(node.get("inputs")).stream()
                                    .map(input -> input.get("id").getAsString())
                                    .toList()
                            : List.of());
        }
        return objects(job.get("vertices")).stream()
                .map(
                        vertex ->
                                new Vertex(
                                        vertex.get("id").getAsString(),
                                        vertex.get("name").getAsString(),
                                        vertex.get("parallelism").getAsInt(),
                                        inputs.getOrDefault(
                                                vertex.get("id").getAsString(), List.of())))
                .toList();
    }

    /**
     * One reading.
     *
     * @param subTasks of each vertex, by name
     * @param taskManagers by their ids
     */
    private record Metrics(
            List<List<Map<String, String>>> subTasks,
            Map<String, Map<String, String>> taskManagers) {

        boolean isComplete() {
            return subTasks.stream()
                    .flatMap(List::stream)
                    .allMatch(
                            metrics ->
                                    metrics.keySet().containsAll(TASK_METRICS)
                                            && !(Readings.runMillis(metrics) < LEAST_RUN_MILLIS));
        }
    }

    private Metrics metrics(String job, List<Vertex> vertices)
            throws IOException, InterruptedException {
        Metrics metrics = new Metrics(new ArrayList<>(), new HashMap<>());
        for (Vertex vertex : vertices) {
            metrics.subTasks.add(subTasks("jobs/" + job + "/vertices/" + vertex.id, vertex));
        }
        JsonObject answer = api.get("taskmanagers").getAsJsonObject();
        for (JsonObject taskManager : objects(answer.get("taskmanagers"))) {
            String id = taskManager.get("id").getAsString();
            metrics.taskManagers.put(
                    id, values("taskmanagers/" + encoded(id), List.of(GARBAGE_COLLECTION)));
        }
        return metrics;
    }

    /** Names of a task's metrics begin with the number of the sub-task. */
    private List<Map<String, String>> subTasks(String path, Vertex vertex)
            throws IOException, InterruptedException {
        List<String> ids =
                objects(api.get(path + "/metrics")).stream()
                        .map(metric -> metric.get("id").getAsString())
                        .filter(JobReader::isWanted)
                        .toList();
        List<Map<String, String>> subTasks = new ArrayList<>();
        for (int i = 0; i < vertex.parallelism; i++) {
            subTasks.add(new HashMap<>());
        }
        values(path, ids)
                .forEach(
                        (id, value) -> {
                            int dot = id.indexOf('.');
                            int subTask = Integer.parseInt(id.substring(0, dot));
                            if (subTask < subTasks.size()) {
                                subTasks.get(subTask).put(id.substring(dot + 1), value);
                            }
                        });
        return subTasks;
    }

    private static boolean isWanted(String id) {
        return TASK_METRICS.contains(id.substring(id.indexOf('.') + 1))
                || OPERATOR_METRIC.matcher(id).matches();
    }

    private Map<String, String> values(String path, List<String> ids)
            throws IOException, InterruptedException {
        Map<String, String> values = new HashMap<>();
        StringBuilder wanted = new StringBuilder();
        for (int i = 0; i < ids.size(); i++) {
            wanted.append(wanted.isEmpty() ? "" : ",").append(encoded(ids.get(i)));
            if (wanted.length() > MOST_LETTERS || i == ids.size() - 1) {
                for (JsonObject metric : objects(api.get(path + "/metrics?get=" + wanted))) {
                    values.put(metric.get("id").getAsString(), metric.get("value").getAsString());
                }
                wanted.setLength(0);
            }
        }
        return values;
    }

    private static JobSample sample(
            String id, JsonObject job, List<Vertex> vertices, Metrics before, Metrics now) {
        List<String> places = vertices.stream().map(Vertex::id).toList();
        List<JobSample.Task> tasks = new ArrayList<>();
        for (int i = 0; i < vertices.size(); i++) {
            List<Readings> subTasks = new ArrayList<>();
            for (int s = 0; s < vertices.get(i).parallelism; s++) {
                subTasks.add(
                        new Readings(before.subTasks.get(i).get(s), now.subTasks.get(i).get(s)));
            }
            tasks.add(
                    new JobSample.Task(
                            vertices.get(i).name,
                            vertices.get(i).inputs.stream().map(places::indexOf).toList(),
                            subTasks));
        }
        List<Readings> taskManagers =
                now.taskManagers.entrySet().stream()
                        .map(
                                taskManager ->
                                        new Readings(
                                                before.taskManagers.getOrDefault(
                                                        taskManager.getKey(), Map.of()),
                                                taskManager.getValue()))
                        .toList();
        return new JobSample(id, job.get("name").getAsString(), tasks, taskManagers);
    }

    private static List<JsonObject> objects(JsonElement array) {
        return StreamSupport.stream(array.getAsJsonArray().spliterator(), false)
                .map(JsonElement::getAsJsonObject)
                .toList();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
