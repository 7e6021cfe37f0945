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
package io.stateaccel.rocksdb.benchmark;

import com.sun.management.OperatingSystemMXBean;
import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.rocksdb.testing.BackendHarness;
import io.stateaccel.rocksdb.testing.BackendHarness.Make;
import io.stateaccel.rocksdb.testing.CheckpointDirectory;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.util.FileUtils;

/**
 * What value separation costs and saves in a job with incremental checkpoints: values of one
 * length, those of keys chosen at random replaced between checkpoints, then read; and lists of
 * {@value #ELEMENTS} elements together as long, of which those keys get one more. Per kind of state
 * and length, with and without in turn, medians of the rounds: bytes uploaded by all checkpoints,
 * bytes that flushes and compactions wrote meanwhile, bytes on disk in the end, CPU seconds of the
 * process for updates, checkpoints, flushes and compactions, and its CPU microseconds per read. The
 * state cache is off. CPU time leaves out waiting for a disk.
 *
 * <p>Arguments: rounds, MiB of state, MiB of managed memory, then lengths of values in bytes; by
 * default {@code 3 64 32 256 1024 4096}.
 */
public final class ValueSeparationBenchmark {

    private static final int CHECKPOINTS = 50;
    private static final int CHECKPOINTS_PER_STATE = 40;
    private static final int READS = 30_000;
    private static final int ELEMENTS = 16;

    /** An event in RocksDB's log, with the size of the file. */
    private static final Pattern FILE_CREATION =
            Pattern.compile(
                    "\"(?:table|blob)_file_creation\".*?\"(?:file_size|total_blob_bytes)\": (\\d+)");

    private final boolean lists;
    private final int keys;
    private final int valueBytes;
    private final int memoryMiB;
    private final Random random = new Random(42);

    private ValueSeparationBenchmark(boolean lists, int stateMiB, int memoryMiB, int valueBytes) {
        this.lists = lists;
        this.keys = (int) (((long) stateMiB << 20) / valueBytes);
        this.valueBytes = valueBytes;
        this.memoryMiB = memoryMiB;
    }

    public static void main(String[] args) throws Exception {
        int rounds = argument(args, 0, 3);
        int stateMiB = argument(args, 1, 64);
        int memoryMiB = argument(args, 2, 32);
        int[] lengths =
                args.length > 3
                        ? Arrays.stream(args).skip(3).mapToInt(Integer::parseInt).toArray()
                        : new int[] {256, 1024, 4096};
        System.out.printf(
                "%d MiB of state, %d MiB of managed memory, %d checkpoints, each after updates of"
                        + " 1/%d of the state; medians of %d rounds%n",
                stateMiB, memoryMiB, CHECKPOINTS, CHECKPOINTS_PER_STATE, rounds);
        System.out.printf(
                "%-6s %-7s %-9s %12s %12s %8s %14s %10s%n",
                "kind",
                "bytes",
                "separated",
                "uploaded MiB",
                "written MiB",
                "disk MiB",
                "write CPU s",
                "read us");
        for (boolean lists : new boolean[] {false, true}) {
            for (int length : lengths) {
                List<double[]> without = new ArrayList<>();
                List<double[]> with = new ArrayList<>();
                for (int round = 0; round < rounds; round++) {
                    var benchmark =
                            new ValueSeparationBenchmark(lists, stateMiB, memoryMiB, length);
                    without.add(benchmark.run("0"));
                    with.add(benchmark.run("1b"));
                }
                print(lists, length, "no", without);
                print(lists, length, "yes", with);
            }
        }
    }

    private static int argument(String[] args, int index, int otherwise) {
        return args.length > index ? Integer.parseInt(args[index]) : otherwise;
    }

    private static void print(boolean lists, int length, String separated, List<double[]> rounds) {
        System.out.printf(
                "%-6s %-7d %-9s %12.0f %12.0f %8.0f %14.1f %10.2f%n",
                lists ? "list" : "value",
                length,
                separated,
                median(rounds, 0) / (1 << 20),
                median(rounds, 1) / (1 << 20),
                median(rounds, 2) / (1 << 20),
                median(rounds, 3),
                median(rounds, 4));
    }

    private static double median(List<double[]> rounds, int figure) {
        double[] sorted = rounds.stream().mapToDouble(round -> round[figure]).sorted().toArray();
        return sorted[sorted.length / 2];
    }

    private double[] run(String minSize) throws Exception {
        Path directory = Files.createTempDirectory("value-separation-benchmark");
        Path database = directory.resolve("local");
        Configuration config = new Configuration();
        config.setString("state.backend.rocksdb.localdir", database.toString());
        config.setString(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE.key(), minSize);
        config.setString(StateAccelOptions.CACHE_SIZE.key(), "0");
        config.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
        AbstractKeyedStateBackend<Long> backend =
                BackendHarness.open(
                        Make.ACCELERATED.create(config),
                        LongSerializer.INSTANCE,
                        128,
                        KeyGroupRange.of(0, 127),
                        List.of(),
                        TtlTimeProvider.DEFAULT,
                        new UnregisteredMetricsGroup(),
                        (long) memoryMiB << 20);
        try {
            CheckpointDirectory checkpoints =
                    new CheckpointDirectory(directory.resolve("checkpoints"));
            StateDescriptor<? extends State, ?> descriptor =
                    lists
                            ? new ListStateDescriptor<>(
                                    "list", BytePrimitiveArraySerializer.INSTANCE)
                            : new ValueStateDescriptor<>(
                                    "value", BytePrimitiveArraySerializer.INSTANCE);
            State state =
                    backend.getPartitionedState(
                            VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
            for (int key = 0; key < keys; key++) {
                backend.setCurrentKey((long) key);
                for (int i = 0; i < (lists ? ELEMENTS : 1); i++) {
                    write(state);
                }
            }
            checkpoints.complete(backend, CheckpointType.CHECKPOINT);
            waitUntilCompactionIsDone(database);

            long writtenBefore = writtenBytes(database);
            long start = cpuNanos();
            long uploaded = 0;
            for (int i = 0; i < CHECKPOINTS; i++) {
                for (int update = 0; update < keys / CHECKPOINTS_PER_STATE; update++) {
                    backend.setCurrentKey((long) random.nextInt(keys));
                    write(state);
                }
                uploaded += checkpoints.complete(backend, CheckpointType.CHECKPOINT);
                waitUntilCompactionIsDone(database);
            }
            double writing = (cpuNanos() - start) / 1e9;
            long written = writtenBytes(database) - writtenBefore;

            start = cpuNanos();
            for (int i = 0; i < READS; i++) {
                backend.setCurrentKey((long) random.nextInt(keys));
                if (read(state) < valueBytes) {
                    throw new IllegalStateException("a read returned the wrong thing");
                }
            }
            double reading = (cpuNanos() - start) / 1e3 / READS;
            long bytes =
                    BackendHarness.databaseFiles(database).values().stream()
                            .mapToLong(Long::longValue)
                            .sum();
            return new double[] {uploaded, written, bytes, writing, reading};
        } finally {
            backend.dispose();
            FileUtils.deleteDirectory(directory.toFile());
        }
    }

    /** Half of a value is random, so that it compresses to somewhat more than half. */
    @SuppressWarnings("unchecked")
    private void write(State state) throws Exception {
        int length = lists ? valueBytes / ELEMENTS : valueBytes;
        byte[] half = new byte[length / 2];
        random.nextBytes(half);
        byte[] written = Arrays.copyOf(half, length);
        if (lists) {
            ((ListState<byte[]>) state).add(written);
        } else {
            ((ValueState<byte[]>) state).update(written);
        }
    }

    @SuppressWarnings("unchecked")
    private int read(State state) throws Exception {
        if (!lists) {
            return ((ValueState<byte[]>) state).value().length;
        }
        int length = 0;
        for (byte[] element : ((ListState<byte[]>) state).get()) {
            length += element.length;
        }
        return length;
    }

    /** The sizes of all files that RocksDB has made, as its log tells them. */
    private static long writtenBytes(Path database) throws IOException {
        Path log;
        try (Stream<Path> files = Files.walk(database)) {
            log = files.filter(file -> file.endsWith("LOG")).findFirst().orElseThrow();
        }
        return FILE_CREATION
                .matcher(Files.readString(log))
                .results()
                .mapToLong(file -> Long.parseLong(file.group(1)))
                .sum();
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    /** Waits until the database has had the same files for a while. */
    private static void waitUntilCompactionIsDone(Path database) throws Exception {
        Map<String, Long> last = Map.of();
        Map<String, Long> now = BackendHarness.databaseFiles(database);
        while (!now.equals(last)) {
            Thread.sleep(100);
            last = now;
            now = BackendHarness.databaseFiles(database);
        }
    }
}
