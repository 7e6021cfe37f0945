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

import java.util.concurrent.TimeUnit;

/**
 * How far bundles of the settings' size pay, by what the last ones cost. Lives in the task thread.
 *
 * <p>An end that nothing but idleness asks for may come when flushes take no more than a tenth of
 * the task's time. Where there is little to do that is always so, and a row waits for nothing.
 * Where a row costs so much, or so many come, that it is not so, rows gather for longer, until what
 * they share makes up for it or the bundle is full.
 *
 * <p>Rows whose flush is held up by the output hold up a checkpoint barrier behind them, too. A
 * bundle is made so small that this takes a given time, which costs little: where the output is
 * slow, the task has time. It grows again once nothing was held up for a while.
 */
final class BundlePace {

    /** How many times as long as a flush took nothing is flushed for idleness after it. */
    private static final long REST_PER_FLUSH = 9;

    /** By which part a bundle may be larger than the last where its flush was not held up. */
    private static final int GROWTH = 16;

    /** To how many parts of its rows a bundle is cut down at once, at most. */
    private static final int DEEPEST_CUT = 8;

    private final long mostRows;
    private final long toleratedNanos;
    private final long calmNanos;

    private long size;
    private long calmUntil;
    private long restsUntil;
    private boolean hasFlushed;

    /**
     * @param mostRows of a bundle, at least 1
     */
    BundlePace(long mostRows, HoldUpTolerance tolerance) {
        this.mostRows = mostRows;
        this.toleratedNanos = TimeUnit.MILLISECONDS.toNanos(tolerance.millis());
        this.calmNanos = TimeUnit.MILLISECONDS.toNanos(tolerance.calmMillis());
        this.size = mostRows;
    }

    /** Rows at which a bundle is full, at least 1. */
    long size() {
        return size;
    }

    /**
     * Returns for how many nanoseconds idleness is no reason to flush yet, 0 if it is.
     *
     * @param nanoTime now
     */
    long restNanos(long nanoTime) {
        return hasFlushed ? Math.max(0, restsUntil - nanoTime) : 0;
    }

    /**
     * A bundle was flushed.
     *
     * @param rows of it
     * @param startNanoTime when that began
     * @param endNanoTime when it was done
     * @param heldUpNanos for how long it waited for the output
     */
    void flushed(long rows, long startNanoTime, long endNanoTime, long heldUpNanos) {
        long work = Math.max(0, endNanoTime - startNanoTime - heldUpNanos);
        hasFlushed = true;
        restsUntil = endNanoTime + REST_PER_FLUSH * work;
        if (heldUpNanos > toleratedNanos) {
            long inTime = (long) (rows * ((double) toleratedNanos / heldUpNanos));
            size = Math.max(1, Math.min(size, Math.max(rows / DEEPEST_CUT, inTime)));
            calmUntil = endNanoTime + calmNanos;
        } else if (size < mostRows && endNanoTime - calmUntil >= 0) {
            size = Math.min(mostRows, size + 1 + size / GROWTH);
        }
    }
}
