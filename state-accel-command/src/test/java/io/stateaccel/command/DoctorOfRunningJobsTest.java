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
package io.stateaccel.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.stateaccel.command.job.Bottleneck;
import io.stateaccel.command.job.Diagnosis;
import io.stateaccel.command.job.JobReader;
import io.stateaccel.command.job.JobReport;
import io.stateaccel.command.job.JobSample;
import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.flink.testing.PlainSink;
import io.stateaccel.rocksdb.StateAccelRocksDBStateBackendFactory;
import io.stateaccel.rocksdb.disk.DiskActivity;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimitedSourceReader;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.state.rocksdb.RocksDBOptions;
import org.apache.flink.state.rocksdb.RocksDBOptionsFactory;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.InjectClusterRESTAddress;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;

/**
 * Situations that are real: jobs on a cluster, read by its REST API while they run. Those that
 * cannot be had on one machine are in {@code DiagnosisTest}.
 */
class DoctorOfRunningJobsTest {

    private static final int PARALLELISM = 4;
    private static final int SECONDS = 5;
    private static final long KEYS = 60_000;

    /** State has to grow first, and a job's first seconds are those of the compiler. */
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setConfiguration(clusterConfiguration())
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(PARALLELISM)
                            .build());

    @TempDir private Path directory;

    private final Configuration config = new Configuration();
    private StreamExecutionEnvironment environment;
    private JobClient job;

    private static Configuration clusterConfiguration() {
        Configuration configuration = new Configuration();
        configuration.set(MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL, Duration.ofMillis(100));
        return configuration;
    }

    /** Until the tasks have ended: before that they still write into the directory. */
    @AfterEach
    void cancel() throws Exception {
        if (job != null) {
            job.cancel().get();
            job.getJobExecutionResult().handle((result, cancelled) -> cancelled).get();
        }
    }

    @Test
    void healthy(@InjectClusterRESTAddress URI rest) throws Exception {
        run(keyed(numbers(environment(2), new LimitedNumbers()), new Working(0)));

        CommandRun command = doctor(rest);
        long giveUp = System.nanoTime() + PATIENCE.toNanos();
        while (command.exitCode() != 0 && System.nanoTime() < giveUp) {
            again(command);
            command = doctor(rest);
        }
        assertThat(command.out())
                .as(command.err())
                .contains("(" + job.getJobID() + ")")
                .containsPattern("\nworking.* 2 +[\\d,]+ +\\d+ % +0 %\n")
                .contains("\nBottleneck: none")
                .contains("no task makes another wait");
        assertThat(command.exitCode()).isZero();
    }

    @Test
    void slowSource(@InjectClusterRESTAddress URI rest) throws Exception {
        DataStream<Long> source =
                numbers(environment(2), new NumberSequenceSource(0, Long.MAX_VALUE - 1))
                        .map(DoctorOfRunningJobsTest::slowly, Types.LONG);
        run(keyed(source, new Working(0)));

        Diagnosis diagnosis = examinedUntil(rest, Bottleneck.SOURCE);
        assertThat(diagnosis.bottleneck()).isEqualTo(Bottleneck.SOURCE);
        assertThat(diagnosis.where().orElseThrow()).startsWith("Source: numbers");
    }

    @Test
    void slowSink(@InjectClusterRESTAddress URI rest) throws Exception {
        keyed(numbers(environment(2)), new Working(0))
                .rebalance()
                .sinkTo(new SlowSink())
                .name("slow")
                .disableChaining();
        start();

        Diagnosis diagnosis = examinedUntil(rest, Bottleneck.SINK);
        assertThat(diagnosis.bottleneck()).isEqualTo(Bottleneck.SINK);
        assertThat(diagnosis.where()).contains("slow: Writer");
        CommandRun command =
                CommandRun.of("doctor", "--rest", rest + "/", "--job", job.getJobID().toString());
        assertThat(command.out()).contains("Bottleneck: the sink, at 'slow: Writer'");
        assertThat(command.exitCode()).isEqualTo(1);
    }

    @Test
    void slowFunction(@InjectClusterRESTAddress URI rest) throws Exception {
        run(keyed(numbers(environment(2)), new Working(1_000_000)));

        Diagnosis diagnosis = examinedUntil(rest, Bottleneck.COMPUTATION);
        assertThat(diagnosis.bottleneck()).isEqualTo(Bottleneck.COMPUTATION);
        assertThat(diagnosis.where().orElseThrow()).startsWith("working");
    }

    @Test
    void hotKey(@InjectClusterRESTAddress URI rest) throws Exception {
        DataStream<Long> skewed =
                numbers(environment(PARALLELISM)).map(n -> n % 10 == 0 ? n : 7, Types.LONG);
        run(keyed(skewed, new Working(100_000)));

        Diagnosis diagnosis = examinedUntil(rest, Bottleneck.HOT_KEY);
        assertThat(diagnosis.bottleneck()).isEqualTo(Bottleneck.HOT_KEY);
        assertThat(diagnosis.evidence()).anyMatch(figure -> figure.contains("rows a second"));
    }

    @Test
    void memoryTooSmallForTheState(@InjectClusterRESTAddress URI rest) throws Exception {
        largeState();
        run(keyed(scattered(environment(1)), new Remembering(false)));

        Diagnosis diagnosis = examinedUntil(rest, Bottleneck.CACHE);
        assertThat(diagnosis.bottleneck()).isEqualTo(Bottleneck.CACHE);
        assertThat(diagnosis.evidence().toString()).contains("the page cache has the files");
    }

    /** Past the page cache, so that each block comes from the device. */
    @Test
    void stateOnDisk(@InjectClusterRESTAddress URI rest) throws Exception {
        assumeThat(DiskActivity.of(directory)).isPresent();
        largeState();
        config.set(RocksDBOptions.OPTIONS_FACTORY, PastThePageCache.class.getName());
        run(keyed(scattered(environment(1)), new Remembering(false)));

        Diagnosis diagnosis = examinedUntil(rest, Bottleneck.DISK);
        assertThat(diagnosis.bottleneck()).isEqualTo(Bottleneck.DISK);
        assertThat(diagnosis.evidence().toString()).contains("the device does");
    }

    @Test
    void compactionsThatDoNotKeepUp(@InjectClusterRESTAddress URI rest) throws Exception {
        largeState();
        config.set(RocksDBOptions.OPTIONS_FACTORY, SlowedDown.class.getName());
        run(keyed(scattered(environment(1)), new Remembering(true)));

        Diagnosis diagnosis = examinedUntil(rest, Bottleneck.COMPACTION);
        assertThat(diagnosis.bottleneck()).isEqualTo(Bottleneck.COMPACTION);
        assertThat(diagnosis.evidence().toString()).contains("stall for");
    }

    @Test
    void namesTheJobsThereAre(@InjectClusterRESTAddress URI rest) throws Exception {
        JobReader reader = new JobReader(rest);
        assertThatThrownBy(() -> reader.read(Optional.empty(), 1))
                .isInstanceOf(IOException.class)
                .hasMessage("no job is running there");
        assertThatThrownBy(() -> reader.read(Optional.of("0".repeat(32)), 1))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("answers 404");
        assertThatThrownBy(
                        () ->
                                new JobReader(URI.create("http://localhost:1"))
                                        .read(Optional.empty(), 1))
                .isInstanceOf(IOException.class)
                .hasMessage("nobody answers at http://localhost:1/");
        CommandRun command = CommandRun.of("doctor", "--rest", rest.toString());
        assertThat(command.exitCode()).isEqualTo(1);
        assertThat(command.err()).endsWith("state-accel doctor: no job is running there\n");
    }

    private static CommandRun doctor(URI rest) {
        return CommandRun.of(
                "doctor", "--rest", rest.toString(), "--seconds", String.valueOf(SECONDS));
    }

    /**
     * Reads the only job until it is found to be what it is: a machine with other work to do may
     * make the job something else for some seconds, or not answer in time.
     */
    private Diagnosis examinedUntil(URI rest, Bottleneck expected) throws Exception {
        long giveUp = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            boolean isLast = System.nanoTime() > giveUp;
            try {
                Diagnosis diagnosis = examined(rest);
                if (diagnosis.bottleneck() == expected || isLast) {
                    return diagnosis;
                }
                again(diagnosis);
            } catch (IOException e) {
                if (isLast) {
                    throw e;
                }
                again(e);
            }
        }
    }

    private void again(Object answer) throws Exception {
        System.out.println("Again, as the job was " + job.getJobStatus().get() + ": " + answer);
    }

    /** Reads the only job until its tasks have been running for as long as is looked at. */
    private static Diagnosis examined(URI rest) throws Exception {
        JobSample sample = new JobReader(rest).read(Optional.empty(), SECONDS);
        Diagnosis diagnosis = Diagnosis.of(sample);
        StringWriter report = new StringWriter();
        new JobReport(sample, diagnosis).print(new PrintWriter(report));
        assertThat(report.toString())
                .contains("Bottleneck: " + diagnosis.bottleneck())
                .contains(diagnosis.bottleneck().advice());
        return diagnosis;
    }

    /** A job that has failed is no job to look at: it starts anew. */
    private StreamExecutionEnvironment environment(int parallelism) {
        config.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 1000);
        environment = StreamExecutionEnvironment.getExecutionEnvironment(config);
        environment.setParallelism(parallelism);
        return environment;
    }

    private static DataStream<Long> numbers(StreamExecutionEnvironment environment) {
        return numbers(environment, new NumberSequenceSource(0, Long.MAX_VALUE - 1));
    }

    private static DataStream<Long> numbers(
            StreamExecutionEnvironment environment, NumberSequenceSource source) {
        return environment.fromSource(
                source, WatermarkStrategy.noWatermarks(), "numbers", Types.LONG);
    }

    /** In no order, over and over. */
    private static DataStream<Long> scattered(StreamExecutionEnvironment environment) {
        return numbers(environment)
                .map(n -> Math.floorMod(n * 0x9E3779B97F4A7C15L >>> 20, KEYS), Types.LONG);
    }

    private static DataStream<Long> keyed(
            DataStream<Long> numbers, KeyedProcessFunction<Long, Long, Long> function) {
        return numbers.keyBy(n -> n, Types.LONG).process(function, Types.LONG).name("working");
    }

    private void run(DataStream<Long> results) throws Exception {
        results.sinkTo(new DiscardingSink<>());
        start();
    }

    private void start() throws Exception {
        job = environment.executeAsync();
        while (job.getJobStatus().get() != JobStatus.RUNNING) {
            Thread.sleep(10);
        }
    }

    /** More state than RocksDB has memory for. */
    private void largeState() {
        config.set(
                StateBackendOptions.STATE_BACKEND,
                StateAccelRocksDBStateBackendFactory.class.getName());
        config.set(RocksDBOptions.LOCAL_DIRECTORIES, directory.toString());
        config.set(RocksDBOptions.FIX_PER_SLOT_MEMORY_SIZE, MemorySize.ofMebiBytes(4));
        config.set(StateAccelOptions.CACHE_SIZE, MemorySize.parse("64kb"));
    }

    private static long slowly(long number) {
        LockSupport.parkNanos(1_000_000);
        return number;
    }

    /** A thousand numbers a second. */
    private static final class LimitedNumbers extends NumberSequenceSource {
        private static final long serialVersionUID = 1L;

        LimitedNumbers() {
            super(0, Long.MAX_VALUE - 1);
        }

        @Override
        public SourceReader<Long, NumberSequenceSplit> createReader(SourceReaderContext context) {
            return new RateLimitedSourceReader<>(
                    super.createReader(context),
                    RateLimiterStrategy.<NumberSequenceSplit>perSecond(1000)
                            .createRateLimiter(context.currentParallelism()));
        }
    }

    /** Takes some time for each number. */
    private static final class Working extends KeyedProcessFunction<Long, Long, Long> {
        private static final long serialVersionUID = 1L;

        private final long nanos;

        Working(long nanos) {
            this.nanos = nanos;
        }

        @Override
        public void processElement(Long number, Context context, Collector<Long> out) {
            if (nanos > 0) {
                LockSupport.parkNanos(nanos);
            }
            out.collect(number);
        }
    }

    /** Remembers 500 bytes for each of many numbers; the hard part is to find them again. */
    private static final class Remembering extends KeyedProcessFunction<Long, Long, Long> {
        private static final long serialVersionUID = 1L;

        private static final int VALUE_BYTES = 500;

        private final boolean update;
        private final Random random = new Random(1);

        private transient ValueState<byte[]> memory;

        Remembering(boolean update) {
            this.update = update;
        }

        @Override
        public void open(OpenContext context) {
            memory =
                    getRuntimeContext()
                            .getState(
                                    new ValueStateDescriptor<>(
                                            "memory",
                                            PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
        }

        @Override
        public void processElement(Long number, Context context, Collector<Long> out)
                throws Exception {
            if (update || memory.value() == null) {
                byte[] value = new byte[VALUE_BYTES];
                random.nextBytes(value);
                memory.update(value);
            }
        }
    }

    /** Writes a number in a millisecond. */
    private static final class SlowSink extends PlainSink<Long> {
        private static final long serialVersionUID = 1L;

        @Override
        protected SinkWriter<Long> createWriter() {
            return new SinkWriter<>() {
                @Override
                public void write(Long number, Context context) {
                    slowly(number);
                }

                @Override
                public void flush(boolean endOfInput) {}

                @Override
                public void close() {}
            };
        }
    }

    /** Reads files without the page cache. */
    public static final class PastThePageCache implements RocksDBOptionsFactory {
        private static final long serialVersionUID = 1L;

        @Override
        public DBOptions createDBOptions(
                DBOptions options, Collection<AutoCloseable> handlesToClose) {
            return options.setUseDirectReads(true);
        }

        @Override
        public ColumnFamilyOptions createColumnOptions(
                ColumnFamilyOptions options, Collection<AutoCloseable> handlesToClose) {
            return options;
        }
    }

    /** Small memtables, and hardly any write once two of them are in level 0. */
    public static final class SlowedDown implements RocksDBOptionsFactory {
        private static final long serialVersionUID = 1L;

        @Override
        public DBOptions createDBOptions(
                DBOptions options, Collection<AutoCloseable> handlesToClose) {
            return options.setMaxBackgroundJobs(1).setDelayedWriteRate(256 << 10);
        }

        @Override
        public ColumnFamilyOptions createColumnOptions(
                ColumnFamilyOptions options, Collection<AutoCloseable> handlesToClose) {
            return options.setWriteBufferSize(64 << 10)
                    .setLevel0FileNumCompactionTrigger(2)
                    .setLevel0SlowdownWritesTrigger(2);
        }
    }
}
