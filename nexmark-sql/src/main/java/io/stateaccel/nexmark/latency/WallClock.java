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

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The clock that creation times and arrivals are read from. It is the machine's, so that source and
 * sink need not be in one process, but have to be on one machine. On Linux its resolution is a
 * microsecond or finer; what steps it, as a correction over the network may, is in the latencies.
 */
public final class WallClock {

    private WallClock() {}

    /** Microseconds since the epoch. */
    public static long micros() {
        return micros(Instant.now());
    }

    /**
     * A clock that is right now and goes on without steps, in microseconds since the epoch: what
     * sets the machine's time forward does not make all events due, and what sets it back does not
     * keep them waiting.
     */
    public static LongSupplier steady() {
        long startMicros = micros();
        long startNanos = System.nanoTime();
        return () -> startMicros + TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - startNanos);
    }

    /** Microseconds from the epoch to an instant. */
    public static long micros(Instant instant) {
        return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1000;
    }
}
