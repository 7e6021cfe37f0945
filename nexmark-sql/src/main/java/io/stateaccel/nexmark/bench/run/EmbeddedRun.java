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
package io.stateaccel.nexmark.bench.run;

import com.sun.management.OperatingSystemMXBean;
import io.stateaccel.nexmark.bench.common.Json;
import io.stateaccel.nexmark.bench.measure.CpuProfile;
import io.stateaccel.nexmark.bench.measure.FootprintMeter;
import io.stateaccel.nexmark.bench.measure.JobMonitor;
import io.stateaccel.nexmark.bench.measure.LatencyStats;
import io.stateaccel.nexmark.bench.measure.ProcessMeter;
import io.stateaccel.nexmark.bench.measure.ResourceUse;
import io.stateaccel.nexmark.bench.measure.Sample;
import io.stateaccel.nexmark.bench.queries.LatencyQuery;
import io.stateaccel.nexmark.bench.queries.Query;
import io.stateaccel.nexmark.bench.variants.Variant;
import io.stateaccel.nexmark.checksum.Checksum;
import io.stateaccel.planner.StateAccel;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.LongConsumer;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.JobListener;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

/**
 * Entry point of the JVM that does one embedded run, so that no run profits from what another one
 * compiled or cached, and the CPU time of the process is that of the job.
 *
 * <p>It takes what to do ({@code explain} or {@code run}), a {@link RunSpec} as JSON, a directory
 * for what it writes and, to run on a cluster that is up already, the address of its REST
 * interface. It answers on standard output with one JSON object per line, see {@link Message}.
 */
public final class EmbeddedRun {

    /** CPU time of a JVM in nanoseconds, of all JVMs with task managers when summed. */
    private static final String REMOTE_CPU = "Status.JVM.CPU.Time";

    private static final String REMOTE_GC = "Status.JVM.GarbageCollector.All.Time";

    /** Above the age that metrics have on a cluster which fetches them every 10 s, the default. */
    private static final long METRIC_AGE_MILLIS = 11_000;

    /** A recovery starts from a checkpoint of a job that has read this share of the events. */
    private static final double READ_BEFORE_RECOVERY = 0.6;

    /** How long a plan and the start of a job may take before its first row is due. */
    private static final Duration UNTIL_FIRST_ROW = Duration.ofSeconds(5);

    /**
     * A line of the answer. Exactly one field is set.
     *
     * @param progress how far a run is
     * @param plan the EXPLAIN
     * @param result the end of a run
     * @param load the end of a run under a load
     * @param error the end of a run that failed, one line
     */
    record Message(
            Progress progress, String plan, RunResult result, LoadResult load, String error) {}

    private final RunSpec spec;
    private final WorkDirectory directory;
    private final PrintStream out;

    private EmbeddedRun(RunSpec spec, WorkDirectory directory, PrintStream out) {
        this.spec = spec;
        this.directory = directory;
        this.out = out;
    }

    public static void main(String[] args) throws IOException {
        PrintStream out = System.out;
        // Standard output is for messages; whatever else prints must not end up between them.
        System.setOut(System.err);
        EmbeddedRun run =
                new EmbeddedRun(
                        Json.MAPPER.readValue(args[1], RunSpec.class),
                        new WorkDirectory(Path.of(args[2])),
                        out);
        try {
            if (args[0].equals("explain")) {
                run.explain();
            } else if (args.length > 3) {
                run.say(
                        new Message(
                                null,
                                null,
                                run.runOnRemoteCluster(URI.create(args[3])),
                                null,
                                null));
            } else {
                run.run();
            }
        } catch (Exception e) {
            e.printStackTrace();
            run.say(new Message(null, null, null, null, oneLine(e)));
            // Threads of a half-started cluster must not keep the process.
            Runtime.getRuntime().halt(1);
        }
        System.exit(0);
    }

    private void explain() throws IOException {
        say(new Message(null, explanation(), null, null, null));
    }

    private String explanation() {
        Query query = Query.named(spec.query());
        if (query.program().isPresent()) {
            return String.format(
                    "%s is a DataStream program: no plan, state backend %s%n",
                    query.name(), spec.settings().get(StateBackendOptions.STATE_BACKEND.key()));
        }
        TableEnvironment tables =
                TableEnvironment.create(
                        EnvironmentSettings.newInstance()
                                .inStreamingMode()
                                .withConfiguration(configuration())
                                .build());
        return tables.explainSql(prepare(tables, query));
    }

    private void run() throws Exception {
        Configuration configuration = configuration();
        MiniClusterConfiguration cluster =
                new MiniClusterConfiguration.Builder()
                        .setConfiguration(configuration)
                        .setNumTaskManagers(1)
                        .setNumSlotsPerTaskManager(spec.parallelism())
                        .withRandomPorts()
                        .build();
        try (MiniCluster miniCluster = new MiniCluster(cluster)) {
            miniCluster.start();
            if (spec.load() == null) {
                RunResult result = run(configuration, miniCluster);
                say(new Message(null, null, result, null, null));
            } else {
                LoadResult result = runUnderLoad(configuration, miniCluster);
                say(new Message(null, null, null, result, null));
            }
        }
    }

    private RunResult run(Configuration configuration, MiniCluster miniCluster) throws Exception {
        URI rest = miniCluster.getRestAddress().get().resolve("/");
        Session session = session(rest, configuration);
        ProcessMeter meter =
                new ProcessMeter(
                        ProcessHandle.current().pid(),
                        List.of(directory.state()),
                        directory.logs());
        // The plan is made when the job is submitted, which is no part of the job.
        Optional<CpuProfile> profile = CpuProfile.requested();
        AtSubmission before =
                new AtSubmission(
                        () -> {
                            profile.ifPresent(CpuProfile::start);
                            meter.begin();
                        });
        JobMonitor monitor = session.submit(before);
        JsonNode details = monitor.await(cap(), events -> sayProgress(meter.sample(events)));
        double cpuSeconds = (cpuNanos() - before.cpuNanos) / 1e9;
        ResourceUse resources =
                meter.end(monitor.tasks(), cpuSeconds, gcMillis() - before.gcMillis);
        if (profile.isPresent()) {
            resources = resources.withProfile(profile.get().stop(cpuSeconds));
        }
        RunResult result =
                RunResult.of(spec, monitor.wallSeconds(details), cpuSeconds, checksum(monitor))
                        .with(monitor.checkpoints(), resources, meter.samples());
        return Query.named(spec.query()).measuresRecovery()
                ? withRecovery(result, session)
                : result;
    }

    private LoadResult runUnderLoad(Configuration configuration, MiniCluster miniCluster)
            throws Exception {
        URI rest = miniCluster.getRestAddress().get().resolve("/");
        StreamTableEnvironment tables =
                StreamTableEnvironment.create(
                        StreamExecutionEnvironment.createRemoteEnvironment(
                                rest.getHost(), rest.getPort(), configuration));
        install(tables);
        String insert =
                Query.executeAllButLast(tables, LatencyQuery.named(spec.query()).statements());
        // What the planner loads and compiles is no delay for the first rows then.
        tables.explainSql(insert);
        Load load = spec.load();
        Instant start = Instant.now().plus(UNTIL_FIRST_ROW);
        load.statements(start).forEach(tables::executeSql);
        Instant from = load.from(start);
        Instant until = load.until(start);
        try (LoadMeter meter = new LoadMeter(from, until)) {
            JobMonitor monitor =
                    new JobMonitor(
                            rest,
                            tables.executeSql(insert)
                                    .getJobClient()
                                    .orElseThrow()
                                    .getJobID()
                                    .toHexString());
            FootprintMeter occupied =
                    new FootprintMeter(
                            List.of(directory.state()),
                            from,
                            Duration.ofSeconds(load.sampleSeconds()));
            LongConsumer rows =
                    read -> {
                        Instant now = Instant.now();
                        meter.sample(now, read);
                        if (load.sampleSeconds() > 0) {
                            occupied.sample(now);
                        }
                        sayProgress(new Progress(read, null));
                    };
            LatencyStats latency = null;
            if (load.drained()) {
                monitor.await(cap(), rows);
                latency = monitor.latencies();
            } else {
                monitor.runUntil(until, rows);
            }
            if (load.sampleSeconds() > 0) {
                occupied.look(Instant.now());
            }
            LoadResult result =
                    new LoadResult(
                            spec.variant(),
                            0,
                            meter.rowsPerSecond(),
                            meter.cpuSeconds(),
                            latency,
                            monitor.checkpointsSince(from),
                            occupied.footprints());
            monitor.cancel();
            return result;
        }
    }

    private RunResult runOnRemoteCluster(URI rest) throws Exception {
        Session session = session(rest, configuration());
        double cpuBefore = JobMonitor.sumOverTaskManagers(rest, REMOTE_CPU);
        double gcBefore = JobMonitor.sumOverTaskManagers(rest, REMOTE_GC);
        JobMonitor monitor = session.submit(new AtSubmission(() -> {}));
        // A job on a cluster of its own goes when this JVM is stopped; one on another's does not.
        Thread cancel = new Thread(() -> cancelQuietly(monitor));
        Runtime.getRuntime().addShutdownHook(cancel);
        List<Sample> samples = new ArrayList<>();
        long start = System.nanoTime();
        JsonNode details =
                monitor.await(
                        cap(),
                        events -> {
                            samples.add(
                                    new Sample((System.nanoTime() - start) / 1e9, events, null));
                            sayProgress(new Progress(events, null));
                        });
        Runtime.getRuntime().removeShutdownHook(cancel);
        // Else the last seconds of the job would be missing.
        Thread.sleep(METRIC_AGE_MILLIS);
        double cpuSeconds = (JobMonitor.sumOverTaskManagers(rest, REMOTE_CPU) - cpuBefore) / 1e9;
        double gcMillis = JobMonitor.sumOverTaskManagers(rest, REMOTE_GC) - gcBefore;
        return RunResult.of(spec, monitor.wallSeconds(details), cpuSeconds, checksum(monitor))
                .with(monitor.checkpoints(), ResourceUse.ofRemote((long) gcMillis), samples);
    }

    /**
     * Runs the job again up to a checkpoint in its second half, cancels it and starts it from
     * there. The result of a job too short for that stays as it is.
     */
    private RunResult withRecovery(RunResult result, Session session) throws Exception {
        JobMonitor first = session.submit(new AtSubmission(() -> {}));
        Optional<String> checkpoint =
                first.cancelAfterCheckpoint(cap(), (long) (spec.events() * READ_BEFORE_RECOVERY));
        if (checkpoint.isEmpty()) {
            return result;
        }
        session.environment.configure(
                new Configuration().set(StateRecoveryOptions.SAVEPOINT_PATH, checkpoint.get()));
        AtSubmission before = new AtSubmission(() -> {});
        JobMonitor second = session.submit(before);
        second.awaitRunning(cap());
        double seconds = (System.nanoTime() - before.nanos) / 1e9;
        second.cancel();
        return result.withRecovery(seconds);
    }

    private static void cancelQuietly(JobMonitor monitor) {
        try {
            monitor.cancel();
        } catch (IOException e) {
            System.err.println("Cannot cancel the job: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Duration cap() {
        return Duration.ofSeconds(spec.capSeconds());
    }

    private void sayProgress(Progress progress) {
        say(new Message(progress, null, null, null, null));
    }

    private List<String> statements(Query query) {
        return spec.script() == null
                ? query.statements(spec.events())
                : Query.statementsOf(spec.script());
    }

    /** What the job's only checksum table holds; nothing if its result is elsewhere, or nowhere. */
    private Checksum checksum(JobMonitor monitor) throws IOException, InterruptedException {
        return spec.script() == null && !isCeiling()
                ? monitor.checksum()
                : new Checksum(0, 0, 0, 0);
    }

    private boolean isCeiling() {
        return Variant.isCeiling(spec.variant());
    }

    /** Creates the tables and returns the INSERT. */
    private String prepare(TableEnvironment tables, Query query) {
        install(tables);
        return query.prepare(tables, statements(query));
    }

    private void install(TableEnvironment tables) {
        if (Variant.isAccelerated(spec.settings())) {
            StateAccel.install(tables);
        }
    }

    private Configuration configuration() {
        Configuration configuration = new Configuration();
        for (Map.Entry<String, String> setting : spec.settings().entrySet()) {
            configuration.setString(setting.getKey(), setting.getValue());
        }
        configuration.set(CoreOptions.DEFAULT_PARALLELISM, spec.parallelism());
        return configuration;
    }

    private void say(Message message) {
        try {
            out.println(Json.MAPPER.writeValueAsString(message));
            out.flush();
        } catch (IOException e) {
            throw new IllegalStateException("Cannot write " + message, e);
        }
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static String oneLine(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String message = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        return message.lines().findFirst().orElse(message);
    }

    private static long gcMillis() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(collector -> Math.max(0, collector.getCollectionTime()))
                .sum();
    }

    private Session session(URI rest, Configuration configuration) {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.createRemoteEnvironment(
                        rest.getHost(), rest.getPort(), configuration);
        Query query = Query.named(spec.query());
        if (query.program().isPresent()) {
            return new Session(
                    rest,
                    environment,
                    () -> {
                        query.program().get().build(environment, spec.events());
                        return environment.executeAsync(query.name());
                    });
        }
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        String insert = prepare(tables, query);
        if (isCeiling()) {
            CeilingJob.build(environment, tables, insert);
            return new Session(rest, environment, () -> environment.executeAsync(spec.variant()));
        }
        return new Session(
                rest, environment, () -> tables.executeSql(insert).getJobClient().orElseThrow());
    }

    /**
     * A place to submit the job, several times if need be.
     *
     * @param job plans and submits it
     */
    private record Session(
            URI rest, StreamExecutionEnvironment environment, Callable<JobClient> job) {

        private JobMonitor submit(JobListener listener) throws Exception {
            environment.clearJobListeners();
            environment.registerJobListener(listener);
            return new JobMonitor(rest, job.call().getJobID().toHexString());
        }
    }

    /** Notes what was used until the plan was made and the job began. */
    private static final class AtSubmission implements JobListener {

        private final Runnable alsoThen;

        private volatile long nanos;
        private volatile long cpuNanos;
        private volatile long gcMillis;

        private AtSubmission(Runnable alsoThen) {
            this.alsoThen = alsoThen;
        }

        @Override
        public void onJobSubmitted(JobClient job, Throwable failure) {
            alsoThen.run();
            nanos = System.nanoTime();
            cpuNanos = EmbeddedRun.cpuNanos();
            gcMillis = EmbeddedRun.gcMillis();
        }

        @Override
        public void onJobExecuted(JobExecutionResult result, Throwable failure) {}
    }
}
