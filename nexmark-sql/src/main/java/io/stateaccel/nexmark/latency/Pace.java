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
 * Lets so many rows per second pass and has the thread wait for the others. What was not taken in a
 * pause is not made up for. Not thread safe.
 */
final class Pace {

    /** A sleep takes whole milliseconds and longer than asked for: that much is made up for. */
    private static final long LATEST_NANOS = 10_000_000;

    private final long nanosPerRow;
    private long nextNanos;

    /**
     * @param rowsPerSecond above 0
     */
    Pace(double rowsPerSecond) {
        this.nanosPerRow = (long) (1e9 / rowsPerSecond);
        this.nextNanos = System.nanoTime();
    }

    /** Returns when a row may pass. */
    void await() throws InterruptedException {
        long early = nextNanos - System.nanoTime();
        if (early > 0) {
            Thread.sleep((early + 999_999) / 1_000_000);
        } else if (early < -LATEST_NANOS) {
            nextNanos -= early + LATEST_NANOS;
        }
        nextNanos += nanosPerRow;
    }
}
