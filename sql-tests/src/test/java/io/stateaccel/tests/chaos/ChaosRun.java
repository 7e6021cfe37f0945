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

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.tests.cluster.FlinkDistribution;
import io.stateaccel.tests.cluster.StandaloneCluster;
import io.stateaccel.tests.cluster.SubmittedJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;

/** A job on a cluster to which faults come, one after the other. For one thread. */
final class ChaosRun {

    /**
     * From the end of one checkpoint of the job to the begin of the next. Faults come at any time
     * in it, or a little later.
     */
    static final Duration CHECKPOINT_PAUSE = Duration.ofSeconds(1);

    /** What a write to a slow checkpoint directory takes longer. */
    private static final Duration SLOW = Duration.ofMillis(200);

    /** More than the pause between timers, latencies and heartbeats of any kind. */
    private static final Duration CLOCK_JUMP = Duration.ofDays(1);

    /** In the stack trace of a failure it says that not only a process was missing. */
    private static final String OUR_PACKAGE = "io.stateaccel";

    private final StandaloneCluster cluster;
    private final String statements;
    private final Mounts mounts;
    private final FaultyMachine machine;
    private final Random random;

    private SubmittedJob job;

    /** When the job was last restored. */
    private SubmittedJob.Checkpoints atRestore = SubmittedJob.Checkpoints.NONE;

    private ChaosRun(
            StandaloneCluster cluster,
            String statements,
            Mounts mounts,
            FaultyMachine machine,
            Random random) {
        this.cluster = cluster;
        this.statements = statements;
        this.mounts = mounts;
        this.machine = machine;
        this.random = random;
    }

    /**
     * Submits the job while no task manager runs, so that it gets to its input when this returns,
     * and not while the SQL client takes its time to end.
     *
     * @param statements that start the job
     */
    static ChaosRun start(
            StandaloneCluster cluster,
            String statements,
            Mounts mounts,
            FaultyMachine machine,
            Random random)
            throws IOException, InterruptedException {
        ChaosRun run = new ChaosRun(cluster, statements, mounts, machine, random);
        cluster.killTaskManager();
        run.submit("", statements);
        cluster.startTaskManager();
        return run;
    }

    /**
     * A fault and what came of it.
     *
     * @param checkpoint the last that had completed before the fault
     * @param restored the checkpoint that the job was last restored from after it
     */
    record Round(Fault fault, long checkpoint, String events, long restored) {

        @Override
        public String toString() {
            return "%s after checkpoint %d: %s; restored last from %d"
                    .formatted(fault, checkpoint, events, restored);
        }
    }

    /** The job as it was submitted last. */
    SubmittedJob job() {
        return job;
    }

    /**
     * Waits until a checkpoint has completed since the last restore, and for a random time; then
     * has the fault come, and waits until the job has recovered.
     *
     * @throws IOException when the job did not, or came to its end before the fault
     * @throws AssertionError when the job has failed for another reason than the fault
     */
    Round strike(Fault fault) throws IOException, InterruptedException {
        awaitCheckpointAfter(atRestore.restored());
        Thread.sleep(random.nextLong(CHECKPOINT_PAUSE.toMillis()));
        if (job.tasks().oneEnded()) {
            throw new IOException("The input has ended before the last fault.");
        }
        long checkpoint = job.checkpoints().completed();
        String events = fault.strike(this);
        return new Round(fault, checkpoint, events, atRestore.restored());
    }

    /**
     * Stops the job with a savepoint, from which it goes on to the end of its input.
     *
     * @param statements that start it with input that is all due
     */
    void hurryToTheEnd(String statements) throws IOException, InterruptedException {
        job.await("all tasks", SubmittedJob.Tasks::allRun);
        Path savepoint = job.stopWithSavepoint(cluster.distribution().runFolder()).orElseThrow();
        submit(goingOnFrom(savepoint), statements);
        job.awaitEnd();
    }

    String killTaskManagerBetweenCheckpoints() throws IOException, InterruptedException {
        String when = awaitUncoveredChanges();
        restartTaskManager();
        return when;
    }

    String killTaskManagerInCheckpoint() throws IOException, InterruptedException {
        String when = awaitCheckpointInProgress();
        restartTaskManager();
        return when;
    }

    String killTaskManagerInRestore() throws IOException, InterruptedException {
        String when = awaitUncoveredChanges();
        long restores = job.checkpoints().restores();
        cluster.killTaskManager();
        cluster.startTaskManager();
        AtomicBoolean inRestore = new AtomicBoolean();
        job.await(
                "an initialising task",
                tasks -> {
                    inRestore.set(tasks.oneInitializes());
                    return inRestore.get()
                            || tasks.allRun() && job.checkpoints().restores() > restores;
                });
        restartTaskManager();
        return when + ", and again " + (inRestore.get() ? "in" : "after") + " the restore";
    }

    String killJobManagerBetweenCheckpoints() throws IOException, InterruptedException {
        return awaitUncoveredChanges() + ", " + restartJobManager();
    }

    String killJobManagerInCheckpoint() throws IOException, InterruptedException {
        return awaitCheckpointInProgress() + ", " + restartJobManager();
    }

    String fillLocalDisk() throws IOException, InterruptedException {
        int failures = job.failures().size();
        long restores = job.checkpoints().restores();
        job.await(
                "a failure of the full disk",
                tasks -> {
                    // Again and again, as what RocksDB deletes makes room.
                    mounts.fillDisk();
                    return job.failures().size() > failures;
                });
        mounts.freeDisk();
        awaitRestoreAfter(restores);
        assertThat(failuresSince(failures))
                .as("failures while the disk was full")
                .anyMatch(failure -> failure.contains("No space left on device"));
        return "failed with 'No space left on device'";
    }

    String makeCheckpointDirectoryReadOnly() throws IOException, InterruptedException {
        int failures = job.failures().size();
        long restores = job.checkpoints().restores();
        mounts.makeReadOnly(cluster.checkpoints());
        job.await(
                "a failure of the checkpoint directory", tasks -> job.failures().size() > failures);
        mounts.makeWritable(cluster.checkpoints());
        awaitRestoreAfter(restores);
        assertThat(failuresSince(failures))
                .as("failures while checkpoints could not be written")
                .anyMatch(failure -> failure.contains("Exceeded checkpoint tolerable failure"));
        return "failed as checkpoints did";
    }

    String deleteNativeLibraries() throws IOException, InterruptedException {
        List<Path> libraries = nativeLibraries();
        if (libraries.isEmpty()) {
            // The task manager has lost them in an earlier round.
            restartTaskManager();
            awaitCheckpointAfter(atRestore.restored());
            libraries = nativeLibraries();
        }
        assertThat(libraries).as("native libraries").isNotEmpty();
        int failures = job.failures().size();
        for (Path library : libraries) {
            Files.delete(library);
        }
        awaitCheckpointAfter(job.checkpoints().completed());
        assertThat(failuresSince(failures)).as("failures").isEmpty();
        return libraries.size() + " deleted, nothing failed";
    }

    private List<Path> nativeLibraries() throws IOException {
        return FlinkDistribution.filesBelow(cluster.distribution().runFolder().resolve("tmp"))
                .filter(file -> file.toString().endsWith(".so"))
                .toList();
    }

    String slowCheckpointDirectory() throws IOException, InterruptedException {
        int failures = job.failures().size();
        machine.slowWrites(SLOW);
        // The first of them may have been under way before.
        awaitCheckpointAfter(job.checkpoints().completed());
        awaitCheckpointAfter(job.checkpoints().completed());
        Duration took = job.checkpoints().took();
        machine.slowWrites(Duration.ZERO);
        assertThat(failuresSince(failures)).as("failures").isEmpty();
        assertThat(took).as("a checkpoint's time").isGreaterThan(CHECKPOINT_PAUSE);
        return "a checkpoint took %d ms, nothing failed".formatted(took.toMillis());
    }

    String makeClockJump() throws IOException, InterruptedException {
        int failures = job.failures().size();
        for (Duration ahead : List.of(CLOCK_JUMP, CLOCK_JUMP.negated(), Duration.ZERO)) {
            machine.setClockAhead(ahead);
            assertThat(Duration.between(Instant.now(), machine.clockOf(cluster.taskManager())))
                    .as("by how much the task manager's clock is ahead")
                    .isCloseTo(ahead, Duration.ofMinutes(1));
            long changes = job.changes();
            awaitCheckpointAfter(job.checkpoints().completed());
            job.await("changes after a jump", tasks -> job.changes() > changes);
        }
        assertThat(failuresSince(failures)).as("failures").isEmpty();
        return "a checkpoint after each, nothing failed";
    }

    /**
     * The damage may lie where nothing is read at first. So where a job starts from it, it is to
     * take a savepoint, for which it reads everything, and goes on from that.
     */
    String damageCheckpoint() throws IOException, InterruptedException {
        job.cancel();
        Path checkpoint = job.newestCheckpoint().orElseThrow();
        DamagedFile file = DamagedFile.in(checkpoint, random);
        submitFrom(checkpoint);
        job.await(
                "a failure of " + file + ", or a checkpoint",
                tasks -> !job.failures().isEmpty() || job.checkpoints().completed() > 0);
        Optional<Path> savepoint = Optional.empty();
        if (job.failures().isEmpty()) {
            savepoint = job.stopWithSavepoint(cluster.distribution().runFolder());
        }
        if (savepoint.isEmpty()) {
            job.await("a failure of " + file, tasks -> !job.failures().isEmpty());
            job.cancel();
        }
        file.repair();
        submitFrom(savepoint.orElse(checkpoint));
        awaitRestoreAfter(0);
        return file + ", " + (savepoint.isPresent() ? "does no harm" : "refused");
    }

    private String awaitUncoveredChanges() throws IOException, InterruptedException {
        UncoveredChanges changes = new UncoveredChanges(job);
        job.await("changes after a checkpoint", changes::areThere);
        Duration age = Duration.between(job.checkpoints().completedAt(), Instant.now());
        return "%d ms since a checkpoint, at least %d changes since"
                .formatted(age.toMillis(), changes.number());
    }

    private String awaitCheckpointInProgress() throws IOException, InterruptedException {
        job.await("a checkpoint in progress", tasks -> job.checkpoints().oneInProgress());
        return "in the one after " + job.checkpoints().completed();
    }

    private void awaitCheckpointAfter(long number) throws IOException, InterruptedException {
        job.await("a checkpoint after " + number, tasks -> job.checkpoints().completed() > number);
    }

    private void restartTaskManager() throws IOException, InterruptedException {
        int failures = job.failures().size();
        long restores = job.checkpoints().restores();
        cluster.killTaskManager();
        cluster.startTaskManager();
        awaitRestoreAfter(restores);
        assertThat(failuresSince(failures))
                .as("the kill is all that went wrong")
                .isNotEmpty()
                .noneMatch(failure -> failure.contains(OUR_PACKAGE));
    }

    /** What went wrong since there were so many failures, newest first. */
    private List<String> failuresSince(int number) throws IOException, InterruptedException {
        List<String> failures = job.failures();
        return failures.subList(0, failures.size() - number);
    }

    private String restartJobManager() throws IOException, InterruptedException {
        cluster.killJobManager();
        Path checkpoint = job.newestCheckpoint().orElseThrow();
        cluster.startJobManager();
        submitFrom(checkpoint);
        awaitRestoreAfter(0);
        return "submitted again from " + checkpoint.getFileName();
    }

    private void submitFrom(Path snapshot) throws IOException, InterruptedException {
        submit(goingOnFrom(snapshot), statements);
    }

    private static String goingOnFrom(Path snapshot) {
        return "SET 'execution.state-recovery.path' = '%s';\n".formatted(snapshot.toUri());
    }

    /** Whether values are separated is left to chance each time: it may change between runs. */
    private void submit(String settings, String statements)
            throws IOException, InterruptedException {
        String minSize = random.nextBoolean() ? "64 b" : "0 b";
        job =
                SubmittedJob.submit(
                        cluster,
                        "SET 'state.backend.state-accel.rocksdb.value-separation.min-size' = '%s';\n"
                                        .formatted(minSize)
                                + settings
                                + statements);
    }

    private void awaitRestoreAfter(long restores) throws IOException, InterruptedException {
        job.await(
                "a restore",
                tasks -> {
                    atRestore = job.checkpoints();
                    return atRestore.restores() > restores;
                });
    }
}
