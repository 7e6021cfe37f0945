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

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * What is done to the job in a round. The moments of these faults are aimed at:
 *
 * <ul>
 *   <li>between checkpoints: when queries have certainly made changes since the last one
 *   <li>in a checkpoint: when the job manager says that one is in progress. Whether a sub-task is
 *       in its synchronous or its asynchronous part then is left to chance
 *   <li>in a restore: when a task is initialising
 * </ul>
 *
 * <p>Flushes of bundles and evictions from caches are hit by chance: bundles are flushed ten times
 * a second, and the caches are so small that they evict all the time.
 */
enum Fault {

    /** Between checkpoints. */
    TASK_MANAGER_KILLED(Need.NOTHING, ChaosRun::killTaskManagerBetweenCheckpoints),
    TASK_MANAGER_KILLED_IN_CHECKPOINT(Need.NOTHING, ChaosRun::killTaskManagerInCheckpoint),

    /** Killed between checkpoints, and its successor in the restore. */
    TASK_MANAGER_KILLED_IN_RESTORE(Need.NOTHING, ChaosRun::killTaskManagerInRestore),

    /**
     * Between checkpoints. Another one is started and the job submitted again from the newest
     * retained checkpoint, as one does without high availability.
     */
    JOB_MANAGER_KILLED(Need.NOTHING, ChaosRun::killJobManagerBetweenCheckpoints),
    JOB_MANAGER_KILLED_IN_CHECKPOINT(Need.NOTHING, ChaosRun::killJobManagerInCheckpoint),

    /** RocksDB finds no room, until the job has failed. */
    LOCAL_DISK_FULL(Need.MOUNTS, ChaosRun::fillLocalDisk),

    /** Checkpoints cannot be written, until the job has failed. */
    CHECKPOINT_DIRECTORY_READ_ONLY(Need.MOUNTS, ChaosRun::makeCheckpointDirectoryReadOnly),

    /**
     * The job goes on from a checkpoint with one {@link DamagedFile}, and if it notices, from the
     * same once more, repaired.
     */
    CHECKPOINT_FILE_DAMAGED(Need.NOTHING, ChaosRun::damageCheckpoint),

    /** RocksDB's library, and ours if it were there, are deleted below the running job. */
    NATIVE_LIBRARIES_DELETED(Need.NOTHING, ChaosRun::deleteNativeLibraries),

    /** Checkpoints take longer than what lies between them. */
    CHECKPOINT_DIRECTORY_SLOW(Need.FAULTY_MACHINE, ChaosRun::slowCheckpointDirectory),

    /** The wall clock of the task manager is set forward by a day, back by two, and right again. */
    CLOCK_JUMPS(Need.FAULTY_MACHINE, ChaosRun::makeClockJump);

    /** What a fault takes that is not to be had everywhere. */
    enum Need {
        NOTHING,

        /** {@link Mounts}. */
        MOUNTS,

        /** {@link FaultyMachine}. */
        FAULTY_MACHINE
    }

    private final Need need;
    private final Effect effect;

    Fault(Need need, Effect effect) {
        this.need = need;
        this.effect = effect;
    }

    /** Does it, undoes it and waits until the job has recovered; returns what has happened. */
    @FunctionalInterface
    interface Effect {
        String on(ChaosRun run) throws IOException, InterruptedException;
    }

    /** What has to be there for it to come. */
    Need need() {
        return need;
    }

    String strike(ChaosRun run) throws IOException, InterruptedException {
        return effect.on(run);
    }

    /**
     * Faults for a number of rounds, in a random order in which none comes again before all others
     * have come.
     *
     * @param choice the faults to choose from
     */
    static List<Fault> sequence(int rounds, List<Fault> choice, Random random) {
        List<Fault> sequence = new ArrayList<>();
        while (sequence.size() < rounds) {
            List<Fault> shuffled = new ArrayList<>(choice);
            Collections.shuffle(shuffled, random);
            sequence.addAll(shuffled);
        }
        return sequence.subList(0, rounds);
    }
}
