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
package io.stateaccel.tests.crash;

import static io.stateaccel.tests.cluster.FlinkDistribution.builtJar;
import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.tests.cluster.FlinkDistribution;
import io.stateaccel.tests.cluster.Nexmark;
import io.stateaccel.tests.cluster.StandaloneCluster;
import io.stateaccel.tests.crash.TaskManagerKiller.Kill;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Kills the task manager process of an accelerated job between checkpoints. After the last kill the
 * job runs to its end, and then its tables have to be those of a stock job that nothing disturbed:
 * no dirty entry of a cache may get lost, and none may be applied twice.
 *
 * <p>A table's checksum covers every change that the table was sent. So a query that goes on from
 * another state than the one its last change came from is found out, even where later rows make up
 * for the difference.
 */
class CrashIT {

    private static final String KILLS_PROPERTY = "stateaccel.kills";
    private static final int KILLS = Integer.getInteger(KILLS_PROPERTY, 3);
    private static final long SEED = Long.getLong("stateaccel.kill-seed", System.nanoTime());

    private static final int EVENTS_PER_SECOND = 5_000;

    /**
     * What a kill may take of the input: the way to a checkpoint and a part of the way to the next.
     * The two readers take turns at 10,000 events, so both come to the end at about one time.
     */
    private static final int EVENTS_PER_KILL = 20_000;

    private static final String CHECKPOINT_PAUSE =
            TaskManagerKiller.CHECKPOINT_PAUSE.toMillis() + " ms";

    /** Processes that live for seconds: what they run is not worth optimising. */
    private static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

    /**
     * Caches of some 200 KiB per sub-task: they hold dirty entries at any time, and evict some of
     * them. None is bypassed. A lost task manager is noticed at once, and its successor waited for.
     * The REST interface tells the present.
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
                    Map.entry("restart-strategy.type", "fixed-delay"),
                    Map.entry("restart-strategy.fixed-delay.attempts", "1000"),
                    Map.entry("restart-strategy.fixed-delay.delay", "100 ms"),
                    Map.entry("heartbeat.interval", "100 ms"),
                    Map.entry("heartbeat.timeout", "60 s"),
                    Map.entry("heartbeat.rpc-failure-threshold", "2"),
                    Map.entry("resourcemanager.standalone.start-up-time", "86400000"),
                    Map.entry("web.refresh-interval", "10 ms"),
                    Map.entry("rest.cache.checkpoint-statistics.timeout", "10 ms"),
                    Map.entry("web.exception-history-size", "1000"),
                    Map.entry("env.java.opts.client", SHORT_LIVED),
                    Map.entry("env.java.opts.jobmanager", SHORT_LIVED),
                    Map.entry("env.java.opts.taskmanager", SHORT_LIVED));

    /** What the log says of a state that has a cache. */
    private static final Pattern CACHED = Pattern.compile("\\[state-accel] state '(.*)': cached");

    @Test
    void theResultIsStocksHoweverOftenTheTaskManagerIsKilled() throws Exception {
        System.out.printf("[crash] %d kills, -Dstateaccel.kill-seed=%d%n", KILLS, SEED);
        FlinkDistribution distribution = distribution("kills");
        try (StandaloneCluster cluster = StandaloneCluster.start(distribution, SETTINGS)) {
            Map<String, String> expected = stockResults(cluster, KILLS);
            SubmittedJob job = startAccelerated(cluster, KILLS);
            assertThat(job.tasks().names())
                    .as("tasks")
                    .anyMatch(name -> name.contains("CachedGroupAggregate"))
                    .anyMatch(name -> name.contains("MiniBatchJoin"))
                    .anyMatch(name -> name.contains("MiniBatchDeduplicate"))
                    .anyMatch(name -> name.contains("MiniBatchRank"));

            List<Kill> kills = new TaskManagerKiller(cluster, job, new Random(SEED)).kill(KILLS);
            job.awaitEnd();

            assertThat(job.results()).as("tables after the kills").isEqualTo(expected);
            assertThat(CACHED.matcher(distribution.logs("taskexecutor")).results())
                    .as("states that have a cache")
                    .extracting(state -> state.group(1))
                    .contains(
                            "accState",
                            "distinctAcc_0",
                            "deduplicate-state",
                            "data-state-with-append");
            assertThat(kills).hasSize(KILLS);
            assertThat(kills)
                    .as("the checkpoint a job goes on from is the last one, or a newer one")
                    .allMatch(kill -> kill.restored() >= kill.checkpoint());
            assertThat(kills)
                    .as("a checkpoint completes before each kill")
                    .extracting(Kill::checkpoint)
                    .isSorted()
                    .doesNotHaveDuplicates();
            assertThat(kills)
                    .as("the job is restored after each kill")
                    .extracting(Kill::restores)
                    .isSorted()
                    .doesNotHaveDuplicates();
            assertThat(job.failures())
                    .as("kills are all that went wrong")
                    .hasSizeGreaterThanOrEqualTo(KILLS)
                    .noneMatch(failure -> failure.contains("io.stateaccel"));
        }
    }

    /**
     * The test can fail: one kill is enough to find out that a cache or a source recovers wrongly.
     * It also shows what kills hit: where a cache that is not written back spoils a table, dirty
     * entries of the table's state are there at checkpoints.
     */
    @ParameterizedTest
    @EnumSource
    @EnabledIfSystemProperty(
            named = KILLS_PROPERTY,
            matches = ".+",
            disabledReason = "takes a minute, see the profile crash")
    void brokenRecoveryIsFoundOut(Sabotage sabotage, @TempDir Path folder) throws Exception {
        FlinkDistribution distribution = distribution(sabotage.name());
        distribution.install(sabotage.jar(folder));
        try (StandaloneCluster cluster = StandaloneCluster.start(distribution, SETTINGS)) {
            Map<String, String> expected = stockResults(cluster, 1);
            SubmittedJob job = startAccelerated(cluster, 1);
            new TaskManagerKiller(cluster, job, new Random(SEED)).kill(1);
            job.awaitEnd();

            Map<String, String> results = job.results();
            assertThat(results).hasSameSizeAs(expected);
            assertThat(sabotage.spoils())
                    .as("tables of %s that differ from those of %s", results, expected)
                    .allMatch(table -> !results.get(table).equals(expected.get(table)));
        }
    }

    private static FlinkDistribution distribution(String name) throws Exception {
        FlinkDistribution distribution =
                FlinkDistribution.create(Path.of("target/cluster/crash-" + name));
        distribution.install(builtJar("nexmark-sql"));
        distribution.install(builtJar("flink-sql-state-accel"));
        return distribution;
    }

    /** What stock Flink makes of the input, as fast as it can, undisturbed. */
    private static Map<String, String> stockResults(StandaloneCluster cluster, int kills)
            throws IOException, InterruptedException {
        SubmittedJob job = SubmittedJob.submit(cluster, statements(kills, false));
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
     * Submits the job while no task manager runs, so that it gets to its input when this returns,
     * and not while the SQL client takes its time to end.
     */
    private static SubmittedJob startAccelerated(StandaloneCluster cluster, int kills)
            throws IOException, InterruptedException {
        cluster.killTaskManager();
        SubmittedJob job = SubmittedJob.submit(cluster, statements(kills, true));
        cluster.startTaskManager();
        return job;
    }

    /** The same events for both jobs; only the accelerated one gets them at a limited rate. */
    private static String statements(int kills, boolean accelerated) throws IOException {
        return "SET 'table.exec.state-accel.enabled' = '%s';\n".formatted(accelerated)
                + Nexmark.tables(
                        Map.of(
                                "events.num", String.valueOf((kills + 1) * EVENTS_PER_KILL),
                                "first-event.rate", String.valueOf(EVENTS_PER_SECOND),
                                "next-event.rate", String.valueOf(EVENTS_PER_SECOND),
                                "rate.limited", String.valueOf(accelerated)))
                + queries();
    }

    private static String queries() throws IOException {
        try (InputStream in = CrashIT.class.getResourceAsStream("/crash.sql")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
