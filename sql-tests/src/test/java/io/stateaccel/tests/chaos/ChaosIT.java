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
package io.stateaccel.tests.chaos;

import static io.stateaccel.tests.cluster.FlinkDistribution.builtJar;
import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.tests.chaos.ChaosRun.Round;
import io.stateaccel.tests.cluster.FlinkDistribution;
import io.stateaccel.tests.cluster.Nexmark;
import io.stateaccel.tests.cluster.StandaloneCluster;
import io.stateaccel.tests.cluster.SubmittedJob;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Does to an accelerated job and its cluster what goes wrong in production, one {@link Fault} per
 * round. After the last the job runs to its end, and then its tables have to be those of a stock
 * job that nothing disturbed: no dirty entry of a cache may get lost, and none may be applied
 * twice.
 *
 * <p>A table's checksum covers every change that the table was sent. So a query that goes on from
 * another state than the one its last change came from is found out, even where later rows make up
 * for the difference.
 */
class ChaosIT {

    private static final String ROUNDS_PROPERTY = "stateaccel.chaos-rounds";
    private static final int SAMPLE = 3;

    private static final int ROUNDS = Integer.getInteger(ROUNDS_PROPERTY, SAMPLE);

    /** The sample takes the same faults every time: it is to show what a change has broken. */
    private static final long SEED =
            Long.getLong("stateaccel.chaos-seed", ROUNDS == SAMPLE ? 1 : System.nanoTime());

    /** The faults to choose from, divided by commas; without it all. */
    private static final String FAULTS = System.getProperty("stateaccel.chaos-faults", "");

    private static final int EVENTS_PER_SECOND = 500;

    /**
     * What a round may take of the input, which comes by a timetable: twice as long as rounds take
     * on a busy machine. What is left after the last one comes at once.
     */
    private static final int EVENTS_PER_ROUND = 90 * EVENTS_PER_SECOND;

    private static final String CHECKPOINT_PAUSE = ChaosRun.CHECKPOINT_PAUSE.toMillis() + " ms";

    /** Processes that live for seconds: what they run is not worth optimising. */
    private static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

    /**
     * Caches of some 200 KiB per sub-task: they hold dirty entries at any time, and evict some of
     * them. None is bypassed. A lost process is noticed at once, and its successor waited for. The
     * REST interface tells the present. Every file of a database is a file of its own in
     * checkpoints, which are retained.
     */
    private static final Map<String, String> SETTINGS =
            Map.ofEntries(
                    Map.entry("state.backend.state-accel.cache.size", "2 mb"),
                    Map.entry("state.backend.state-accel.cache.bypass-hit-ratio", "0"),
                    Map.entry("table.exec.state-accel.aggregate-cache.size", "64 kb"),
                    Map.entry("table.exec.state-accel.mini-batch.allow-latency", "100 ms"),
                    Map.entry("execution.checkpointing.interval", CHECKPOINT_PAUSE),
                    Map.entry("execution.checkpointing.min-pause", CHECKPOINT_PAUSE),
                    Map.entry("execution.checkpointing.mode", "EXACTLY_ONCE"),
                    Map.entry("execution.checkpointing.data-inline-threshold", "0"),
                    Map.entry("execution.checkpointing.num-retained", "3"),
                    Map.entry(
                            "execution.checkpointing.externalized-checkpoint-retention",
                            "RETAIN_ON_CANCELLATION"),
                    Map.entry("restart-strategy.type", "fixed-delay"),
                    Map.entry("restart-strategy.fixed-delay.attempts", "1000000"),
                    Map.entry("restart-strategy.fixed-delay.delay", "100 ms"),
                    Map.entry("heartbeat.interval", "100 ms"),
                    Map.entry("heartbeat.timeout", "60 s"),
                    Map.entry("heartbeat.rpc-failure-threshold", "2"),
                    Map.entry("cluster.registration.error-delay", "100 ms"),
                    Map.entry("cluster.registration.refused-registration-delay", "100 ms"),
                    Map.entry("resourcemanager.standalone.start-up-time", "86400000"),
                    Map.entry("web.refresh-interval", "10 ms"),
                    Map.entry("rest.cache.checkpoint-statistics.timeout", "10 ms"),
                    Map.entry("web.exception-history-size", "1000"),
                    Map.entry("env.java.opts.client", SHORT_LIVED),
                    Map.entry("env.java.opts.jobmanager", SHORT_LIVED),
                    Map.entry("env.java.opts.taskmanager", SHORT_LIVED));

    /** The job goes on as if nothing had been, so nothing is restored. */
    private static final Set<Fault> HARMLESS =
            EnumSet.of(
                    Fault.NATIVE_LIBRARIES_DELETED,
                    Fault.CHECKPOINT_DIRECTORY_SLOW,
                    Fault.CLOCK_JUMPS);

    /** What the log says of a state that has a cache. */
    private static final Pattern CACHED = Pattern.compile("\\[state-accel] state '(.*)': cached");

    @Test
    void theResultIsStocksWhateverGoesWrong() throws Exception {
        System.out.printf("[chaos] %d rounds, -Dstateaccel.chaos-seed=%d%n", ROUNDS, SEED);
        FlinkDistribution distribution = distribution("rounds");
        FaultyMachine machine = machine(distribution);
        try (Mounts mounts = new Mounts(FlinkDistribution.workFolder("chaos-disk"));
                StandaloneCluster cluster =
                        StandaloneCluster.start(distribution, settings(mounts))) {
            Map<String, String> expected = stockResults(cluster, ROUNDS);
            Random random = new Random(SEED);
            List<Fault> faults = Fault.sequence(ROUNDS, choice(mounts, machine), random);
            ChaosRun run =
                    ChaosRun.start(
                            cluster, statements(ROUNDS, Instant.now()), mounts, machine, random);
            assertThat(run.job().tasks().names())
                    .as("tasks")
                    .anyMatch(name -> name.contains("CachedGroupAggregate"))
                    .anyMatch(name -> name.contains("MiniBatchJoin"))
                    .anyMatch(name -> name.contains("MiniBatchDeduplicate"))
                    .anyMatch(name -> name.contains("MiniBatchRank"));

            List<Round> rounds = new ArrayList<>();
            for (Fault fault : faults) {
                rounds.add(run.strike(fault));
                System.out.printf(
                        "[chaos] %d of %d: %s%n",
                        rounds.size(), ROUNDS, rounds.get(rounds.size() - 1));
            }
            run.hurryToTheEnd(statements(ROUNDS, Instant.EPOCH));

            assertThat(run.job().results()).as("tables after all").isEqualTo(expected);
            assertThat(CACHED.matcher(distribution.logs("taskexecutor")).results())
                    .as("states that have a cache")
                    .extracting(state -> state.group(1))
                    .contains(
                            "accState",
                            "distinctAcc_0",
                            "deduplicate-state",
                            "data-state-with-append");
            assertThat(rounds)
                    .as("the checkpoint a job goes on from is the last one, or a newer one")
                    .allMatch(
                            round ->
                                    round.restored() >= round.checkpoint()
                                            || HARMLESS.contains(round.fault()));
            assertThat(rounds)
                    .as("a checkpoint completes before each fault")
                    .extracting(Round::checkpoint)
                    .isSorted()
                    .doesNotHaveDuplicates();
        }
    }

    private static List<Fault> choice(Mounts mounts, FaultyMachine machine) {
        Map<Fault.Need, Optional<String>> problems =
                Map.of(
                        Fault.Need.NOTHING,
                        Optional.empty(),
                        Fault.Need.MOUNTS,
                        mounts.problem(),
                        Fault.Need.FAULTY_MACHINE,
                        machine.problem());
        problems.forEach(
                (need, problem) ->
                        problem.ifPresent(
                                why ->
                                        System.out.println(
                                                "[chaos] without faults that need "
                                                        + need
                                                        + ": "
                                                        + why)));
        return Stream.of(Fault.values())
                .filter(
                        fault ->
                                FAULTS.isEmpty()
                                        || List.of(FAULTS.split(",")).contains(fault.name()))
                .filter(fault -> problems.get(fault.need()).isEmpty())
                .toList();
    }

    private static FaultyMachine machine(FlinkDistribution distribution) throws Exception {
        FaultyMachine machine =
                new FaultyMachine(
                        distribution.runFolder().resolve("machine"),
                        StandaloneCluster.checkpointsOf(distribution));
        distribution.setVariables(machine.variables());
        return machine;
    }

    private static Map<String, String> settings(Mounts mounts) {
        Map<String, String> settings = new HashMap<>(SETTINGS);
        settings.put("state.backend.rocksdb.localdir", mounts.disk().toString());
        return settings;
    }

    /**
     * The test can fail: one kill is enough to find out that a cache or a source recovers wrongly.
     * It also shows what kills hit: where a cache that is not written back spoils a table, dirty
     * entries of the table's state are there at checkpoints.
     */
    @ParameterizedTest
    @EnumSource
    @EnabledIfSystemProperty(
            named = ROUNDS_PROPERTY,
            matches = ".+",
            disabledReason = "takes a minute, see the profile chaos")
    void brokenRecoveryIsFoundOut(Sabotage sabotage, @TempDir Path folder) throws Exception {
        FlinkDistribution distribution = distribution(sabotage.name());
        distribution.install(sabotage.jar(folder));
        FaultyMachine machine = machine(distribution);
        try (Mounts mounts = new Mounts(folder.resolve("disk"));
                StandaloneCluster cluster =
                        StandaloneCluster.start(distribution, settings(mounts))) {
            Map<String, String> expected = stockResults(cluster, 1);
            ChaosRun run =
                    ChaosRun.start(
                            cluster,
                            statements(1, Instant.now()),
                            mounts,
                            machine,
                            new Random(SEED));
            run.strike(Fault.TASK_MANAGER_KILLED);
            run.hurryToTheEnd(statements(1, Instant.EPOCH));

            Map<String, String> results = run.job().results();
            assertThat(results).hasSameSizeAs(expected);
            assertThat(sabotage.spoils())
                    .as("tables of %s that differ from those of %s", results, expected)
                    .allMatch(table -> !results.get(table).equals(expected.get(table)));
        }
    }

    private static FlinkDistribution distribution(String name) throws Exception {
        FlinkDistribution distribution = FlinkDistribution.create("chaos-" + name);
        distribution.install(builtJar("nexmark-sql"));
        distribution.install(builtJar("flink-sql-state-accel"));
        return distribution;
    }

    /** What stock Flink makes of the input, as fast as it can, undisturbed. */
    private static Map<String, String> stockResults(StandaloneCluster cluster, int rounds)
            throws IOException, InterruptedException {
        SubmittedJob job =
                SubmittedJob.submit(
                        cluster, statements(rounds, false, Map.of("rate.limited", "false")));
        assertThat(job.tasks().names())
                .as("tasks of the stock job")
                .isNotEmpty()
                .noneMatch(name -> name.contains("Cached") || name.contains("MiniBatch"));
        job.awaitEnd();
        Map<String, String> results = job.results();
        assertThat(results).as("tables of the stock job").hasSize(5);
        return results;
    }

    /**
     * Of the accelerated job.
     *
     * @param start when the first event is due, or was: where the job is submitted again, what has
     *     become due meanwhile comes at once
     */
    private static String statements(int rounds, Instant start) throws IOException {
        return statements(
                rounds, true, Map.of("rate.limited", "true", "rate.start", start.toString()));
    }

    /** The same events for all jobs, only when they come is up to the options. */
    private static String statements(int rounds, boolean accelerated, Map<String, String> pace)
            throws IOException {
        Map<String, String> options = new HashMap<>(pace);
        options.put("events.num", String.valueOf((rounds + 1) * EVENTS_PER_ROUND));
        options.put("first-event.rate", String.valueOf(EVENTS_PER_SECOND));
        options.put("next-event.rate", String.valueOf(EVENTS_PER_SECOND));
        return "SET 'table.exec.state-accel.enabled' = '%s';\n".formatted(accelerated)
                + Nexmark.tables(options)
                + queries();
    }

    private static String queries() throws IOException {
        try (InputStream in = ChaosIT.class.getResourceAsStream("/chaos.sql")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
