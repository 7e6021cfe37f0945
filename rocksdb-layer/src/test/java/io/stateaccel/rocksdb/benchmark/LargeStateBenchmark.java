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

import io.stateaccel.rocksdb.BackendHarness;
import io.stateaccel.rocksdb.BackendHarness.Make;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.util.FileUtils;

/**
 * Reads from state that is larger than managed memory: CPU microseconds of the reading thread per
 * access, for the accelerated backend, stock as shipped and stock with partitioned index and
 * filters. CPU time is what can be compared on a busy machine; it leaves out waiting for a disk, so
 * the files should fit into the page cache.
 *
 * <p>Arguments: managed memory in MiB, thousands of keys, then any {@code key=value} options for
 * the accelerated backend, for example {@code 32 2000
 * state.backend.state-accel.rocksdb.compression-per-level=zstd}.
 */
public final class LargeStateBenchmark {

    private static final int READS = 30_000;
    private static final int MAP_ENTRIES_PER_KEY = 2;
    private static final int VALUE_CHARS = 100;

    private final AbstractKeyedStateBackend<Long> backend;
    private final ValueState<String> value;
    private final MapState<Long, String> map;
    private final long keys;
    private final Random random = new Random(42);

    private LargeStateBenchmark(AbstractKeyedStateBackend<Long> backend, long keys)
            throws Exception {
        this.backend = backend;
        this.keys = keys;
        this.value =
                backend.getPartitionedState(
                        VoidNamespace.INSTANCE,
                        VoidNamespaceSerializer.INSTANCE,
                        new ValueStateDescriptor<>("value", StringSerializer.INSTANCE));
        this.map =
                backend.getPartitionedState(
                        VoidNamespace.INSTANCE,
                        VoidNamespaceSerializer.INSTANCE,
                        new MapStateDescriptor<>(
                                "map", LongSerializer.INSTANCE, StringSerializer.INSTANCE));
    }

    public static void main(String[] args) throws Exception {
        int memoryMiB = args.length > 0 ? Integer.parseInt(args[0]) : 32;
        long keys = 1_000L * (args.length > 1 ? Integer.parseInt(args[1]) : 2_000);
        Map<String, String> own = new LinkedHashMap<>();
        Stream.of(args).skip(2).map(arg -> arg.split("=", 2)).forEach(p -> own.put(p[0], p[1]));

        System.out.printf(
                "managed memory %d MiB, %,d keys, %d map entries per key, %,d reads; CPU us per access%n",
                memoryMiB, keys, MAP_ENTRIES_PER_KEY, READS);
        System.out.printf(
                "%-20s %8s %8s %8s %8s %8s %8s %8s %8s%n",
                "backend",
                "MiB",
                "write",
                "present",
                "absent",
                "map get",
                "absent",
                "map scan",
                "absent");
        if (own.isEmpty()) {
            run("stock", Make.STOCK, Map.of(), memoryMiB, keys);
            run(
                    "stock, partitioned",
                    Make.STOCK,
                    Map.of("state.backend.rocksdb.memory.partitioned-index-filters", "true"),
                    memoryMiB,
                    keys);
        }
        run("accelerated", Make.ACCELERATED, own, memoryMiB, keys);
        run("accelerated, Java", Make.ACCELERATED_JAVA, own, memoryMiB, keys);
    }

    private static void run(
            String name, Make make, Map<String, String> options, int memoryMiB, long keys)
            throws Exception {
        Path directory = Files.createTempDirectory("large-state-benchmark");
        Configuration config = Configuration.fromMap(options);
        config.setString("state.backend.rocksdb.localdir", directory.toString());
        AbstractKeyedStateBackend<Long> backend =
                BackendHarness.open(
                        make.create(config),
                        LongSerializer.INSTANCE,
                        128,
                        KeyGroupRange.of(0, 127),
                        List.of(),
                        TtlTimeProvider.DEFAULT,
                        new UnregisteredMetricsGroup(),
                        (long) memoryMiB << 20);
        try {
            LargeStateBenchmark benchmark = new LargeStateBenchmark(backend, keys);
            double write = benchmark.load();
            long bytes = waitUntilCompactionIsDone(directory);
            benchmark.getValues(0);
            System.out.printf(
                    "%-20s %8d %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f%n",
                    name,
                    bytes >> 20,
                    write,
                    benchmark.getValues(0),
                    benchmark.getValues(1),
                    benchmark.getMapEntries(0),
                    benchmark.getMapEntries(1),
                    benchmark.scanMaps(0),
                    benchmark.scanMaps(1));
        } finally {
            backend.dispose();
            FileUtils.deleteDirectory(directory.toFile());
        }
    }

    /** Even numbers are present, odd ones are not: absent keys lie between present ones. */
    private void setRandomKey(int parity) {
        backend.setCurrentKey(scatter(2 * (long) (random.nextDouble() * keys) + parity));
    }

    private double load() throws Exception {
        char[] chars = new char[VALUE_CHARS];
        long start = cpuNanos();
        for (long i = 0; i < keys; i++) {
            for (int c = 0; c < VALUE_CHARS; c++) {
                chars[c] = (char) ('a' + random.nextInt(16));
            }
            String text = new String(chars);
            backend.setCurrentKey(scatter(2 * i));
            value.update(text);
            for (long entry = 0; entry < MAP_ENTRIES_PER_KEY; entry++) {
                map.put(entry, text);
            }
        }
        return micros(start, keys * (1 + MAP_ENTRIES_PER_KEY));
    }

    private double getValues(int parity) throws Exception {
        long start = cpuNanos();
        for (int i = 0; i < READS; i++) {
            setRandomKey(parity);
            check(value.value() != null, parity);
        }
        return micros(start, READS);
    }

    private double getMapEntries(int parity) throws Exception {
        long start = cpuNanos();
        for (int i = 0; i < READS; i++) {
            setRandomKey(parity);
            check(map.get((long) random.nextInt(MAP_ENTRIES_PER_KEY)) != null, parity);
        }
        return micros(start, READS);
    }

    private double scanMaps(int parity) throws Exception {
        long start = cpuNanos();
        for (int i = 0; i < READS; i++) {
            setRandomKey(parity);
            int found = 0;
            for (String ignored : map.values()) {
                found++;
            }
            check(found == MAP_ENTRIES_PER_KEY, parity);
        }
        return micros(start, READS);
    }

    private static void check(boolean found, int parity) {
        if (found != (parity == 0)) {
            throw new IllegalStateException("a read returned the wrong thing");
        }
    }

    private static long scatter(long n) {
        return n * 0x9E3779B97F4A7C15L;
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static double micros(long start, long operations) {
        return (cpuNanos() - start) / 1e3 / operations;
    }

    /** Waits until the files have not changed for two seconds; returns their size in bytes. */
    private static long waitUntilCompactionIsDone(Path directory) throws Exception {
        long last = -1;
        long now = sstBytes(directory);
        while (now != last) {
            Thread.sleep(2_000);
            last = now;
            now = sstBytes(directory);
        }
        return now;
    }

    private static long sstBytes(Path directory) throws Exception {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".sst"))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }
}
