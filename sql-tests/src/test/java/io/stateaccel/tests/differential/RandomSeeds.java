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
package io.stateaccel.tests.differential;

import java.util.Random;

/** Random numbers that follow from the number of a case or of a batch. */
final class RandomSeeds {

    private RandomSeeds() {}

    /** Java's generator maps neighbouring seeds to similar first numbers; this spreads them. */
    static Random random(long seed) {
        return new Random((seed + 1) * 0x9E3779B97F4A7C15L);
    }
}
