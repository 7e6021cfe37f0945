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
package io.stateaccel.operators.window.join;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.RandomCases;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random rows through Flink's join of windows and through ours, with late ones, with
 * checkpoints and restarts in between, in which either goes on from what the other has stored, with
 * more sub-tasks or fewer: the same results come at the same watermarks.
 */
class HeapWindowJoinDifferentialTest {

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(4);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameResultsAsStock(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        WindowJoinCase window = WindowJoinCase.random(random);
        WindowJoinRun run = new WindowJoinRun(window, random.nextLong(), backend);
        String description = "-Dstateaccel.seed=%d, %s: %s".formatted(seed, backend, window);

        List<List<String>> stock = run.play(starts -> window.stock());
        assertThat(run.play(starts -> window.accelerated())).as(description).isEqualTo(stock);
        assertThat(run.play(starts -> starts % 2 == 0 ? window.accelerated() : window.stock()))
                .as("taking turns, " + description)
                .isEqualTo(stock);
    }
}
