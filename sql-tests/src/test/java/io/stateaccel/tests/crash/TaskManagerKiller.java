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

import io.stateaccel.tests.cluster.StandaloneCluster;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Kills the task manager under a job, again and again, each time at a random moment at which the
 * job has changed state that no checkpoint holds.
 */
final class TaskManagerKiller {

    /**
     * From the end of one checkpoint of the job to the begin of the next. Kills come at any time in
     * it, or a little later.
     */
    static final Duration CHECKPOINT_PAUSE = Duration.ofSeconds(1);

    /**
     * How often the number of changes must have risen since the checkpoint was known to be
     * complete. What the first rise tells may have been on its way before; the second and the third
     * are told by the task manager since, and between them lie the changes that count.
     */
    private static final int RISES = 3;

    private final StandaloneCluster cluster;
    private final SubmittedJob job;
    private final Random random;

    /** When the job was last restored. */
    private SubmittedJob.Checkpoints atRestore = SubmittedJob.Checkpoints.NONE;

    TaskManagerKiller(StandaloneCluster cluster, SubmittedJob job, Random random) {
        this.cluster = cluster;
        this.job = job;
        this.random = random;
    }

    /**
     * One kill and what came of it.
     *
     * @param checkpoint the last that had completed
     * @param age how long before the kill that was
     * @param changesSince changes that queries have certainly made since, at least
     * @param restored the checkpoint from which the job went on
     * @param restores how often the job had been restored by then
     */
    record Kill(long checkpoint, Duration age, long changesSince, long restored, long restores) {

        @Override
        public String toString() {
            return "%d ms after checkpoint %d, at least %d changes since; went on from %d"
                    .formatted(age.toMillis(), checkpoint, changesSince, restored);
        }
    }

    /**
     * Kills the task manager so many times. Each time waits first until a checkpoint has completed
     * since the last restore, then until queries have made changes that it does not cover; then
     * kills, starts another task manager and waits until the job has been restored.
     *
     * @throws IOException when the job failed, or came to its end before the last kill
     */
    List<Kill> kill(int times) throws IOException, InterruptedException {
        List<Kill> kills = new ArrayList<>();
        for (int i = 1; i <= times; i++) {
            Kill kill = killOnce();
            System.out.printf("[crash] kill %d of %d: %s%n", i, times, kill);
            kills.add(kill);
        }
        return kills;
    }

    private Kill killOnce() throws IOException, InterruptedException {
        long restored = atRestore.restored();
        job.await(
                "a checkpoint after " + restored,
                tasks -> job.checkpoints().completed() > restored);
        Thread.sleep(random.nextLong(CHECKPOINT_PAUSE.toMillis()));

        UncoveredChanges uncovered = new UncoveredChanges();
        job.await("changes after a checkpoint", uncovered::areThere);
        SubmittedJob.Checkpoints atKill = uncovered.checkpoints;
        Duration age = Duration.between(atKill.completedAt(), Instant.now());
        cluster.killTaskManager();

        cluster.startTaskManager();
        job.await(
                "a restore",
                tasks -> {
                    atRestore = job.checkpoints();
                    return atRestore.restores() > atKill.restores();
                });
        return new Kill(
                atKill.completed(),
                age,
                uncovered.changesSince,
                atRestore.restored(),
                atRestore.restores());
    }

    /** Watches for changes that the queries of the running job make after its last checkpoint. */
    private final class UncoveredChanges {

        private SubmittedJob.Checkpoints checkpoints = SubmittedJob.Checkpoints.NONE;
        private int rises;
        private long changes;
        private long changesSince;

        boolean areThere(SubmittedJob.Tasks tasks) throws IOException, InterruptedException {
            if (tasks.oneEnded()) {
                throw new IOException("The input has ended before the last kill: " + tasks);
            }
            long changesNow = job.changes();
            // Last, so that a checkpoint that covers these changes is seen here.
            SubmittedJob.Checkpoints now = job.checkpoints();
            if (now.completed() != checkpoints.completed() || !tasks.allRun()) {
                rises = 0;
            } else if (changesNow > changes) {
                rises++;
                changesSince = changesNow - changes;
            }
            checkpoints = now;
            changes = changesNow;
            return rises >= RISES;
        }
    }
}
