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
import io.stateaccel.rocksdb.testing.CountingOperator;
import io.stateaccel.rocksdb.testing.CountingOperator.Counts;
import io.stateaccel.rocksdb.testing.FailingSource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.ReduceFunction;
import org.apache.flink.api.common.state.AggregatingState;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.windowing.WindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A DataStream program with all kinds of cached state, timers, session and sliding windows, that
 * fails again and again between checkpoints: its result is that of the same program on Flink's
 * hashmap backend without a failure. So nothing is lost and nothing is applied twice.
 */
class CachedStateJobTest {

    private static final int PARALLELISM = 2;
    private static final int FAILURES = 3;
    private static final String SESSION = "session";

    /** Whether values are in blob files, and how checkpoints carry those. */
    private enum Values {
        TOGETHER,
        SEPARATED,
        SEPARATED_WITH_LOCAL_RECOVERY,
        SEPARATED_WITH_MERGED_FILES
    }

    @RegisterExtension static final MiniClusterExtension CLUSTER = cluster();

    private static Counts expected;

    @TempDir private Path directory;

    @ParameterizedTest
    @CsvSource({
        "2kb, false, false, false, TOGETHER",
        "2kb, true, true, false, TOGETHER",
        "64mb, false, true, false, TOGETHER",
        "0, false, false, false, TOGETHER",
        "16kb, true, false, true, TOGETHER",
        "2kb, false, false, false, SEPARATED",
        "2kb, false, false, false, SEPARATED_WITH_LOCAL_RECOVERY",
        "0, false, true, false, SEPARATED_WITH_MERGED_FILES",
        "2kb, false, false, true, SEPARATED"
    })
    void resultIsThatOfAnUndisturbedRunOnTheHeap(
            String cacheSize,
            boolean objectReuse,
            boolean unaligned,
            boolean changelog,
            Values values)
            throws Exception {
        if (expected == null) {
            expected = run(config("hashmap", "0"), 0, true);
            assertThat(expected.rows()).hasSizeGreaterThan(5_000);
        }
        Configuration config =
                config(StateAccelRocksDBStateBackendFactory.class.getName(), cacheSize);
        config.set(PipelineOptions.OBJECT_REUSE, objectReuse);
        config.set(CheckpointingOptions.ENABLE_UNALIGNED, unaligned);
        config.set(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG, changelog);
        config.set(StateChangelogOptions.PERIODIC_MATERIALIZATION_INTERVAL, Duration.ofMillis(100));
        if (values != Values.TOGETHER) {
            config.set(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE, new MemorySize(1));
        }
        boolean local = values == Values.SEPARATED_WITH_LOCAL_RECOVERY;
        config.set(CheckpointingOptions.LOCAL_BACKUP_ENABLED, local);
        config.set(StateRecoveryOptions.LOCAL_RECOVERY, local);
        config.set(
                CheckpointingOptions.FILE_MERGING_ENABLED,
                values == Values.SEPARATED_WITH_MERGED_FILES);
        // Replaying merged windows from a changelog fails in Flink: it lacks the user's function.
        boolean sessions = !changelog;
        assertThat(run(config, FAILURES, sessions).rows())
                .isEqualTo(sessions ? expected.rows() : expected.withoutRowsOf(SESSION));
    }

    private Configuration config(String backend, String cacheSize) {
        Configuration config = new Configuration();
        config.set(StateBackendOptions.STATE_BACKEND, backend);
        config.set(StateAccelOptions.CACHE_SIZE, MemorySize.parse(cacheSize));
        config.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, directory.toUri().toString());
        config.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(20));
        config.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
        config.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, FAILURES);
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(1));
        return config;
    }

    @SuppressWarnings("deprecation")
    private static Counts run(Configuration config, int failures, boolean sessions)
            throws Exception {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(config);
        environment.setParallelism(PARALLELISM);
        FailingSource source = new FailingSource(failures);
        KeyedStream<Tuple2<Integer, Long>, Integer> events =
                environment
                        .addSource(source, "events", Types.TUPLE(Types.INT, Types.LONG))
                        .setParallelism(1)
                        .keyBy(event -> event.f0, Types.INT);
        DataStream<String> joined = events.process(new Samples());
        DataStream<String> sliding =
                events.window(
                                SlidingEventTimeWindows.of(
                                        Duration.ofMillis(300), Duration.ofMillis(100)))
                        .reduce(
                                (left, right) -> Tuple2.of(left.f0, left.f1 + right.f1),
                                new Describe<>("sliding"),
                                Types.STRING);
        CountingOperator counting = new CountingOperator();
        DataStream<String> all = joined.union(sliding);
        if (sessions) {
            all =
                    all.union(
                            events.window(EventTimeSessionWindows.withGap(Duration.ofMillis(40)))
                                    .aggregate(
                                            new Numbers(),
                                            new Describe<>(SESSION),
                                            Types.LIST(Types.LONG),
                                            Types.STRING));
        }
        all.transform("result", Types.STRING, counting).setParallelism(1);
        environment.execute();
        assertThat(source.takeFailures()).isEqualTo(failures);
        return counting.takeResult();
    }

    private static MiniClusterExtension cluster() {
        Configuration config = new Configuration();
        config.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(128));
        return new MiniClusterExtension(
                new MiniClusterResourceConfiguration.Builder()
                        .setConfiguration(config)
                        .setNumberTaskManagers(1)
                        .setNumberSlotsPerTaskManager(PARALLELISM)
                        .build());
    }

    /** Gathers what comes for a key, until a timer emits it and mostly clears it. */
    private static final class Samples
            extends KeyedProcessFunction<Integer, Tuple2<Integer, Long>, String> {

        private static final long serialVersionUID = 1L;

        private transient ValueState<List<Long>> numbers;
        private transient ValueState<Long> timer;
        private transient ReducingState<Long> largest;
        private transient AggregatingState<Tuple2<Integer, Long>, List<Long>> distinct;

        @Override
        public void open(OpenContext context) {
            TypeInformation<List<Long>> list = Types.LIST(Types.LONG);
            numbers = getRuntimeContext().getState(new ValueStateDescriptor<>("numbers", list));
            timer = getRuntimeContext().getState(new ValueStateDescriptor<>("timer", Types.LONG));
            ReducingStateDescriptor<Long> largestDescriptor =
                    new ReducingStateDescriptor<>(
                            "largest", (ReduceFunction<Long>) Math::max, Types.LONG);
            largestDescriptor.enableTimeToLive(
                    StateTtlConfig.newBuilder(Duration.ofDays(1)).build());
            largest = getRuntimeContext().getReducingState(largestDescriptor);
            distinct =
                    getRuntimeContext()
                            .getAggregatingState(
                                    new AggregatingStateDescriptor<>(
                                            "distinct", new Numbers(), list));
        }

        @Override
        public void processElement(
                Tuple2<Integer, Long> event, Context context, Collector<String> out)
                throws Exception {
            List<Long> gathered = numbers.value();
            if (gathered == null) {
                gathered = new ArrayList<>();
            }
            gathered.add(event.f1);
            numbers.update(gathered);
            largest.add(event.f1);
            distinct.add(event);
            if (timer.value() == null) {
                long time = context.timestamp() + 70;
                context.timerService().registerEventTimeTimer(time);
                timer.update(time);
            }
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<String> out)
                throws Exception {
            out.collect(
                    context.getCurrentKey()
                            + " "
                            + numbers.value()
                            + " "
                            + largest.get()
                            + " "
                            + distinct.get());
            timer.clear();
            if (time % 3 != 0) {
                numbers.clear();
                distinct.clear();
            }
            if (time % 30 == 0) {
                largest.clear();
            }
        }
    }

    private static final class Numbers
            implements AggregateFunction<Tuple2<Integer, Long>, List<Long>, List<Long>> {

        private static final long serialVersionUID = 1L;

        @Override
        public List<Long> createAccumulator() {
            return new ArrayList<>();
        }

        @Override
        public List<Long> add(Tuple2<Integer, Long> event, List<Long> accumulator) {
            accumulator.add(event.f1);
            return accumulator;
        }

        @Override
        public List<Long> getResult(List<Long> accumulator) {
            return accumulator.stream().sorted().toList();
        }

        @Override
        public List<Long> merge(List<Long> left, List<Long> right) {
            left.addAll(right);
            return left;
        }
    }

    private static final class Describe<T>
            implements WindowFunction<T, String, Integer, TimeWindow> {

        private static final long serialVersionUID = 1L;

        private final String name;

        Describe(String name) {
            this.name = name;
        }

        @Override
        public void apply(
                Integer key, TimeWindow window, Iterable<T> results, Collector<String> out) {
            for (T result : results) {
                out.collect(name + " " + key + " " + window + " " + result);
            }
        }
    }
}
