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
package io.stateaccel.tests.load;

import static io.stateaccel.tests.cluster.FlinkDistribution.builtJar;
import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.tests.cluster.FlinkDistribution;
import io.stateaccel.tests.cluster.Nexmark;
import io.stateaccel.tests.cluster.StandaloneCluster;
import io.stateaccel.tests.cluster.SubmittedJob;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import javax.management.JMException;
import org.apache.flink.configuration.MemorySize;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * An accelerated job at full speed, with a checkpoint every second, in a task manager of limited
 * memory: after a while nothing may grow any more, neither memory nor files nor handles, and
 * RocksDB may not stall writes for long. The state of its queries ({@code load.sql}) has a bound,
 * so what grows is a leak. How much may grow is fixed: the longer the test the smaller the leak it
 * finds.
 */
class LoadIT {

    private static final int MINUTES = Integer.getInteger("stateaccel.load-minutes", 3);

    private static final Duration DURATION = Duration.ofMinutes(MINUTES);

    /** Until caches are full and code is compiled. */
    private static final Duration WARM_UP = DURATION.dividedBy(2);

    private static final int SAMPLES = 60;
    private static final Duration INTERVAL = DURATION.minus(WARM_UP).dividedBy(SAMPLES);

    private static final MemorySize PROCESS = MemorySize.ofMebiBytes(1024);

    /** What the allocator keeps for later varies by less. */
    private static final long MEMORY = PROCESS.getBytes() / 8;

    private static final long LIVE_HEAP = 16 << 20;

    /** More than come and go in a checkpoint. */
    private static final long FILES = 100;

    private static final String STALL_METRIC = "state-accel.rocksdb.stallMillis";
    private static final long STALL_MILLIS = 1000;

    /**
     * All of the heap is resident from the start: what is resident later comes from elsewhere. The
     * memory that RocksDB may have is in use soon.
     */
    private static final Map<String, String> SETTINGS =
            Map.of(
                    "taskmanager.memory.process.size", PROCESS.toString(),
                    "taskmanager.memory.managed.size", "96m",
                    "env.java.opts.taskmanager", JvmProcess.TRACKING + " -XX:+AlwaysPreTouch",
                    "execution.checkpointing.interval", "1 s",
                    "metrics.fetcher.update-interval", "500 ms");

    /**
     * Figures at a moment.
     *
     * @param stallMillis since the job was started, of the operator that has stalled longest
     */
    private record Sample(
            long resident,
            long nativeMemory,
            long liveHeap,
            long handles,
            long localFiles,
            long checkpointFiles,
            long stallMillis) {}

    @Test
    @EnabledOnOs(OS.LINUX)
    void nothingGrowsUnderLoad() throws Exception {
        FlinkDistribution distribution = FlinkDistribution.create("load");
        distribution.install(builtJar("nexmark-sql"));
        distribution.install(builtJar("flink-sql-state-accel"));
        try (StandaloneCluster cluster = StandaloneCluster.start(distribution, SETTINGS);
                JvmProcess taskManager = JvmProcess.of(cluster.taskManager())) {
            SubmittedJob job = SubmittedJob.submit(cluster, statements());
            assertThat(job.tasks().names())
                    .as("tasks")
                    .anyMatch(name -> name.contains("CachedGroupAggregate"))
                    .anyMatch(name -> name.contains("MiniBatchJoin"))
                    .anyMatch(name -> name.contains("MiniBatchDeduplicate"))
                    .anyMatch(name -> name.contains("MiniBatchRank"));
            Instant begin = Instant.now();
            Thread.sleep(WARM_UP.toMillis());
            job.await("metrics", tasks -> job.maxMetric(STALL_METRIC).isPresent());
            List<Sample> samples = new ArrayList<>();
            for (int i = 0; i <= SAMPLES; i++) {
                Instant next = begin.plus(WARM_UP).plus(INTERVAL.multipliedBy(i));
                Thread.sleep(Math.max(0, Duration.between(Instant.now(), next).toMillis()));
                samples.add(sample(cluster, job, taskManager));
            }

            long checkpoints = job.checkpoints().completed();
            System.out.printf(
                    "[load] %d minutes, %d checkpoints, %d changes%n%s%n%s%n",
                    MINUTES, checkpoints, job.changes(), samples.get(0), samples.get(SAMPLES));
            assertThat(job.failures()).isEmpty();
            assertThat(checkpoints).isGreaterThan(DURATION.toSeconds() / 10);
            assertThat(samples)
                    .extracting(Sample::resident)
                    .allMatch(bytes -> bytes < PROCESS.getBytes());
            assertBounded("resident memory", samples, Sample::resident, MEMORY);
            assertBounded("native memory of the JVM", samples, Sample::nativeMemory, MEMORY);
            assertBounded("live heap", samples, Sample::liveHeap, LIVE_HEAP);
            assertBounded("handles", samples, Sample::handles, FILES);
            assertBounded("local files", samples, Sample::localFiles, FILES);
            assertBounded("files of checkpoints", samples, Sample::checkpointFiles, FILES);
            for (int i = 1; i < samples.size(); i++) {
                assertThat(samples.get(i).stallMillis() - samples.get(i - 1).stallMillis())
                        .as("milliseconds of stalled writes between two samples")
                        .isLessThan(STALL_MILLIS);
            }
            job.cancel();
        }
    }

    private static void assertBounded(
            String what, List<Sample> samples, ToLongFunction<Sample> figure, long bound) {
        List<Long> figures = samples.stream().map(figure::applyAsLong).toList();
        double growth = Trend.growth(figures);
        System.out.printf("[load] %s: growth %,.0f of %,d%n", what, growth, bound);
        assertThat(growth).as("growth of %s: %s", what, figures).isLessThan(bound);
    }

    private static Sample sample(
            StandaloneCluster cluster, SubmittedJob job, JvmProcess taskManager)
            throws IOException, InterruptedException, JMException {
        long liveHeap = taskManager.liveHeapBytes();
        return new Sample(
                taskManager.residentBytes(),
                taskManager.nativeMemoryBytes(),
                liveHeap,
                taskManager.handles(),
                FlinkDistribution.filesBelow(cluster.distribution().runFolder().resolve("tmp"))
                        .count(),
                FlinkDistribution.filesBelow(cluster.checkpoints()).count(),
                job.maxMetric(STALL_METRIC).orElseThrow());
    }

    private static String statements() throws IOException {
        try (InputStream queries = LoadIT.class.getResourceAsStream("/load.sql")) {
            return "SET 'table.exec.state-accel.enabled' = 'true';\n"
                    + Nexmark.tables(Map.of("events.num", "0"))
                    + new String(queries.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
