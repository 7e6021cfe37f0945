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

import io.stateaccel.nexmark.bench.run.RunFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import one.profiler.AsyncProfiler;

/**
 * A CPU profile of this JVM by async-profiler, which sees native threads too: a flame graph, and
 * CPU seconds by kind of code.
 */
public final class CpuProfile {

    /** System property of a run's JVM: where its flame graph goes. */
    public static final String FILE_PROPERTY = "bench.profile";

    public static final String ROCKSDB_CALLS = "RocksDB, called by tasks";
    static final String ROCKSDB_BACKGROUND = "RocksDB, flush and compaction";
    static final String GC = "garbage collection";
    static final String JIT = "JIT compiler";
    public static final String SOURCE = "source and sink";
    static final String EXCHANGE = "exchange";
    static final String SERIALISATION = "rows and serialisation";
    public static final String OPERATORS = "operators";
    static final String REST = "rest";

    /** Timers per thread need no rights, unlike the kernel's performance events. */
    private static final String START = "start,event=ctimer,interval=5ms";

    /** The first that matches says what a stack is. Java's own classes are nobody's. */
    private static final Map<String, List<String>> CODE_BY_PACKAGE = packages();

    private final AsyncProfiler profiler;
    private final Path flameGraph;

    private CpuProfile(AsyncProfiler profiler, Path flameGraph) {
        this.profiler = profiler;
        this.flameGraph = flameGraph;
    }

    /** The profile that this run is asked for; empty if it is not. */
    public static Optional<CpuProfile> requested() {
        return Optional.ofNullable(System.getProperty(FILE_PROPERTY))
                .map(file -> new CpuProfile(AsyncProfiler.getInstance(), Path.of(file)));
    }

    public void start() {
        try {
            profiler.execute(START);
        } catch (IOException e) {
            throw new RunFailure("the profiler does not start: " + e.getMessage(), e);
        }
    }

    /**
     * Ends the profile and writes the flame graph.
     *
     * @param cpuSeconds of the process meanwhile
     * @return its parts, by kind of code
     */
    public Map<String, Double> stop(double cpuSeconds) throws IOException {
        profiler.stop();
        Files.createDirectories(flameGraph.toAbsolutePath().getParent());
        profiler.execute("flamegraph,file=" + flameGraph);
        return byCode(profiler.execute("collapsed"), cpuSeconds);
    }

    /**
     * Divides CPU seconds among kinds of code.
     *
     * @param collapsed a line per stack: frames from the root on, separated by semicolons, and
     *     behind a blank how often it was seen
     */
    static Map<String, Double> byCode(String collapsed, double cpuSeconds) {
        Map<String, Long> counts = new HashMap<>();
        long total = 0;
        for (String line : collapsed.lines().toList()) {
            int blank = line.lastIndexOf(' ');
            long count = Long.parseLong(line.substring(blank + 1));
            counts.merge(codeOf(line.substring(0, blank).split(";")), count, Long::sum);
            total += count;
        }
        Map<String, Double> seconds = new LinkedHashMap<>();
        for (Map.Entry<String, Long> entry : counts.entrySet()) {
            seconds.put(entry.getKey(), cpuSeconds * entry.getValue() / total);
        }
        return seconds;
    }

    private static String codeOf(String[] frames) {
        List<String> fromLeaf = Arrays.asList(frames.clone());
        Collections.reverse(fromLeaf);
        boolean isJava = fromLeaf.stream().anyMatch(CpuProfile::isJava);
        if (!isJava) {
            return codeOfNativeThread(fromLeaf);
        }
        for (String frame : fromLeaf) {
            for (Map.Entry<String, List<String>> code : CODE_BY_PACKAGE.entrySet()) {
                if (code.getValue().stream().anyMatch(frame::startsWith)) {
                    return code.getKey();
                }
            }
            if (frame.indexOf('$') > 0 && frame.indexOf('/') < 0) {
                return OPERATORS; // Flink's generated classes have no package.
            }
        }
        return REST;
    }

    private static boolean isJava(String frame) {
        return frame.startsWith("java/") || frame.startsWith("org/") || frame.startsWith("io/");
    }

    private static String codeOfNativeThread(List<String> fromLeaf) {
        for (String frame : fromLeaf) {
            if (frame.contains("rocksdb")) {
                return ROCKSDB_BACKGROUND;
            }
            if (frame.contains("CompileBroker") || frame.contains("CompilerThread")) {
                return JIT;
            }
            if (frame.startsWith("G1")
                    || frame.contains("GangWorker")
                    || frame.contains("GCTask")) {
                return GC;
            }
        }
        return REST;
    }

    private static Map<String, List<String>> packages() {
        Map<String, List<String>> packages = new LinkedHashMap<>();
        packages.put(ROCKSDB_CALLS, List.of("org/rocksdb/"));
        packages.put(
                SOURCE,
                List.of(
                        "io/stateaccel/nexmark/connector/",
                        "io/stateaccel/nexmark/generator/",
                        "io/stateaccel/nexmark/checksum/"));
        packages.put(
                EXCHANGE,
                List.of(
                        "org/apache/flink/runtime/io/network/",
                        "org/apache/flink/streaming/runtime/io/",
                        "org/apache/flink/runtime/plugable/"));
        packages.put(
                SERIALISATION,
                List.of(
                        "org/apache/flink/table/data/",
                        "org/apache/flink/table/runtime/typeutils/",
                        "org/apache/flink/table/runtime/util/",
                        "org/apache/flink/api/common/typeutils/",
                        "org/apache/flink/api/java/typeutils/",
                        "org/apache/flink/core/memory/",
                        "org/apache/flink/runtime/state/",
                        "org/apache/flink/state/"));
        packages.put(
                OPERATORS,
                List.of(
                        "io/stateaccel/",
                        "org/apache/flink/table/runtime/",
                        "org/apache/flink/streaming/"));
        return packages;
    }
}
