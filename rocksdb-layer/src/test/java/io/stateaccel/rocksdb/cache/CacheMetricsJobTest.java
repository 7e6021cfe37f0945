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
package io.stateaccel.rocksdb.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.rocksdb.StateAccelRocksDBStateBackendFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.source.legacy.SourceFunction;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The cache's metrics on a cluster: two states and two sub-tasks of a job that fails once, counted
 * to the access, as a reporter sees them.
 */
class CacheMetricsJobTest {

    private static final int PARALLELISM = 2;
    private static final long EVENTS = 3_000;
    private static final long KEYS = 100;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int STEADY_LOOKS = 5;

    private static final InMemoryReporter REPORTER = InMemoryReporter.create();

    @RegisterExtension static final MiniClusterExtension CLUSTER = cluster();

    /** The mini cluster lives in the test's JVM. */
    private static final AtomicInteger ATTEMPTS = new AtomicInteger();

    private static volatile CountDownLatch looked;

    @TempDir private Path directory;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void areThoseOfTheRunningAttempt(boolean changelog) throws Exception {
        ATTEMPTS.set(0);
        looked = new CountDownLatch(1);
        JobClient job = submit(changelog);
        try {
            Map<String, Long> sums = sumsWhenAllIsWritten(job);

            assertThat(sums)
                    .containsEntry("count.misses", KEYS)
                    .containsEntry("count.hits", EVENTS - KEYS)
                    .containsEntry("count.absentHits", 0L)
                    .containsEntry("count.writes", EVENTS)
                    .containsEntry("count.coalescedWrites", EVENTS - KEYS)
                    .containsEntry("count.entries", KEYS)
                    .containsEntry("count.evictions", 0L)
                    .containsEntry("count.bypassSwitches", 0L)
                    .containsEntry("seen.misses", 3 * KEYS)
                    .containsEntry("seen.hits", EVENTS - 3 * KEYS)
                    .containsEntry("seen.absentHits", EVENTS / 3 - KEYS)
                    .containsEntry("seen.writes", 2 * KEYS);
            assertThat(subTasksShown(job)).containsExactly("0", "1");
            looked.countDown();
        } catch (Exception | AssertionError failure) {
            job.cancel().get();
            throw failure;
        }
        job.getJobExecutionResult().get();
        assertThat(shown(job)).isEmpty();
    }

    private static Map<String, Metric> shown(JobClient job) {
        return REPORTER.findMetrics(job.getJobID(), "state-accel");
    }

    private JobClient submit(boolean changelog) throws Exception {
        Configuration config = new Configuration();
        config.set(
                StateBackendOptions.STATE_BACKEND,
                StateAccelRocksDBStateBackendFactory.class.getName());
        config.set(StateAccelOptions.CACHE_SIZE, MemorySize.ofMebiBytes(8));
        config.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, directory.toUri().toString());
        config.set(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG, changelog);
        // At a random time it would write the cache back.
        config.set(StateChangelogOptions.PERIODIC_MATERIALIZATION_ENABLED, false);
        config.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 1);
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(1));
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(config);
        environment.setParallelism(PARALLELISM);
        environment
                .addSource(new Events(), "events", Types.LONG)
                .setParallelism(1)
                .keyBy(event -> event % KEYS, Types.LONG)
                .process(new Counting(), Types.LONG)
                .name("counting")
                .sinkTo(new DiscardingSink<>());
        return environment.executeAsync();
    }

    /** The metrics of the last attempt, by state and name, summed over the sub-tasks. */
    private static Map<String, Long> sumsWhenAllIsWritten(JobClient job) throws Exception {
        long giveUp = System.nanoTime() + PATIENCE.toNanos();
        Map<String, Long> sums = Map.of();
        int looksThatSawTheSame = 0;
        while (looksThatSawTheSame < STEADY_LOOKS) {
            assertThat(System.nanoTime()).isLessThan(giveUp);
            Thread.sleep(50);
            Map<String, Long> now = sums(job);
            boolean allWritten =
                    ATTEMPTS.get() == 2 && now.getOrDefault("count.writes", 0L) >= EVENTS;
            // The last event may still be on its way through the counters.
            looksThatSawTheSame = allWritten && now.equals(sums) ? looksThatSawTheSame + 1 : 0;
            sums = now;
        }
        return sums;
    }

    private static Map<String, Long> sums(JobClient job) {
        Map<String, Long> sums = new HashMap<>();
        shown(job)
                .forEach(
                        (name, metric) -> {
                            String[] parts = name.split("\\.state-accel\\.cache\\.state_name\\.");
                            if (parts.length == 2) {
                                sums.merge(parts[1], value(metric), Long::sum);
                            }
                        });
        return sums;
    }

    private static long value(Metric gauge) {
        return ((Number) ((Gauge<?>) gauge).getValue()).longValue();
    }

    private static Set<String> subTasksShown(JobClient job) {
        Set<String> subTasks = new TreeSet<>();
        for (String name : shown(job).keySet()) {
            int end = name.indexOf(".state-accel.cache.budgetBytes");
            if (end >= 0) {
                subTasks.add(name.substring(name.lastIndexOf('.', end - 1) + 1, end));
            }
        }
        return subTasks;
    }

    private static MiniClusterExtension cluster() {
        Configuration config = new Configuration();
        config.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(128));
        REPORTER.addToConfiguration(config);
        return new MiniClusterExtension(
                new MiniClusterResourceConfiguration.Builder()
                        .setConfiguration(config)
                        .setNumberTaskManagers(1)
                        .setNumberSlotsPerTaskManager(PARALLELISM)
                        .build());
    }

    /** Emits all events, fails half way the first time, and ends when the test has looked. */
    @SuppressWarnings("deprecation")
    private static final class Events implements SourceFunction<Long> {

        private static final long serialVersionUID = 1L;

        private volatile boolean running = true;

        @Override
        public void run(SourceContext<Long> context) throws Exception {
            boolean first = ATTEMPTS.incrementAndGet() == 1;
            for (long event = 0; event < EVENTS; event++) {
                if (first && event == EVENTS / 2) {
                    throw new IllegalStateException("Failure provoked by the test");
                }
                synchronized (context.getCheckpointLock()) {
                    context.collect(event);
                }
            }
            while (running && looked.getCount() > 0) {
                Thread.sleep(1);
            }
        }

        @Override
        public void cancel() {
            running = false;
        }
    }

    private static final class Counting extends KeyedProcessFunction<Long, Long, Long> {

        private static final long serialVersionUID = 1L;

        private transient ValueState<Long> count;
        private transient MapState<Long, Long> seen;

        @Override
        public void open(OpenContext context) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
            seen =
                    getRuntimeContext()
                            .getMapState(new MapStateDescriptor<>("seen", Types.LONG, Types.LONG));
        }

        @Override
        public void processElement(Long event, Context context, Collector<Long> out)
                throws Exception {
            long remainder = event % 3;
            if (!seen.contains(remainder) && remainder > 0) {
                seen.put(remainder, event);
            }
            Long before = count.value();
            count.update(before == null ? 1 : before + 1);
        }
    }
}
