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
package io.stateaccel.tests.gateway;

import org.apache.flink.table.functions.AggregateFunction;
import org.apache.flink.table.functions.ScalarFunction;

/** A user's functions, which a test packs into a jar of their own. */
public final class Functions {

    private Functions() {}

    /** A number, doubled. */
    public static final class Twice extends ScalarFunction {

        public Long eval(Long number) {
            return number * 2;
        }
    }

    /** The sum of the squares, also of rows that are taken back. */
    public static final class SumOfSquares extends AggregateFunction<Long, SumOfSquares.Sum> {

        @Override
        public Sum createAccumulator() {
            return new Sum();
        }

        public void accumulate(Sum sum, Long number) {
            sum.value += number * number;
        }

        public void retract(Sum sum, Long number) {
            sum.value -= number * number;
        }

        @Override
        public Long getValue(Sum sum) {
            return sum.value;
        }

        /** The accumulator. */
        public static final class Sum {
            public long value;
        }
    }
}
