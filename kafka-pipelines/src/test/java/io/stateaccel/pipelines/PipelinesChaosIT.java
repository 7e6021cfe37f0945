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
package io.stateaccel.pipelines;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.pipelines.broker.Topics.Message;
import io.stateaccel.pipelines.orders.OrderEvents;
import io.stateaccel.pipelines.orders.ParcelEvents;
import io.stateaccel.tests.cluster.SubmittedJob;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Kills the task manager, the job manager and the broker in turn while accelerated pipelines run
 * and their topics are filled. What transactions have committed in the end is what a stock job
 * makes of the same topics undisturbed: the same table, and of a join that only appends each row
 * once.
 */
class PipelinesChaosIT {

    /** Each with the three kills, in an order of its own. */
    private static final int ROUNDS = Integer.getInteger("stateaccel.pipelines-chaos-rounds", 1);

    private static final long SEED = Long.getLong("stateaccel.chaos-seed", System.nanoTime());

    private static final int LONGEST_WAIT_MILLIS = 1_500;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /** Slots for a stock job beside the other; a job goes on from any failure, and soon. */
    private static final Map<String, String> SETTINGS =
            Map.ofEntries(
                    Map.entry("taskmanager.numberOfTaskSlots", "4"),
                    Map.entry("execution.checkpointing.interval", "500 ms"),
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
                    Map.entry("rest.cache.checkpoint-statistics.timeout", "10 ms"),
                    Map.entry("table.exec.source.cdc-events-duplicate", "true"),
                    Map.entry("table.exec.sink.require-on-conflict", "false"));

    private enum Victim {
        TASK_MANAGER,
        JOB_MANAGER,
        BROKER
    }

    private final Random random = new Random(SEED);

    private PipelinePlace place;
    private SubmittedJob job;

    @Test
    void theTopicsAreStocksWhoeverIsKilled() throws Exception {
        System.out.printf("[chaos] %d rounds, -Dstateaccel.chaos-seed=%d%n", ROUNDS, SEED);
        place = PipelinePlace.start("pipelines-chaos", SETTINGS);
        try (PipelinePlace started = place) {
            place.topics().create(PipelinePlace.PARTITIONS, OrderEvents.topics());
            place.topics().create(PipelinePlace.PARTITIONS, ParcelEvents.topics());
            place.topics()
                    .create(
                            PipelinePlace.PARTITIONS,
                            List.of(
                                    "largest-stock",
                                    "largest-accel",
                                    "tracking-stock",
                                    "tracking-accel"));
            Shop shop = Shop.open(place.broker().bootstrapServers(), SEED);
            submit("");
            for (int round = 1; round <= ROUNDS; round++) {
                List<Victim> victims = Arrays.asList(Victim.values());
                Collections.shuffle(victims, random);
                for (Victim victim : victims) {
                    awaitCheckpoint();
                    Thread.sleep(random.nextInt(LONGEST_WAIT_MILLIS));
                    killAndReplace(victim);
                    System.out.printf("[chaos] round %d of %d: %s%n", round, ROUNDS, victim);
                }
            }
            awaitCheckpoint();
            shop.close();

            place.run(statements("stock", true));
            Map<String, String> table = place.topics().table("largest-stock");
            Map<String, Integer> rows = rows("tracking-stock");
            assertThat(table).isNotEmpty();
            assertThat(rows).isNotEmpty();
            awaitEqual(table, rows);
            job.cancel();

            assertThat(place.topics().table("largest-accel")).isEqualTo(table);
            assertThat(rows("tracking-accel"))
                    .as("each row, and how often")
                    .isEqualTo(rows)
                    .allSatisfy((row, times) -> assertThat(times).isEqualTo(1));
        }
    }

    private void killAndReplace(Victim victim) throws IOException, InterruptedException {
        switch (victim) {
            case TASK_MANAGER -> {
                place.cluster().killTaskManager();
                place.cluster().startTaskManager();
            }
            case JOB_MANAGER -> {
                place.cluster().killJobManager();
                Path checkpoint = job.newestCheckpoint().orElseThrow();
                place.cluster().startJobManager();
                submit(
                        "SET 'execution.state-recovery.path' = '%s';\n"
                                .formatted(checkpoint.toUri()));
            }
            case BROKER -> {
                place.broker().kill();
                Thread.sleep(random.nextInt(LONGEST_WAIT_MILLIS));
                place.broker().restart();
            }
        }
    }

    private void submit(String settings) throws IOException, InterruptedException {
        job = SubmittedJob.submit(place.cluster(), settings + statements("accel", false));
    }

    /** All tasks run, and a checkpoint completes in the meantime. */
    private void awaitCheckpoint() throws IOException, InterruptedException {
        job.await("all tasks", SubmittedJob.Tasks::allRun);
        Instant now = Instant.now();
        job.await(
                "a checkpoint",
                tasks -> tasks.allRun() && job.checkpoints().completedAt().isAfter(now));
    }

    private void awaitEqual(Map<String, String> table, Map<String, Integer> rows)
            throws IOException, InterruptedException {
        Instant deadline = Instant.now().plus(PATIENCE);
        while (Instant.now().isBefore(deadline)
                && !(place.topics().table("largest-accel").equals(table)
                        && rows("tracking-accel").equals(rows))) {
            awaitCheckpoint();
        }
    }

    private String statements(String variant, boolean bounded) {
        PipelineSql orders = place.tables("orders").into("largest_orders", "largest-" + variant);
        PipelineSql parcels = place.tables("parcels").into("tracking", "tracking-" + variant);
        return "SET 'table.exec.state-accel.enabled' = '%s';\n".formatted(variant.equals("accel"))
                + (bounded ? orders.bounded() : orders)
                + (bounded ? parcels.bounded() : parcels)
                + "EXECUTE STATEMENT SET BEGIN\n"
                + PipelineSql.file("orders/query.sql")
                + PipelineSql.file("parcels/query.sql")
                + "END;\n";
    }

    /** How often each row is in a topic. */
    private Map<String, Integer> rows(String topic) throws IOException {
        Map<String, Integer> rows = new TreeMap<>();
        for (Message message : place.topics().committed(topic)) {
            rows.merge(message.value(), 1, Integer::sum);
        }
        return rows;
    }
}
