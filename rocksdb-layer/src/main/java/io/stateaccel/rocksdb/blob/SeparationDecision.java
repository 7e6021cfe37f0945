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
package io.stateaccel.rocksdb.blob;

import io.stateaccel.rocksdb.metrics.ValueLengths;

/**
 * Whether the long values of one state are worth separating, from the lengths of those that are
 * written.
 *
 * <p>Short values stay with their keys in any case, so the question is whether compactions mostly
 * carry long ones along: it pays when half of the bytes are in long values, and goes on until that
 * is less than a quarter. Three things keep it from going to and fro, as each switch leaves values
 * in two places until compactions and updates have moved them:
 *
 * <ul>
 *   <li>the gap between the two shares;
 *   <li>old lengths count too, half as much at each further decision. Where little is written,
 *       lengths are gathered over several checkpoints first, and none fade meanwhile;
 *   <li>a rest after each switch, of {@value #FIRST_REST} checkpoints at first and twice as many
 *       after each further one, up to {@value #LONGEST_REST}. A state that changes in turns comes
 *       to rest with either answer, and both are sound.
 * </ul>
 *
 * <p>Not thread-safe.
 */
final class SeparationDecision {

    /**
     * Values from this length on are long: from here on separation saves CPU for writes, below it
     * costs some ({@code docs/internals.md} has the figures).
     */
    static final int LONG_BYTES = 1 << 10;

    /** Share of bytes in long values from which on they are separated. */
    static final double BEGIN_SHARE = 0.5;

    /** Share of bytes in long values below which they are not separated any more. */
    static final double END_SHARE = 0.25;

    /** Fewer values say nothing yet, and neither do fewer bytes. */
    static final long LEAST_VALUES = 100;

    static final long LEAST_BYTES = 1 << 20;

    /** In checkpoints. */
    static final int FIRST_REST = 10;

    static final int LONGEST_REST = 640;

    private final ValueLengths lengths;
    private boolean on;
    private double longShare;
    private int nextRest = FIRST_REST;
    private int checkpointsToRest;

    /**
     * @param lengths of the values that are written, in the course of time
     * @param on whether they are separated at first
     */
    SeparationDecision(ValueLengths lengths, boolean on) {
        this.lengths = lengths;
        this.on = on;
    }

    /** To be called at each checkpoint; returns whether long values are to be separated now. */
    boolean review() {
        checkpointsToRest = Math.max(0, checkpointsToRest - 1);
        if (lengths.values() < LEAST_VALUES || lengths.bytes() < LEAST_BYTES) {
            return on;
        }
        longShare = lengths.shareFrom(LONG_BYTES);
        lengths.age();
        if (checkpointsToRest == 0 && (on ? longShare < END_SHARE : longShare >= BEGIN_SHARE)) {
            on = !on;
            checkpointsToRest = nextRest;
            nextRest = Math.min(2 * nextRest, LONGEST_REST);
        }
        return on;
    }

    /** The share, 0 to 1, of bytes in long values when that was last looked at. */
    double longShare() {
        return longShare;
    }
}
