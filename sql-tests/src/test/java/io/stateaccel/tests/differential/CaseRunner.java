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
package io.stateaccel.tests.differential;

import io.stateaccel.tests.differential.CasePlanner.Pipeline;
import io.stateaccel.tests.differential.Variant.Ending;
import io.stateaccel.tests.differential.Variant.Phase;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import javax.annotation.Nullable;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.client.JobCancellationException;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.FileUtils;
import org.apache.flink.util.function.FunctionWithException;
import org.apache.flink.util.function.ThrowingConsumer;

/**
 * Runs cases through SQL on the mini cluster of the calling test. The cases of one call share a
 * job: a job costs more than what a case computes.
 */
public final class CaseRunner {

    /** Far longer than anything takes, even on a busy machine. */
    static final Duration PATIENCE = Duration.ofMinutes(2);

    /**
     * What Flink says, to jobs of its own operators too, when it restores rows that were in flight
     * at another parallelism: between tasks that are not all connected with one another, and, until
     * FLINK-38483, to one input of a task that has another without any.
     */
    private static final List<String> FLINK_CANNOT_RESCALE =
            List.of(
                    "Cannot rescale the given pointwise partitioner",
                    "Cannot get old subtasks from a descriptor that represents no state");

    /**
     * A plan has a source of rows of its own, which is done at once: no checkpoint can be taken any
     * more.
     */
    private static final class NoCheckpointsException extends IllegalStateException {

        private static final long serialVersionUID = 1L;

        NoCheckpointsException(Pipeline pipeline) {
            super("A source is done at once in " + pipeline.testCase());
        }
    }

    private final MiniCluster cluster;
    private final Path snapshots;
    private final List<URL> classPath;
    @Nullable private final CompiledCases compiled;

    /**
     * @param snapshots folder for checkpoints and savepoints, deleted after each run
     */
    public CaseRunner(MiniCluster cluster, Path snapshots) {
        this(cluster, snapshots, List.of());
    }

    /**
     * @param classPath where the tasks of accelerated jobs find classes before they look into the
     *     class path of the test
     */
    CaseRunner(MiniCluster cluster, Path snapshots, List<URL> classPath) {
        this(cluster, snapshots, classPath, null);
    }

    private CaseRunner(
            MiniCluster cluster,
            Path snapshots,
            List<URL> classPath,
            @Nullable CompiledCases compiled) {
        this.cluster = cluster;
        this.snapshots = snapshots;
        this.classPath = classPath;
        this.compiled = compiled;
    }

    /** One whose accelerated cases are executed from compiled plans. */
    public CaseRunner compiling(CompiledCases cases) {
        return new CaseRunner(cluster, snapshots, classPath, cases);
    }

    /**
     * What one run gave for one case.
     *
     * @param operators names and descriptions of the operators of the job
     * @param stockNodes what the planner has said about nodes that it left stock
     * @param rows how often each row is in the final result; a negative count means that a row was
     *     taken back more often than it was sent
     * @param upserted the rows that a reader of upserts has in the end, counted likewise; empty
     *     where there is no upsert key
     */
    public record Outcome(
            List<String> operators,
            List<String> stockNodes,
            Map<String, Integer> rows,
            Optional<Map<String, Integer>> upserted) {}

    /** Runs one case by itself. */
    Outcome run(DifferentialCase testCase, Variant variant) throws Exception {
        return run(List.of(testCase), variant).get(testCase.seed());
    }

    /** Runs cases side by side and returns what they gave, by seed. */
    public Map<Long, Outcome> run(List<DifferentialCase> cases, Variant variant) throws Exception {
        try {
            return withPlayback(
                    playback ->
                            play(cases, variant, variant.phases(), playback, 0, null).outcomes());
        } catch (NoCheckpointsException e) {
            if (cases.size() == 1) {
                System.out.println("Undisturbed: " + e.getMessage());
                return run(cases, variant.undisturbed());
            }
            Map<Long, Outcome> outcomes = new HashMap<>();
            for (DifferentialCase testCase : cases) {
                outcomes.put(testCase.seed(), run(testCase, variant));
            }
            return outcomes;
        } catch (Exception e) {
            // Whether rows are in flight there is chance.
            if (variant.unaligned()
                    && FLINK_CANNOT_RESCALE.stream()
                            .anyMatch(
                                    said ->
                                            ExceptionUtils.findThrowableWithMessage(e, said)
                                                    .isPresent())) {
                return run(cases, variant.aligned());
            }
            throw e;
        }
    }

    /**
     * Runs the first job of a variant, which ends with a savepoint.
     *
     * @param keeper what is to be done with the savepoint's folder while it is there
     */
    public void runToSavepoint(
            List<DifferentialCase> cases, Variant variant, ThrowingConsumer<Path, Exception> keeper)
            throws Exception {
        withPlayback(
                playback -> {
                    List<Phase> first = variant.phases().subList(0, 1);
                    String savepoint = play(cases, variant, first, playback, 0, null).snapshot;
                    keeper.accept(Path.of(URI.create(savepoint)));
                    return null;
                });
    }

    /** Runs the jobs of a variant that come after the first, from the savepoint of that one. */
    public Map<Long, Outcome> runFromSavepoint(
            List<DifferentialCase> cases, Variant variant, Path savepoint) throws Exception {
        return withPlayback(
                playback -> {
                    // Where the first job ended is where all sources are released from now on.
                    playback.release();
                    List<Phase> rest = variant.phases().subList(1, variant.phases().size());
                    return play(cases, variant, rest, playback, 1, savepoint.toUri().toString())
                            .outcomes();
                });
    }

    /** Returns the last job. */
    private Job play(
            List<DifferentialCase> cases,
            Variant variant,
            List<Phase> phases,
            Playback playback,
            int hold,
            String snapshot)
            throws Exception {
        // A savepoint that is kept, or read by another plan, has the ids that Flink gives.
        boolean idsOfOurs = phases.equals(variant.phases()) && variant.hasOnePlan();
        Job job = null;
        for (Phase phase : phases) {
            job =
                    new Job(
                            cases,
                            variant,
                            phase,
                            idsOfOurs,
                            playback,
                            job == null ? hold : job.hold,
                            job == null ? snapshot : job.snapshot);
            job.snapshot = job.run();
        }
        return job;
    }

    private <T> T withPlayback(FunctionWithException<Playback, T, Exception> action)
            throws Exception {
        Playback playback = new Playback();
        Files.createDirectories(snapshots);
        try {
            return action.apply(playback);
        } finally {
            playback.forget();
            // A checkpoint that was aborted may still be written. What cannot be deleted now can
            // be after the next run, or at the end of the test, whose folder this is in.
            FileUtils.deleteDirectoryQuietly(snapshots.toFile());
        }
    }

    /** One phase of a variant. */
    private final class Job {

        private final List<DifferentialCase> cases;
        private final Variant variant;
        private final Phase phase;
        private final boolean idsOfOurs;
        private final Playback playback;
        private final String restoredFrom;
        private final List<Pipeline> pipelines = new ArrayList<>();

        private int hold;

        /** What the job has left behind. */
        private String snapshot;

        private JobClient client;

        Job(
                List<DifferentialCase> cases,
                Variant variant,
                Phase phase,
                boolean idsOfOurs,
                Playback playback,
                int hold,
                String restoredFrom) {
            this.cases = cases;
            this.variant = variant;
            this.phase = phase;
            this.idsOfOurs = idsOfOurs;
            this.playback = playback;
            this.hold = hold;
            this.restoredFrom = restoredFrom;
        }

        /** Returns where the next phase goes on from, null when there is nothing left to do. */
        String run() throws Exception {
            playback.nextJob();
            StreamExecutionEnvironment environment =
                    StreamExecutionEnvironment.getExecutionEnvironment(configuration());
            environment.setParallelism(phase.parallelism());
            CasePlanner planner = new CasePlanner(variant, phase, idsOfOurs, playback, compiled);
            for (DifferentialCase testCase : cases) {
                Pipeline pipeline = planner.plan(environment, testCase);
                if (variant.isDisturbed() && pipeline.hasRowsOfItsOwn()) {
                    throw new NoCheckpointsException(pipeline);
                }
                pipelines.add(pipeline);
            }
            client = environment.executeAsync(variant.toString());
            try {
                return play();
            } catch (Exception e) {
                try {
                    if (!hasEnded()) {
                        cancel();
                    }
                } catch (Exception stuck) {
                    e.addSuppressed(stuck);
                    throw e;
                }
                // A job that fails says more than whoever waited for it in vain.
                throw failureOfTheJob(e);
            }
        }

        private String play() throws Exception {
            if (phase.failing()) {
                awaitHold();
                takeCheckpoint();
                playback.failAfter(1 + rowsUntilNextHold() / 2);
                releaseHold();
                playback.awaitFailure(this::hasEnded);
            }
            String snapshot = end();
            if ((phase.failing() || restoredFrom != null) && playback.takeReadersRestored() == 0) {
                throw new IllegalStateException("The job was to restore rows and did not");
            }
            return snapshot;
        }

        private String end() throws Exception {
            if (phase.ending() == Ending.END_OF_INPUT) {
                client.getJobExecutionResult().get(patience(), TimeUnit.MILLISECONDS);
                return null;
            }
            awaitHold();
            String snapshot;
            if (phase.ending() == Ending.CHECKPOINT) {
                snapshot = takeCheckpoint();
                cancel();
            } else {
                snapshot =
                        client.stopWithSavepoint(
                                        false,
                                        snapshots.toUri().toString(),
                                        phase.ending().savepointFormat())
                                .get(patience(), TimeUnit.MILLISECONDS);
                awaitEnd();
            }
            releaseHold();
            return snapshot;
        }

        /** Returns where it is. */
        private String takeCheckpoint() throws Exception {
            return CheckpointRequest.send(() -> cluster.triggerCheckpoint(client.getJobID()))
                    .get(patience(), TimeUnit.MILLISECONDS);
        }

        /** Some sources are there, by turns from one of them to all; all tasks are running. */
        private void awaitHold() throws Exception {
            int arrivals = 1 + (int) (cases.get(0).seed() % sources().size());
            playback.awaitArrivals(arrivals, this::hasEnded);
            while (!isRunning(cluster.getExecutionGraph(client.getJobID()).get())) {
                if (hasEnded()) {
                    throw new IllegalStateException("The job has ended before it was meant to");
                }
                Thread.sleep(5);
            }
        }

        private void releaseHold() {
            hold++;
            playback.release();
        }

        private boolean hasEnded() {
            return client.getJobExecutionResult().isDone();
        }

        private void cancel() throws Exception {
            // Refused when the job comes to its end just now.
            client.cancel()
                    .handle((cancelled, refused) -> null)
                    .get(patience(), TimeUnit.MILLISECONDS);
            awaitEnd();
        }

        private void awaitEnd() throws Exception {
            client.getJobExecutionResult()
                    .handle((result, cancelled) -> null)
                    .get(patience(), TimeUnit.MILLISECONDS);
        }

        /** Of a job that has ended. */
        private Exception failureOfTheJob(Exception seen) throws InterruptedException {
            try {
                client.getJobExecutionResult().get();
            } catch (ExecutionException e) {
                if (ExceptionUtils.findThrowable(e, JobCancellationException.class).isEmpty()) {
                    return e;
                }
            }
            return seen;
        }

        /** Tables that are really read: the planner leaves out what has no influence. */
        private Set<String> sources() {
            return pipelines.stream()
                    .flatMap(pipeline -> pipeline.sources().stream())
                    .collect(Collectors.toSet());
        }

        /** Rows that are certain to come before sources stop again. */
        private int rowsUntilNextHold() {
            int rows = 0;
            for (DifferentialCase testCase : cases) {
                for (TestTable table : testCase.tables()) {
                    if (!sources().contains(CasePlanner.sourceName(testCase, table))) {
                        continue;
                    }
                    int[] holds = CasePlanner.holds(table, variant);
                    int next = hold + 1 < holds.length ? holds[hold + 1] : table.changelog().size();
                    rows += next - holds[hold];
                }
            }
            return rows;
        }

        private Configuration configuration() {
            Configuration configuration = new Configuration();
            configuration.set(ExecutionOptions.RUNTIME_MODE, RuntimeExecutionMode.STREAMING);
            configuration.set(StateBackendOptions.STATE_BACKEND, phase.backend());
            configuration.set(
                    CheckpointingOptions.CHECKPOINTS_DIRECTORY, snapshots.toUri().toString());
            // Checkpoints are taken when the test says so.
            configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofDays(1));
            // Or the end of the input would wait for one more of them.
            configuration.set(CheckpointingOptions.ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH, false);
            configuration.set(
                    CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                    ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
            configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
            configuration.set(CheckpointingOptions.ENABLE_UNALIGNED, variant.unaligned());
            configuration.set(PipelineOptions.OBJECT_REUSE, variant.objectReuse());
            // The ids that Flink gives say how many operators are chained to one, which depends on
            // their parallelism.
            configuration.set(
                    PipelineOptions.OPERATOR_CHAINING, idsOfOurs || variant.phases().size() == 1);
            if (variant.accelerated() && !classPath.isEmpty()) {
                configuration.set(
                        PipelineOptions.CLASSPATHS, classPath.stream().map(URL::toString).toList());
            }
            if (restoredFrom != null) {
                configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, restoredFrom);
            }
            // One provoked failure; a second one is a bug that must end the job.
            configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
            configuration.set(
                    RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS,
                    phase.failing() ? 1 : 0);
            configuration.set(
                    RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY,
                    Duration.ofMillis(1));
            phase.options().forEach(configuration::setString);
            return configuration;
        }

        Map<Long, Outcome> outcomes() {
            Map<Long, Outcome> outcomes = new LinkedHashMap<>();
            for (Pipeline pipeline : pipelines) {
                MaterializeOperator.Result result = pipeline.result().takeResult();
                outcomes.put(
                        pipeline.testCase().seed(),
                        new Outcome(
                                pipeline.operators(),
                                pipeline.stockNodes(),
                                result.counts(),
                                Optional.ofNullable(result.upserted()).map(Job::counted)));
            }
            return outcomes;
        }

        private static Map<String, Integer> counted(Collection<String> rows) {
            Map<String, Integer> counts = new TreeMap<>();
            rows.forEach(row -> counts.merge(row, 1, Integer::sum));
            return counts;
        }
    }

    private static boolean isRunning(AccessExecutionGraph graph) {
        return StreamSupport.stream(graph.getAllExecutionVertices().spliterator(), false)
                .map(AccessExecutionVertex::getExecutionState)
                .allMatch(
                        state ->
                                state == ExecutionState.RUNNING
                                        || state == ExecutionState.FINISHED);
    }

    private static long patience() {
        return PATIENCE.toMillis();
    }
}
