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

import io.stateaccel.command.job.JobSample.Task;
import io.stateaccel.rocksdb.disk.ByteCount;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What holds a job back.
 *
 * <p>The task to look at is the last one on the way of the rows that is busy, waits for nobody, and
 * makes those before it wait. Its busiest sub-task says why it is busy.
 *
 * @param bottleneck the cause
 * @param where the task, empty for the whole job
 * @param evidence the figures that say so, one sentence each
 */
public record Diagnosis(Bottleneck bottleneck, Optional<String> where, List<String> evidence) {

    /** Part of the time: busier than this is at the limit. */
    private static final double BUSY = 0.7;

    /** Part of the time that a task waits for the next one. */
    private static final double HELD_UP = 0.3;

    /** Part of the time. */
    private static final double MUCH_GARBAGE_COLLECTION = 0.2;

    /** Part of the time that writes to RocksDB wait. */
    private static final double MUCH_STALLED = 0.1;

    /** At so many files in level 0 RocksDB slows writes down, unless it is told otherwise. */
    private static final double MANY_FILES_IN_LEVEL_0 = 20;

    /** Part of the time in reads of RocksDB. */
    private static final double MUCH_READING = 0.3;

    /** Blocks read from files for each read. */
    private static final double MANY_FILE_READS = 0.3;

    /** Of what is read from files, the part that the page cache had not got. */
    private static final double MUCH_FROM_DEVICE = 0.25;

    private static final double BLOCK_BYTES = 4096;

    /** Of the rows of a sub-task. */
    private static final double HOT_PERCENT = 20;

    /** What a sub-task has to do, in terms of what the others have on average. */
    private static final double SKEWED = 2;

    private static final String ROCKSDB = "rocksdb";
    private static final String STATES = "rocksdb.state_name";
    private static final String CACHED_STATES = "cache.state_name";
    private static final String BUNDLE = "bundle";

    /** Looks at a sample. */
    public static Diagnosis of(JobSample job) {
        return garbageCollection(job)
                .or(() -> limitingTask(job).map(task -> of(job, task)))
                .or(() -> exchange(job))
                .or(() -> backlog(job))
                .orElseGet(() -> healthy(job));
    }

    private static Optional<Diagnosis> garbageCollection(JobSample job) {
        double worst =
                job.taskManagers().stream()
                        .mapToDouble(
                                process -> process.growth("Status.JVM.GarbageCollector.All.Time"))
                        .filter(millis -> !Double.isNaN(millis))
                        .max()
                        .orElse(0);
        double part = job.seconds() == 0 ? 0 : worst / 1000 / job.seconds();
        return part < MUCH_GARBAGE_COLLECTION
                ? Optional.empty()
                : Optional.of(
                        new Diagnosis(
                                Bottleneck.GARBAGE_COLLECTION,
                                Optional.empty(),
                                List.of(
                                        "a task manager collects garbage for "
                                                + percent(part)
                                                + " of the time")));
    }

    private static Optional<Task> limitingTask(JobSample job) {
        for (int i = job.tasks().size() - 1; i >= 0; i--) {
            Task task = job.tasks().get(i);
            boolean makesOthersWait =
                    task.isSource()
                            || task.inputs().stream()
                                    .anyMatch(input -> job.tasks().get(input).heldUp() >= HELD_UP);
            Readings busiest = task.busiest();
            if (makesOthersWait && Task.busy(busiest) >= BUSY && Task.heldUp(busiest) < HELD_UP) {
                return Optional.of(task);
            }
        }
        return Optional.empty();
    }

    private static Diagnosis of(JobSample job, Task task) {
        Readings busiest = task.busiest();
        List<String> evidence = new ArrayList<>();
        evidence.add(
                "sub-task "
                        + task.subTasks().indexOf(busiest)
                        + " is busy for "
                        + percent(Task.busy(busiest))
                        + " of the time and waits for nobody"
                        + task.inputs().stream()
                                .map(job.tasks()::get)
                                .map(
                                        before ->
                                                "; '"
                                                        + before.name()
                                                        + "' waits for it for "
                                                        + percent(before.heldUp()))
                                .reduce("", String::concat));
        Bottleneck bottleneck =
                hotKey(task, busiest, evidence)
                        .or(() -> compaction(busiest, evidence))
                        .or(() -> reading(busiest, evidence))
                        .orElseGet(() -> ownWork(job, task));
        return new Diagnosis(bottleneck, Optional.of(task.name()), evidence);
    }

    private static Optional<Bottleneck> hotKey(Task task, Readings busiest, List<String> evidence) {
        int others = task.subTasks().size() - 1;
        if (others == 0) {
            return Optional.empty();
        }
        double rows = task.rowsPerSecond(busiest);
        double rowsOfOthers = (task.rowsPerSecond() - rows) / others;
        double busyOfOthers =
                (task.subTasks().stream().mapToDouble(Task::busy).sum() - Task.busy(busiest))
                        / others;
        if (rows < SKEWED * rowsOfOthers || Task.busy(busiest) < SKEWED * busyOfOthers) {
            return Optional.empty();
        }
        evidence.add(
                String.format(
                        Locale.ROOT,
                        "it gets %,.0f rows a second, the others %,.0f on average, who are busy for %s",
                        rows,
                        rowsOfOthers,
                        percent(busyOfOthers)));
        double hottest = busiest.largest(BUNDLE, "hottestKeyPercent");
        if (hottest >= HOT_PERCENT) {
            evidence.add(
                    String.format(
                            Locale.ROOT,
                            "%.0f %% of its rows have the key (%s)",
                            hottest,
                            busiest.text(BUNDLE, "hottestKey").orElse("unknown")));
        }
        return Optional.of(Bottleneck.HOT_KEY);
    }

    private static Optional<Bottleneck> compaction(Readings subTask, List<String> evidence) {
        double stalled = subTask.growth(ROCKSDB, "stallMillis") / 1000 / subTask.seconds();
        double files =
                subTask.names(STATES, "level.0.files").mapToDouble(subTask::value).max().orElse(0);
        double pending = subTask.largest(STATES, "pendingCompactionBytes");
        if (!(stalled >= MUCH_STALLED) && files < MANY_FILES_IN_LEVEL_0) {
            return Optional.empty();
        }
        evidence.add("its writes to RocksDB stall for " + percent(stalled) + " of the time");
        evidence.add(
                String.format(
                        Locale.ROOT,
                        "up to %.0f files of a state are in level 0, and %s wait to be compacted",
                        files,
                        ByteCount.describe((long) pending)));
        return Optional.of(Bottleneck.COMPACTION);
    }

    private static Optional<Bottleneck> reading(Readings subTask, List<String> evidence) {
        double reads = subTask.growth(STATES, "reads") + subTask.growth(STATES, "scans");
        double nanos =
                nanos(subTask, "reads", "readNanos_mean")
                        + nanos(subTask, "scans", "scanNanos_mean");
        // An estimate from a sample, which may come out above the whole.
        double part = Math.min(1, nanos / 1e9 / subTask.seconds());
        if (reads <= 0 || !(part >= MUCH_READING)) {
            return Optional.empty();
        }
        double fileReads = subTask.growth(ROCKSDB, "fileReads");
        if (fileReads < MANY_FILE_READS * reads) {
            return Optional.empty();
        }
        evidence.add(
                String.format(
                        Locale.ROOT,
                        "it reads from RocksDB for %s of the time: %,.0f reads a second of %,.0f us,"
                                + " for each of which %.1f blocks are read from files",
                        percent(part),
                        reads / subTask.seconds(),
                        nanos / 1000 / reads,
                        fileReads / reads));
        evidence.add(
                String.format(
                        Locale.ROOT,
                        "the block cache holds %s, of %s at most; the largest state has %s of files",
                        ByteCount.describe((long) subTask.largest(ROCKSDB, "blockCacheBytes")),
                        ByteCount.describe(
                                (long) subTask.largest(ROCKSDB, "blockCacheCapacityBytes")),
                        ByteCount.describe((long) subTask.largest(STATES, "sstBytes"))));
        cacheEvidence(subTask).ifPresent(evidence::add);
        double deviceBytes = subTask.growth(ROCKSDB, "deviceReadBytes");
        if (deviceBytes < MUCH_FROM_DEVICE * BLOCK_BYTES * fileReads) {
            evidence.add("the page cache has the files, so the disk is not the cause");
            return Optional.of(Bottleneck.CACHE);
        }
        evidence.add(
                ByteCount.describe((long) (deviceBytes / subTask.seconds()))
                        + " a second come from the disk, as the page cache has not got them"
                        + deviceLatency(subTask));
        return Optional.of(Bottleneck.DISK);
    }

    private static double nanos(Readings subTask, String count, String mean) {
        return subTask.names(STATES, count)
                .mapToDouble(
                        id -> {
                            String state = id.substring(0, id.length() - count.length());
                            double nanos = subTask.growth(id) * subTask.value(state + mean);
                            return Double.isNaN(nanos) ? 0 : nanos;
                        })
                .sum();
    }

    private static Optional<String> cacheEvidence(Readings subTask) {
        double hits = subTask.growth(CACHED_STATES, "hits");
        double misses = subTask.growth(CACHED_STATES, "misses");
        return hits + misses <= 0
                ? Optional.empty()
                : Optional.of(
                        "the state cache saves "
                                + percent(hits / (hits + misses))
                                + " of the reads");
    }

    private static String deviceLatency(Readings subTask) {
        Stream<String> devices = subTask.names("disk.device", "reads");
        return devices.map(
                        id -> {
                            String device = id.substring(0, id.length() - "reads".length());
                            double reads = subTask.growth(id);
                            return reads <= 0
                                    ? ""
                                    : String.format(
                                            Locale.ROOT,
                                            "; the device does %,.0f reads a second of %.2f ms and is"
                                                    + " busy for %s",
                                            reads / subTask.seconds(),
                                            subTask.growth(device + "readMillis") / reads,
                                            percent(
                                                    subTask.growth(device + "busyMillis")
                                                            / 1000
                                                            / subTask.seconds()));
                        })
                .findFirst()
                .orElse("");
    }

    /** A chain of operators that ends in a sink is called a sink only if it is nothing else. */
    private static Bottleneck ownWork(JobSample job, Task task) {
        if (task.isSource()) {
            return Bottleneck.SOURCE;
        }
        int place = job.tasks().indexOf(task);
        boolean isLast = job.tasks().stream().noneMatch(other -> other.inputs().contains(place));
        boolean startsInSink =
                task.name().startsWith("Sink:")
                        || task.name().contains(": Writer") && !task.name().contains("->");
        return isLast && startsInSink ? Bottleneck.SINK : Bottleneck.COMPUTATION;
    }

    /** A task that waits for tasks that do not work has to wait for what is between them. */
    private static Optional<Diagnosis> exchange(JobSample job) {
        for (int i = 0; i < job.tasks().size(); i++) {
            int place = i;
            Task task = job.tasks().get(i);
            List<Task> next =
                    job.tasks().stream().filter(other -> other.inputs().contains(place)).toList();
            boolean nobodyWorks =
                    next.stream()
                            .allMatch(
                                    other ->
                                            Task.busy(other.busiest()) < BUSY
                                                    && other.heldUp() < HELD_UP);
            if (task.heldUp() >= BUSY && nobodyWorks && !next.isEmpty()) {
                return Optional.of(
                        new Diagnosis(
                                Bottleneck.EXCHANGE,
                                Optional.of(task.name()),
                                List.of(
                                        "it waits to send for "
                                                + percent(task.heldUp())
                                                + " of the time, and those that it sends to are busy"
                                                + " for "
                                                + percent(
                                                        next.stream()
                                                                .mapToDouble(
                                                                        other ->
                                                                                Task.busy(
                                                                                        other
                                                                                                .busiest()))
                                                                .max()
                                                                .orElse(0))
                                                + " at most")));
            }
        }
        return Optional.empty();
    }

    /** A source that falls behind while nobody is busy. */
    private static Optional<Diagnosis> backlog(JobSample job) {
        for (Task task : job.tasks()) {
            double waiting = 0;
            double growth = 0;
            for (Readings subTask : task.subTasks()) {
                for (String id : subTask.now().keySet()) {
                    if (id.endsWith(".pendingRecords")) {
                        waiting += subTask.value(id);
                        growth += subTask.growth(id);
                    }
                }
            }
            if (growth > 0) {
                return Optional.of(
                        new Diagnosis(
                                Bottleneck.SOURCE,
                                Optional.of(task.name()),
                                List.of(
                                        String.format(
                                                Locale.ROOT,
                                                "%,.0f records wait to be read, %,.0f more a second,"
                                                        + " and no task is at its limit",
                                                waiting,
                                                growth / job.seconds()))));
            }
        }
        return Optional.empty();
    }

    private static Diagnosis healthy(JobSample job) {
        Task busiest = null;
        for (Task task : job.tasks()) {
            if (busiest == null || Task.busy(task.busiest()) > Task.busy(busiest.busiest())) {
                busiest = task;
            }
        }
        return new Diagnosis(
                Bottleneck.HEALTHY,
                Optional.empty(),
                busiest == null
                        ? List.of()
                        : List.of(
                                "no task makes another wait; '"
                                        + busiest.name()
                                        + "' is closest to its limit, with "
                                        + percent(Task.busy(busiest.busiest()))));
    }

    private static String percent(double part) {
        return String.format(Locale.ROOT, "%.0f %%", 100 * part);
    }
}
