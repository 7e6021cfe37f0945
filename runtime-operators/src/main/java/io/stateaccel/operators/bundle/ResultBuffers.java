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
import javax.annotation.Nullable;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.util.clock.Clock;

/**
 * The network buffers in which a task's results wait for others, for as long as {@code
 * execution.buffer-timeout.interval} says, 100 ms by default. They are sent as they are when the
 * task has nothing else to do, since no others are about to come then.
 *
 * <p>What a buffer costs, here and downstream, hardly depends on what is in it, so it is not done
 * too often: after each time as many milliseconds pass as rows have come, up to the number of
 * sub-partitions. Where a row has one result, that is a thousand buffers a second at most. It is 20
 * ms at least, since a task under full load is idle for moments, too, whenever it has to share its
 * core. What Flink sends, when buffers are full or the timeout is over, is not counted.
 *
 * <p>Lives in the task thread; timers run there too.
 */
final class ResultBuffers implements AutoCloseable {

    private static final long MILLIS_PER_BUFFER = 1;
    private static final long LEAST_PAUSE_MILLIS = 20;

    private final Runnable sender;
    private final long mostBuffers;
    private final long timeoutMillis;
    private final ProcessingTimeService time;
    private final Clock clock;

    /** Rows whose results may be in the buffers. */
    private long rows;

    private boolean hasSent;
    private long pausesUntilNanos;

    @Nullable private ScheduledFuture<?> timer;

    /**
     * @param sender sends what is in the buffers
     * @param mostBuffers that it may send
     * @param timeoutMillis after which Flink does so, less than 0 for never
     * @param clock for the time between
     */
    ResultBuffers(
            Runnable sender,
            long mostBuffers,
            long timeoutMillis,
            ProcessingTimeService time,
            Clock clock) {
        this.sender = sender;
        this.mostBuffers = mostBuffers;
        this.timeoutMillis = timeoutMillis;
        this.time = time;
        this.clock = clock;
    }

    /**
     * The task is idle, and results are in its buffers.
     *
     * @param moreRows that they are of
     */
    void send(long moreRows) {
        if (timeoutMillis <= LEAST_PAUSE_MILLIS) {
            // They do not wait, or are to be full.
            return;
        }
        rows += moreRows;
        if (timer != null) {
            return;
        }
        long pauseMillis = pauseMillis();
        if (pauseMillis == 0) {
            send();
        } else if (pauseMillis < timeoutMillis) {
            timer =
                    time.registerTimer(
                            time.getCurrentProcessingTime() + pauseMillis,
                            timestamp -> {
                                timer = null;
                                send();
                            });
        }
    }

    private long pauseMillis() {
        long nanos = hasSent ? pausesUntilNanos - clock.relativeTimeNanos() : 0;
        return nanos <= 0 ? 0 : 1 + TimeUnit.NANOSECONDS.toMillis(nanos - 1);
    }

    private void send() {
        sender.run();
        long buffers = Math.min(rows, mostBuffers);
        long pauseMillis = Math.max(LEAST_PAUSE_MILLIS, buffers * MILLIS_PER_BUFFER);
        pausesUntilNanos = clock.relativeTimeNanos() + TimeUnit.MILLISECONDS.toNanos(pauseMillis);
        hasSent = true;
        rows = 0;
    }

    @Override
    public void close() {
        if (timer != null) {
            timer.cancel(false);
        }
    }
}
