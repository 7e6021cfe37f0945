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
package io.stateaccel.nexmark.latency;

/**
 * Says how long the next row is to wait where so many pass per second. What was not taken in a
 * pause is not made up for. Not thread safe.
 */
final class Pace {

    /** A wait takes whole milliseconds and longer than asked for: that much is made up for. */
    private static final long LATEST_NANOS = 10_000_000;

    private final long nanosPerRow;
    private long nextNanos;

    /**
     * @param rowsPerSecond above 0
     * @param nanoTime now
     */
    Pace(double rowsPerSecond, long nanoTime) {
        this.nanosPerRow = (long) (1e9 / rowsPerSecond);
        this.nextNanos = nanoTime;
    }

    /**
     * Takes the next row's turn.
     *
     * @param nanoTime now
     * @return the milliseconds until it
     */
    long millisToWait(long nanoTime) {
        long early = nextNanos - nanoTime;
        if (early < -LATEST_NANOS) {
            nextNanos -= early + LATEST_NANOS;
        }
        nextNanos += nanosPerRow;
        return early > 0 ? (early + 999_999) / 1_000_000 : 0;
    }
}
