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

/** Random prices: {@code round(10^(6u) * 100)} for u uniform in [0, 1). Thread safe. */
final class Prices {

    private static final int STEPS = 1024;
    private static final double LN_10 = StrictMath.log(10);

    /** {@code 100 * 10^(6i/STEPS)}. */
    private static final double[] COARSE = new double[STEPS];

    static {
        for (int i = 0; i < STEPS; i++) {
            COARSE[i] = 100 * StrictMath.pow(10, 6.0 * i / STEPS);
        }
    }

    private Prices() {}

    /**
     * Returns a price between 100 and 10^8. A table and a short series replace {@code Math.pow},
     * whose last bit may differ between machines.
     */
    static long random(long eventNumber, int purpose) {
        long bits = Randomness.bits(eventNumber, purpose);
        int step = (int) (bits >>> 54);
        double u = (bits & ((1L << 54) - 1)) * 0x1p-54;
        double x = u * (6 * LN_10 / STEPS);
        // e^x for x < 0.0136: the fifth term is below 5e-12.
        double fine = 1 + x * (1 + x * (1 / 2.0 + x * (1 / 6.0 + x * (1 / 24.0))));
        return (long) (COARSE[step] * fine + 0.5);
    }
}
