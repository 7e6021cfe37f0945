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

import java.io.Serializable;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/**
 * How the sources of a job and the test that runs it work together. Sources stop at holds, agreed
 * positions in their changelogs, until the test has released them; the test waits for some of them
 * to come there, so that a checkpoint or savepoint meets sources at rest and sources under way. And
 * the test may have a job fail a number of rows later.
 *
 * <p>The sources travel to the task managers serialised; this handle does too, and finds the shared
 * part again through its id. That works because the mini cluster lives in the test's own JVM. One
 * handle serves all jobs of a variant, which go on from each other.
 */
final class Playback implements Serializable {

    private static final long serialVersionUID = 1L;
    private static final Map<String, Shared> SHARED = new ConcurrentHashMap<>();

    private static final CompletableFuture<Void> NO_WAITING =
            CompletableFuture.completedFuture(null);

    private final String id = UUID.randomUUID().toString();

    /** Guarded by itself. */
    private static final class Shared {
        /** Holds that sources pass; the next one after them is the one they stop at. */
        private int released;

        /** Which start of the sources counts: what sources of a failed attempt do does not. */
        private int attempt;

        private final Set<String> arrived = new HashSet<>();
        private CompletableFuture<Void> release = new CompletableFuture<>();
        private int rowsUntilFailure = -1;
        private int readersRestored;
    }

    private Shared shared() {
        return SHARED.computeIfAbsent(id, ignored -> new Shared());
    }

    void forget() {
        SHARED.remove(id);
    }

    // ---- called by sources ----------------------------------------------------------------------

    int attempt() {
        Shared shared = shared();
        synchronized (shared) {
            return shared.attempt;
        }
    }

    /**
     * @param holds the positions of the source's holds
     * @return completed if the source may go on, else completed when it may
     */
    CompletableFuture<Void> mayEmit(String source, int attempt, int position, int[] holds) {
        Shared shared = shared();
        synchronized (shared) {
            if (shared.released >= holds.length || position < holds[shared.released]) {
                return NO_WAITING;
            }
            if (attempt == shared.attempt) {
                shared.arrived.add(source);
                shared.notifyAll();
            }
            return shared.release;
        }
    }

    /** Throws when the test wants the job to fail at this row. */
    void emitted(int attempt) {
        Shared shared = shared();
        synchronized (shared) {
            if (attempt == shared.attempt
                    && shared.rowsUntilFailure > 0
                    && --shared.rowsUntilFailure == 0) {
                nextAttempt(shared);
                throw new IllegalStateException(
                        "Failure provoked by the test, to make the job restore");
            }
        }
    }

    /** A source starts from a position out of a snapshot that is not the first. */
    void readerRestored() {
        Shared shared = shared();
        synchronized (shared) {
            shared.readersRestored++;
        }
    }

    // ---- called by the test ---------------------------------------------------------------------

    /** Waits until so many sources have come to the current hold. */
    void awaitArrivals(int sources, BooleanSupplier jobEnded) throws InterruptedException {
        Shared shared = shared();
        await(shared, () -> shared.arrived.size() >= sources, jobEnded);
    }

    /** Lets the sources go to the next hold, in this job or the next one. */
    void release() {
        Shared shared = shared();
        CompletableFuture<Void> waiting;
        synchronized (shared) {
            shared.released++;
            shared.arrived.clear();
            waiting = shared.release;
            shared.release = new CompletableFuture<>();
        }
        waiting.complete(null);
    }

    /** The next job starts: what sources of the one before do no longer counts. */
    void nextJob() {
        Shared shared = shared();
        synchronized (shared) {
            nextAttempt(shared);
        }
    }

    /** Has the job fail when all sources together have emitted so many more rows. */
    void failAfter(int rows) {
        Shared shared = shared();
        synchronized (shared) {
            shared.rowsUntilFailure = rows;
        }
    }

    void awaitFailure(BooleanSupplier jobEnded) throws InterruptedException {
        Shared shared = shared();
        await(shared, () -> shared.rowsUntilFailure == 0, jobEnded);
    }

    /** How many sources have started from a snapshot since this was asked last. */
    int takeReadersRestored() {
        Shared shared = shared();
        synchronized (shared) {
            int restored = shared.readersRestored;
            shared.readersRestored = 0;
            return restored;
        }
    }

    private static void nextAttempt(Shared shared) {
        shared.attempt++;
        shared.arrived.clear();
        shared.notifyAll();
    }

    private static void await(Shared shared, BooleanSupplier condition, BooleanSupplier jobEnded)
            throws InterruptedException {
        synchronized (shared) {
            Instant end = Instant.now().plus(CaseRunner.PATIENCE);
            while (!condition.getAsBoolean()) {
                if (Instant.now().isAfter(end)) {
                    throw new IllegalStateException(
                            "Waited in vain: the sources have stopped at hold %d, %d of them"
                                    .formatted(shared.released, shared.arrived.size()));
                }
                if (jobEnded.getAsBoolean()) {
                    throw new IllegalStateException("The job has ended before it was meant to");
                }
                // Nothing notifies of the end of the job.
                shared.wait(20);
            }
        }
    }
}
