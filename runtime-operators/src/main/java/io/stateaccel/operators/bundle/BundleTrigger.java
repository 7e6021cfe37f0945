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
package io.stateaccel.operators.bundle;

import java.util.concurrent.ScheduledFuture;
import org.apache.flink.api.common.operators.ProcessingTimeService;

/**
 * Flushes a bundle when it is full, by rows or bytes, or its oldest row has waited long enough.
 * Lives in the task thread; the timer's callback runs there too. No timer is pending while the
 * bundle is empty.
 */
public final class BundleTrigger {

    private final BundleSettings settings;
    private final ProcessingTimeService time;
    private final Flush flush;

    private long rows;
    private long bytes;

    /** Whether the last row is the first half of an update. */
    private boolean torn;

    private ScheduledFuture<?> timer;

    /**
     * @param flush empties the bundle; called with at least one row in it
     */
    public BundleTrigger(BundleSettings settings, ProcessingTimeService time, Flush flush) {
        this.settings = settings;
        this.time = time;
        this.flush = flush;
    }

    /**
     * A row has been put into the bundle. Flushes when that fills it, but for the first half of an
     * update: the other half is about to come, unless it goes to another sub-task.
     *
     * @param moreBytes of heap that the bundle takes than before, less than 0 where a row took the
     *     place of a larger one
     * @param halfAnUpdate whether to flush rather after the next row
     */
    public void rowAdded(long moreBytes, boolean halfAnUpdate) throws Exception {
        rows++;
        bytes += moreBytes;
        torn = halfAnUpdate;
        if (!torn && rows >= settings.size()) {
            flush(FlushReason.FULL);
        } else if (!torn && bytes >= settings.maxBytes().getBytes()) {
            flush(FlushReason.BYTES);
        } else if (timer == null) {
            flushIn(settings.latencyMillis());
        }
    }

    private void flushIn(long millis) {
        timer =
                time.registerTimer(
                        time.getCurrentProcessingTime() + millis,
                        timestamp -> {
                            timer = null;
                            if (torn) {
                                // Once only: where the other half goes is not known.
                                torn = false;
                                flushIn(1);
                            } else {
                                flush(FlushReason.LATENCY);
                            }
                        });
    }

    /** Flushes what is there, if anything is. */
    public void flush(FlushReason reason) throws Exception {
        if (rows == 0) {
            return;
        }
        long flushed = rows;
        rows = 0;
        bytes = 0;
        torn = false;
        close();
        flush.flush(reason, flushed);
    }

    /** Rows in the bundle. */
    public long rows() {
        return rows;
    }

    /** Bytes of heap that the bundle takes, estimated. */
    public long bytes() {
        return bytes;
    }

    /** Drops the pending timer; the bundle is not flushed. */
    public void close() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    /** What empties the bundle. */
    @FunctionalInterface
    public interface Flush {
        /**
         * @param rows in the bundle, at least one
         */
        void flush(FlushReason reason, long rows) throws Exception;
    }
}
