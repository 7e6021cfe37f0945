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

import io.stateaccel.nexmark.bench.run.Progress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Watches the process that runs the tasks, through Linux' procfs, and the files of its state. Where
 * there is no procfs, the figures that need it are left out. Used by one thread at a time.
 *
 * <p>The library OSHI (6.6.5) has CPU times and bytes, but not the most memory that a process had,
 * nor its calls of the system that read and write.
 */
public final class ProcessMeter {

    private static final double CLOCK_TICKS_PER_SECOND = 100;

    /** The kernel keeps this much of a thread's name. */
    private static final int LONGEST_THREAD_NAME = 15;

    private final Path process;
    private final List<Path> stateDirectories;
    private final Path keptLogs;

    private long startNanos;
    private final List<Sample> samples = new ArrayList<>();
    private Map<String, Long> ioBefore = Map.of();
    private final Map<String, ThreadTime> threads = new HashMap<>();

    /** Logs by what identifies the file: a log that is rolled over keeps that. */
    private final Map<Object, Path> logs = new LinkedHashMap<>();

    private Long peakStateBytes;

    /** CPU time of a thread in clock ticks, when it was first and last seen. */
    private record ThreadTime(String name, long first, long last) {}

    /**
     * @param pid the process
     * @param stateDirectories where it keeps local state and the logs of RocksDB; need not exist
     * @param keptLogs an empty directory on the same file system, for RocksDB's logs, which would
     *     otherwise go with its instances
     */
    public ProcessMeter(long pid, List<Path> stateDirectories, Path keptLogs) {
        this.process = Path.of("/proc", String.valueOf(pid));
        this.stateDirectories = stateDirectories;
        this.keptLogs = keptLogs;
    }

    /** Begins to watch: what was used before does not count. */
    public void begin() {
        startNanos = System.nanoTime();
        ioBefore = numbers("io");
        readThreads(true);
    }

    /** User and system time of a process, as long as it lives. */
    public static double cpuSeconds(long pid) throws IOException {
        String[] fields = statFields(Path.of("/proc", String.valueOf(pid)));
        return ticks(fields) / CLOCK_TICKS_PER_SECOND;
    }

    /**
     * Takes a sample; to be called about once a second.
     *
     * @param events events read so far
     */
    public Progress sample(long events) {
        readThreads(false);
        Long stateBytes = readState();
        samples.add(new Sample((System.nanoTime() - startNanos) / 1e9, events, stateBytes));
        return new Progress(events, stateBytes);
    }

    /** The samples taken so far. */
    public List<Sample> samples() {
        return samples;
    }

    /**
     * Ends the watch, while the process still lives.
     *
     * @param tasks names of the job's tasks, which its threads bear
     * @param cpuSeconds CPU time of the process meanwhile, of which some went to threads that ended
     *     between two samples
     * @param gcMillis time that garbage collection took meanwhile
     */
    public ResourceUse end(Collection<String> tasks, double cpuSeconds, Long gcMillis) {
        readThreads(false);
        readState();
        Map<String, Long> io = numbers("io");
        io.replaceAll((name, value) -> value - ioBefore.getOrDefault(name, 0L));
        Long peakKib = numbers("status").get("VmHWM");
        return new ResourceUse(
                peakKib == null ? null : peakKib * 1024,
                gcMillis,
                peakStateBytes,
                io.get("rchar"),
                io.get("wchar"),
                io.get("syscr"),
                io.get("syscw"),
                io.get("read_bytes"),
                rocksDb(),
                cpuSecondsByThreads(tasks, cpuSeconds),
                null);
    }

    private RocksDbUse rocksDb() {
        if (logs.isEmpty()) {
            return null;
        }
        try {
            return RocksDbUse.of(logs.values());
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read RocksDB's logs", e);
        }
    }

    private Map<String, Double> cpuSecondsByThreads(Collection<String> tasks, double cpuSeconds) {
        Map<String, Double> groups = new TreeMap<>();
        double seen = 0;
        for (ThreadTime thread : threads.values()) {
            double seconds = (thread.last - thread.first) / CLOCK_TICKS_PER_SECOND;
            seen += seconds;
            if (seconds > 0) {
                groups.merge(group(thread.name, tasks), seconds, Double::sum);
            }
        }
        if (!threads.isEmpty() && cpuSeconds > seen) {
            groups.put("threads that ended", cpuSeconds - seen);
        }
        return groups;
    }

    /** What a thread does, by its name. */
    private static String group(String thread, Collection<String> tasks) {
        for (String task : tasks) {
            if (task.substring(0, Math.min(task.length(), LONGEST_THREAD_NAME))
                    .strip()
                    .equals(thread)) {
                return task;
            }
        }
        if (thread.startsWith("rocksdb:")) {
            return "RocksDB flush and compaction";
        }
        if (thread.startsWith("C1 Comp") || thread.startsWith("C2 Comp")) {
            return "JIT compiler";
        }
        if (thread.startsWith("G1 ") || thread.startsWith("GC Thread")) {
            return "garbage collection";
        }
        return "Flink and JVM, other";
    }

    private void readThreads(boolean first) {
        try (Stream<Path> tasks = Files.list(process.resolve("task"))) {
            tasks.forEach(task -> readThread(task, first));
        } catch (IOException e) {
            // No procfs, or the process has ended: what was seen so far counts.
        }
    }

    private void readThread(Path task, boolean first) {
        try {
            String stat = Files.readString(task.resolve("stat"));
            String name = stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')')).strip();
            long ticks = ticks(statFields(task));
            threads.compute(
                    task.getFileName().toString(),
                    (id, known) ->
                            // A new thread is named a moment after it starts.
                            new ThreadTime(
                                    name,
                                    known == null ? (first ? ticks : 0) : known.first,
                                    ticks));
        } catch (IOException e) {
            // It has ended meanwhile.
        }
    }

    /** The fields of {@code stat} that follow the name, which may hold spaces. */
    private static String[] statFields(Path processOrTask) throws IOException {
        String stat = Files.readString(processOrTask.resolve("stat"));
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    }

    private static long ticks(String[] statFields) {
        return Long.parseLong(statFields[11]) + Long.parseLong(statFields[12]);
    }

    /** The lines {@code name: number} of a file of procfs. */
    private Map<String, Long> numbers(String file) {
        Map<String, Long> numbers = new HashMap<>();
        try (Stream<String> lines = Files.lines(process.resolve(file))) {
            lines.map(line -> line.split("[:\\s]+"))
                    .filter(parts -> parts.length > 1 && parts[1].matches("\\d+"))
                    .forEach(parts -> numbers.put(parts[0], Long.parseLong(parts[1])));
        } catch (IOException | UncheckedIOException e) {
            // No procfs, or not allowed.
        }
        return numbers;
    }

    /** Sums the state's files, and keeps hold of new logs. */
    private Long readState() {
        StateFiles files = StateFiles.in(stateDirectories);
        files.logs().forEach(this::keep);
        if (files.count() == 0) {
            return null;
        }
        peakStateBytes = Math.max(files.bytes(), peakStateBytes == null ? 0 : peakStateBytes);
        return files.bytes();
    }

    private void keep(Object fileKey, Path log) {
        if (logs.containsKey(fileKey)) {
            return;
        }
        try {
            logs.put(fileKey, Files.createLink(keptLogs.resolve("LOG-" + logs.size()), log));
        } catch (IOException | UnsupportedOperationException e) {
            // It has just gone, or the file system has no links: the figures lack it.
        }
    }
}
