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

import io.stateaccel.tests.cluster.SubmittedJob;
import java.io.IOException;

/** Watches for changes that the queries of a running job make after its last checkpoint. */
final class UncoveredChanges {

    /**
     * How often the number of changes must have risen since the checkpoint was known to be
     * complete. What the first rise tells may have been on its way before; the second and the third
     * are told by the task manager since, and between them lie the changes that count.
     */
    private static final int RISES = 3;

    private final SubmittedJob job;
    private SubmittedJob.Checkpoints checkpoints = SubmittedJob.Checkpoints.NONE;
    private int rises;
    private long changes;
    private long changesSince;

    UncoveredChanges(SubmittedJob job) {
        this.job = job;
    }

    boolean areThere(SubmittedJob.Tasks tasks) throws IOException, InterruptedException {
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

    /** How many have certainly been made, at least. */
    long number() {
        return changesSince;
    }
}
