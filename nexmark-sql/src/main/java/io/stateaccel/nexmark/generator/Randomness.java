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
package io.stateaccel.nexmark.generator;

/**
 * Random bits as a pure function of an event number and of what they are for.
 *
 * <p>Nothing is carried from one call to the next, so a field costs nothing unless it is asked for,
 * and neither the order of calls nor a split of the event numbers can change the stream. Stateless
 * and thread safe.
 */
final class Randomness {

    private static final long EVENT_STEP = 0x9E3779B97F4A7C15L;
    private static final long PURPOSE_STEP = 0xD1B54A32D192ED03L;

    private Randomness() {}

    /**
     * Returns 64 random bits.
     *
     * @param eventNumber the event
     * @param purpose tells apart the decisions within one event; two calls with the same purpose
     *     give the same bits
     */
    static long bits(long eventNumber, int purpose) {
        // The finaliser of SplitMix64, whose increments may be any odd numbers.
        long z = (eventNumber + 1) * EVENT_STEP + (purpose + 1) * PURPOSE_STEP;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** Returns a number in {@code [0, bound)}, for a bound between 1 and 2^62. */
    static long below(long bound, long eventNumber, int purpose) {
        return Math.multiplyHigh(bits(eventNumber, purpose) >>> 1, bound << 1);
    }

    /** Returns true with probability {@code 1 - 1/ratio}, for a ratio of at least 1. */
    static boolean hot(int ratio, long eventNumber, int purpose) {
        return below(ratio, eventNumber, purpose) > 0;
    }
}
