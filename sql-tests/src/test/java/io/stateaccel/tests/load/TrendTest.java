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
package io.stateaccel.tests.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Of made-up figures: what the load test takes for a leak, and what not. */
class TrendTest {

    private static final int SAMPLES = 60;
    private static final long MIB = 1 << 20;

    private final Random random = new Random(42);

    @Test
    void aLineGrowsByWhatItGrows() {
        assertThat(growth(i -> 100 + 3 * i)).isCloseTo(3 * (SAMPLES - 1), within(1e-6));
        assertThat(growth(i -> 100 - 3 * i)).isCloseTo(-3 * (SAMPLES - 1), within(1e-6));
    }

    @Test
    void noiseDoesNotGrow() {
        assertThat(growth(i -> 1000 * MIB + random.nextLong(60 * MIB))).isLessThan(16 * MIB);
    }

    @Test
    void aSawToothDoesNotGrow() {
        assertThat(growth(i -> 500 + 40 * (i % 7))).isBetween(-60.0, 60.0);
    }

    @Test
    void anOutlierDoesNotCount() {
        assertThat(growth(i -> i == 50 ? 1000 * MIB : 500 * MIB)).isZero();
    }

    @Test
    void aLeakIsSeenThroughNoise() {
        assertThat(growth(i -> 1000 * MIB + random.nextLong(60 * MIB) + 2 * MIB * i))
                .isCloseTo(2.0 * MIB * SAMPLES, within(24.0 * MIB));
    }

    private static double growth(LongUnaryOperator sample) {
        List<Long> samples = LongStream.range(0, SAMPLES).map(sample).boxed().toList();
        return Trend.growth(samples);
    }
}
