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
package io.stateaccel.operators.join.interval;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.views.time.SaturatedMath;
import java.io.Serializable;
import org.apache.flink.table.runtime.generated.GeneratedJoinCondition;

/**
 * Everything a {@link MiniBatchIntervalJoinOperator} is made of. Times are milliseconds; a pair of
 * rows matches when {@code right + lower <= left <= right + upper} and the condition says so.
 *
 * @param left the left input
 * @param right the right input
 * @param lower bound of the left row's time, relative to the right row's
 * @param upper bound of the left row's time, relative to the right row's, not less than {@code
 *     lower}
 * @param minCleanUpInterval how much longer than needed rows are kept at least, those of an outer
 *     side just as long
 * @param condition what else has to be true of a pair, always true where there is none
 * @param filterNullKeys per key column, whether NULL keys match nothing
 * @param bundle when a bundle is flushed
 */
public record MiniBatchIntervalJoinSpec(
        IntervalJoinSideSpec left,
        IntervalJoinSideSpec right,
        long lower,
        long upper,
        long minCleanUpInterval,
        GeneratedJoinCondition condition,
        boolean[] filterNullKeys,
        BundleSettings bundle)
        implements Serializable {

    public MiniBatchIntervalJoinSpec {
        if ((left.timeColumn() == IntervalJoinSideSpec.ARRIVAL)
                != (right.timeColumn() == IntervalJoinSideSpec.ARRIVAL)) {
            throw new IllegalArgumentException("One side goes by row time, and the other does not");
        }
        if (lower > upper) {
            throw new IllegalArgumentException(
                    "The interval from " + lower + " ms to " + upper + " ms is empty");
        }
    }

    boolean isByArrival() {
        return left.timeColumn() == IntervalJoinSideSpec.ARRIVAL;
    }

    /** How far a time reaches into the other side. */
    long size() {
        return SaturatedMath.add(upper, -lower);
    }

    /**
     * The longest time from a row to the output of a pair with it, for which watermarks are held
     * back; they say nothing of processing time.
     */
    long maxOutputDelay() {
        return isByArrival() ? 0 : Math.max(-lower, upper);
    }
}
