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
package io.stateaccel.nexmark.function;

import org.apache.flink.table.functions.AggregateFunction;

/**
 * The highest value that a group has ever had. Unlike {@code MAX} it does not go back when rows are
 * retracted, so it remembers one number and not all values: for creation times, which say up to
 * which row a result is known to go.
 */
public final class Newest extends AggregateFunction<Long, Newest.Accumulator> {

    private static final long serialVersionUID = 1L;

    /** What is remembered. */
    public static final class Accumulator {

        /** Null before the first value. */
        public Long value;
    }

    @Override
    public Accumulator createAccumulator() {
        return new Accumulator();
    }

    @Override
    public Long getValue(Accumulator accumulator) {
        return accumulator.value;
    }

    /** Takes a value, which may be null. */
    public void accumulate(Accumulator accumulator, Long value) {
        if (value != null && (accumulator.value == null || value > accumulator.value)) {
            accumulator.value = value;
        }
    }

    /** Keeps what there is. */
    public void retract(Accumulator accumulator, Long value) {}

    /** Takes what others have taken. */
    public void merge(Accumulator accumulator, Iterable<Accumulator> others) {
        for (Accumulator other : others) {
            accumulate(accumulator, other.value);
        }
    }
}
