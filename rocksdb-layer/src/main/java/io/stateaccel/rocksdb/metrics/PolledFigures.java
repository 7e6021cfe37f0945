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
package io.stateaccel.rocksdb.metrics;

import java.util.concurrent.TimeUnit;
import org.apache.flink.util.ResourceGuard;
import org.apache.flink.util.function.SupplierWithException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Figures that are taken when somebody asks for them, at most once a second, as a reporter asks for
 * each metric by itself. What is asked for after the guard has been closed, or fails, is the last
 * that was taken. Thread-safe.
 *
 * @param <F> the figures, immutable
 */
final class PolledFigures<F> {

    private static final Logger LOG = LoggerFactory.getLogger(PolledFigures.class);
    private static final long MOST_AGE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ResourceGuard guard;
    private final SupplierWithException<F, Exception> source;

    private F figures;
    private boolean taken;
    private long takenAt;

    /**
     * @param guard of what is looked at, which is not closed while it is looked at
     * @param source takes the figures
     * @param none what they are before they have been taken
     */
    PolledFigures(ResourceGuard guard, SupplierWithException<F, Exception> source, F none) {
        this.guard = guard;
        this.source = source;
        this.figures = none;
    }

    synchronized F get() {
        long now = System.nanoTime();
        if (!taken || now - takenAt > MOST_AGE_NANOS) {
            taken = true;
            takenAt = now;
            take();
        }
        return figures;
    }

    private void take() {
        if (guard.isClosed()) {
            return;
        }
        try (ResourceGuard.Lease lease = guard.acquireResource()) {
            figures = source.get();
        } catch (Exception e) {
            // The guard may have been closed by now, which is no news.
            LOG.debug("[state-accel] no new figures", e);
        }
    }
}
