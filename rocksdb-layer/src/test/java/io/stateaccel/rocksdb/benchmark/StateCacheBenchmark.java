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
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.util.FileUtils;

/**
 * State access with and without the cache: CPU microseconds of the whole process (compaction and
 * garbage collection included) per visit of a key, for stock, accelerated without cache and
 * accelerated. The three take turns; medians are printed.
 *
 * <p>Arguments: rounds, managed memory in MiB, cache size (for example {@code 64mb}), then the
 * names of patterns; all patterns when none is given.
 */
public final class StateCacheBenchmark {

    private static final int VISITS = 1_000_000;

    private static final Map<String, Pattern> PATTERNS = new LinkedHashMap<>();

    static {
        PATTERNS.put("count, skewed", (states, random) -> states.count(skewed(random, 1_000_000)));
        PATTERNS.put("count, few keys", (states, random) -> states.count(random.nextInt(1_000)));
        PATTERNS.put("count, uniform", (states, random) -> states.count(random.nextInt(3_000_000)));
        PATTERNS.put("count, new keys", (states, random) -> states.count(states.visit));
        PATTERNS.put("text, skewed", (states, random) -> states.text(skewed(random, 1_000_000)));
        PATTERNS.put("text, new keys", (states, random) -> states.text(states.visit));
        PATTERNS.put("window sums", (states, random) -> states.window(random.nextInt(2_000)));
        PATTERNS.put("map, skewed", (states, random) -> states.point(skewed(random, 300_000)));
        PATTERNS.put(
                "map, passes", (states, random) -> states.pointOrPass(skewed(random, 300_000)));
        PATTERNS.put("maps of 8", (states, random) -> states.smallMap(random.nextInt(10_000)));
        PATTERNS.put("last value", (states, random) -> states.last(skewed(random, 1_000_000)));
    }

    private interface Pattern {
        void visit(States states, SplittableRandom random) throws Exception;
    }

    private StateCacheBenchmark() {}

    public static void main(String[] args) throws Exception {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 3;
        int memoryMiB = args.length > 1 ? Integer.parseInt(args[1]) : 128;
        String cacheSize = args.length > 2 ? args[2] : "64mb";
        List<String> names =
                args.length > 3
                        ? Arrays.asList(args).subList(3, args.length)
                        : List.copyOf(PATTERNS.keySet());
        System.out.printf(
                "managed memory %d MiB, cache %s, %,d visits, median of %d; CPU us per visit%n",
                memoryMiB, cacheSize, VISITS, rounds);
        System.out.printf(
                "%-18s %8s %8s %8s %12s %12s%n",
                "pattern", "stock", "no cache", "cache", "cache/stock", "cache/none");
        for (String name : names) {
            Pattern pattern = PATTERNS.get(name);
            List<Double> stock = new ArrayList<>();
            List<Double> uncached = new ArrayList<>();
            List<Double> cached = new ArrayList<>();
            for (int round = -1; round < rounds; round++) {
                double[] micros = {
                    run(pattern, Make.STOCK, "0", memoryMiB),
                    run(pattern, Make.ACCELERATED, "0", memoryMiB),
                    run(pattern, Make.ACCELERATED, cacheSize, memoryMiB)
                };
                if (round >= 0) {
                    stock.add(micros[0]);
                    uncached.add(micros[1]);
                    cached.add(micros[2]);
                }
            }
            System.out.printf(
                    "%-18s %8.2f %8.2f %8.2f %11.2fx %11.2fx%n",
                    name,
                    median(stock),
                    median(uncached),
                    median(cached),
                    median(stock) / median(cached),
                    median(uncached) / median(cached));
        }
    }

    private static double run(Pattern pattern, Make make, String cacheSize, int memoryMiB)
            throws Exception {
        Path directory = Files.createTempDirectory("state-cache-benchmark");
        Configuration config = new Configuration();
        config.setString("state.backend.rocksdb.localdir", directory.toString());
        config.setString(StateAccelOptions.CACHE_SIZE.key(), cacheSize);
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
            States states = new States(backend);
            SplittableRandom random = new SplittableRandom(42);
            System.gc();
            long start = cpuNanos();
            for (int i = 0; i < VISITS; i++) {
                states.visit++;
                pattern.visit(states, random);
            }
            return (cpuNanos() - start) / 1e3 / VISITS;
        } finally {
            backend.dispose();
            FileUtils.deleteDirectory(directory.toFile());
        }
    }

    /** Small numbers are frequent: half of the visits go to one key in a thousand. */
    private static long skewed(SplittableRandom random, int keys) {
        return (long) Math.pow(keys, random.nextDouble());
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    private static final class States {
        private static final int WINDOW_VISITS = 100_000;
        private static final String FILLER = "x".repeat(150);

        private final AbstractKeyedStateBackend<Long> backend;
        private final ValueState<Long> count;
        private final ValueState<String> text;
        private final MapState<Long, Long> map;
        private final InternalKvState<Long, Long, Long> window;

        private long visit;
        private long visited;

        @SuppressWarnings("unchecked")
        States(AbstractKeyedStateBackend<Long> backend) throws Exception {
            this.backend = backend;
            this.count = value("count", LongSerializer.INSTANCE);
            this.text = value("text", StringSerializer.INSTANCE);
            this.map =
                    backend.getPartitionedState(
                            VoidNamespace.INSTANCE,
                            VoidNamespaceSerializer.INSTANCE,
                            new MapStateDescriptor<>(
                                    "map", LongSerializer.INSTANCE, LongSerializer.INSTANCE));
            this.window =
                    (InternalKvState<Long, Long, Long>)
                            backend.getOrCreateKeyedState(
                                    LongSerializer.INSTANCE,
                                    new ReducingStateDescriptor<>(
                                            "window", Long::sum, LongSerializer.INSTANCE));
        }

        private <T> ValueState<T> value(String name, TypeSerializer<T> serializer)
                throws Exception {
            return backend.getPartitionedState(
                    VoidNamespace.INSTANCE,
                    VoidNamespaceSerializer.INSTANCE,
                    new ValueStateDescriptor<>(name, serializer));
        }

        void count(long key) throws Exception {
            backend.setCurrentKey(scatter(key));
            Long before = count.value();
            count.update(before == null ? 1L : before + 1);
        }

        void text(long key) throws Exception {
            backend.setCurrentKey(scatter(key));
            String before = text.value();
            text.update((before == null ? 1 : before.hashCode()) + FILLER);
        }

        void last(long key) throws Exception {
            backend.setCurrentKey(scatter(key));
            text.update(visit + FILLER);
        }

        /** One entry of a map that becomes large. */
        void point(long mapKey) throws Exception {
            backend.setCurrentKey(0L);
            Long before = map.get(scatter(mapKey));
            map.put(scatter(mapKey), before == null ? 1L : before + 1);
        }

        /** As {@link #point}, and all entries from time to time. */
        void pointOrPass(long mapKey) throws Exception {
            point(mapKey);
            if (visit % (VISITS / 5) == 0) {
                for (Map.Entry<Long, Long> entry : map.entries()) {
                    visited += entry.getValue();
                }
            }
        }

        /** Adds an entry to a key's map and goes through the map; the eighth clears it. */
        void smallMap(long key) throws Exception {
            backend.setCurrentKey(scatter(key));
            map.put(visit, visit);
            int entries = 0;
            for (Map.Entry<Long, Long> entry : map.entries()) {
                visited += entry.getValue();
                entries++;
            }
            if (entries == 8) {
                map.clear();
            }
        }

        /**
         * Adds to a key's sum in a window; at the end of a window its sums are read and removed.
         */
        @SuppressWarnings("unchecked")
        void window(long key) throws Exception {
            ReducingState<Long> sum = (ReducingState<Long>) window;
            long number = visit / WINDOW_VISITS;
            if (visit % WINDOW_VISITS == 0) {
                window.setCurrentNamespace(number - 1);
                for (long k = 0; k < 2_000; k++) {
                    backend.setCurrentKey(scatter(k));
                    sum.get();
                    sum.clear();
                }
            }
            backend.setCurrentKey(scatter(key));
            window.setCurrentNamespace(number);
            sum.add(1L);
        }

        private static long scatter(long n) {
            return n * 0x9E3779B97F4A7C15L;
        }
    }
}
