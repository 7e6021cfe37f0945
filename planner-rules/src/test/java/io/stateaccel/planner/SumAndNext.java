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
package io.stateaccel.planner;

import org.apache.flink.table.functions.TableAggregateFunction;
import org.apache.flink.util.Collector;

/** Emits the sum of numbers and the one after it. */
public final class SumAndNext extends TableAggregateFunction<Long, SumAndNext.Sum> {

    private static final long serialVersionUID = 1L;

    @Override
    public Sum createAccumulator() {
        return new Sum();
    }

    public void accumulate(Sum sum, Long value) {
        sum.value += value;
    }

    public void retract(Sum sum, Long value) {
        sum.value -= value;
    }

    public void merge(Sum sum, Iterable<Sum> others) {
        others.forEach(other -> sum.value += other.value);
    }

    public void emitValue(Sum sum, Collector<Long> out) {
        out.collect(sum.value);
        out.collect(sum.value + 1);
    }

    /** So far. */
    public static final class Sum {
        public long value;
    }
}
