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
package io.stateaccel.views.time;

/**
 * Sums of times, which stay at the ends of what a {@code long} holds instead of wrapping round.
 * Guava's {@code LongMath} has them too; in the finished jar it would be 92 classes of 110 KB, as
 * Flink's own Guava is in another package in each version of Flink.
 */
public final class SaturatedMath {

    private SaturatedMath() {}

    public static long add(long a, long b) {
        long sum = a + b;
        // Both have the sign that the sum has not.
        return ((a ^ sum) & (b ^ sum)) < 0 ? (a < 0 ? Long.MIN_VALUE : Long.MAX_VALUE) : sum;
    }
}
