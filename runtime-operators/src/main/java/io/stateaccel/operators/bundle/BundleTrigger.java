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
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.util.clock.Clock;

/**
 * Flushes a bundle when it is full, by rows or bytes, its oldest row has waited long enough, or the
 * task has nothing else to do. Lives in the task thread; timers and mails run there too. While the
 * bundle is empty at most one timer is pending, which fires once.
 */
public final class BundleTrigger implements AutoCloseable {

    /** For how long to wait for the other half of an update, which may go to another sub-task. */
    private static final long OTHER_HALF_MILLIS = 1;

    private final BundleSettings settings;
    private final BundlePace pace;
    private final ProcessingTimeService time;
    private final Clock clock;
    private final TaskActivity task;
    private final Flush flush;

    private long rows;
    private long bytes;

    /** When the first row came, in nanoseconds and by processing time. */
    private long firstNanos;

    private long firstMillis;

    /** Whether the last row is the first half of an update. */
    private boolean torn;

    private ScheduledFuture<?> latencyTimer;
    private ScheduledFuture<?> restTimer;

    /**
     * @param clock for what flushes take
     * @param task closed with this
     * @param flush empties the bundle; called with at least one row in it
     */
    BundleTrigger(
            BundleSettings settings,
            ProcessingTimeService time,
            Clock clock,
            TaskActivity task,
            Flush flush) {
        this.settings = settings;
        this.pace = new BundlePace(settings.size(), task.tolerance());
        this.time = time;
        this.clock = clock;
        this.task = task;
        this.flush = flush;
        if (settings.followsLoad()) {
            task.whenIdle(() -> rows > 0, this::taskIsIdle);
        }
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
        if (rows++ == 0) {
            begin();
        }
        bytes += moreBytes;
        torn = halfAnUpdate;
        if (!torn && rows >= pace.size()) {
            flush(FlushReason.FULL);
        } else if (!torn && bytes >= settings.maxBytes().getBytes()) {
            flush(FlushReason.BYTES);
        }
    }

    private void begin() {
        firstNanos = clock.relativeTimeNanos();
        firstMillis = time.getCurrentProcessingTime();
        if (latencyTimer == null) {
            flushAt(firstMillis + settings.latencyMillis());
        }
    }

    private void flushAt(long millis) {
        latencyTimer =
                time.registerTimer(
                        millis,
                        timestamp -> {
                            latencyTimer = null;
                            if (rows > 0) {
                                rowsAreDueBy(firstMillis + settings.latencyMillis());
                            }
                        });
    }

    private void rowsAreDueBy(long due) throws Exception {
        long now = time.getCurrentProcessingTime();
        if (now < due) {
            // The timer is from a bundle before, which ended for another reason.
            flushAt(due);
        } else if (torn) {
            // Once only: where the other half goes is not known.
            torn = false;
            flushAt(now + OTHER_HALF_MILLIS);
        } else {
            flush(FlushReason.LATENCY);
        }
    }

    /** Flushes, or sees to it that this is called again when it is time to. */
    private boolean taskIsIdle() throws Exception {
        if (rows == 0) {
            return true;
        }
        long rest = TimeUnit.NANOSECONDS.toMillis(pace.restNanos(clock.relativeTimeNanos()));
        if (torn) {
            torn = false;
            rest = Math.max(rest, OTHER_HALF_MILLIS);
        }
        if (rest > 0) {
            restTimer =
                    time.registerTimer(
                            time.getCurrentProcessingTime() + rest, timestamp -> task.resume());
            return false;
        }
        long flushed = rows;
        flush(FlushReason.IDLE);
        task.sendResults(flushed);
        return true;
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
        long start = clock.relativeTimeNanos();
        long waitedMillis = TimeUnit.NANOSECONDS.toMillis(start - firstNanos);
        if (!settings.followsLoad()) {
            flush.flush(reason, flushed, waitedMillis);
            return;
        }
        task.flushBegins();
        flush.flush(reason, flushed, waitedMillis);
        long end = clock.relativeTimeNanos();
        pace.flushed(flushed, start, end, task.flushEnds(end - start));
    }

    /** Rows in the bundle. */
    public long rows() {
        return rows;
    }

    /** Bytes of heap that the bundle takes, estimated. */
    public long bytes() {
        return bytes;
    }

    /** Rows at which the bundle is full now. */
    public long size() {
        return pace.size();
    }

    /** Drops pending timers; the bundle is not flushed. */
    @Override
    public void close() {
        task.close();
        cancel(latencyTimer);
        cancel(restTimer);
    }

    private static void cancel(ScheduledFuture<?> timer) {
        if (timer != null) {
            timer.cancel(false);
        }
    }

    /** What empties the bundle. */
    @FunctionalInterface
    public interface Flush {
        /**
         * @param rows in the bundle, at least one
         * @param waitedMillis for how long the oldest of them has waited
         */
        void flush(FlushReason reason, long rows, long waitedMillis) throws Exception;
    }
}
