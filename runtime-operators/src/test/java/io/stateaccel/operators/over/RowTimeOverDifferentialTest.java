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
package io.stateaccel.operators.over;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.RandomCases;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random rows through Flink's OVER aggregates by row time and through ours, with late ones
 * and some of before 1970, partitions that are dropped as nothing comes for them, checkpoints, and
 * restarts with more sub-tasks or fewer: each watermark brings the same results, those of a
 * partition in the same order.
 */
class RowTimeOverDifferentialTest {

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(6);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameResultsAsStock(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        OverCase over = OverCase.random(random);
        OverRun run = new OverRun(over, random.nextLong(), backend);

        assertThat(run.play(over::accelerated))
                .as("-Dstateaccel.seed=%d, %s: %s", seed, backend, over)
                .isEqualTo(run.play(over::stock));
    }
}
