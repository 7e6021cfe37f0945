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
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One provoked failure of one job. Every source of the job stops at its pause position until a
 * checkpoint taken there has completed, and one of them throws a little later, so that the job goes
 * back to rows that operators hold in restored state, not to an empty start.
 *
 * <p>The sources travel to the task managers serialised; this handle does too, and finds the shared
 * counters again through its id. That works because the mini cluster lives in the test's own JVM.
 */
final class Restart implements Serializable {

    private static final long serialVersionUID = 1L;
    private static final Map<String, Restart.Counters> COUNTERS = new ConcurrentHashMap<>();

    private final String id = UUID.randomUUID().toString();

    private static final class Counters {
        private final AtomicInteger failures = new AtomicInteger();
        private final AtomicInteger restoredReaders = new AtomicInteger();
    }

    private Counters counters() {
        return COUNTERS.computeIfAbsent(id, ignored -> new Counters());
    }

    /** Whether the failure is still to come, that is, whether sources have to wait for it. */
    boolean isPending() {
        return counters().failures.get() == 0;
    }

    /** Throws in the first attempt and does nothing after that. */
    void failOnce() {
        if (counters().failures.compareAndSet(0, 1)) {
            throw new IllegalStateException(
                    "Failure provoked by the test, to make the job restore");
        }
    }

    /** To be called by a source that starts from a position out of a checkpoint. */
    void readerRestored() {
        counters().restoredReaders.incrementAndGet();
    }

    int restoredReaders() {
        return counters().restoredReaders.get();
    }

    void forget() {
        COUNTERS.remove(id);
    }
}
