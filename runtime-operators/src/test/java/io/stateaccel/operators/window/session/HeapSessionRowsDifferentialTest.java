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
package io.stateaccel.operators.window.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.window.WindowRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random rows through Flink's session windows without an aggregate, through ours, and
 * through {@link SessionRowsByDefinition}, with late ones, with checkpoints and restarts in
 * between, in which either of the first two goes on from what the other has stored, with more
 * sub-tasks or fewer: the same rows come in the same order of each key, at the same watermarks and
 * times, and as many are late. What Flink has beside that are rows which it was seen to mistake, in
 * {@link StockSessionRows}, and it has each of them.
 */
class HeapSessionRowsDifferentialTest {

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(4);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameResultsAsStock(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        SessionRowsCase window = SessionRowsCase.random(random);
        long events = random.nextLong();
        WindowRun run = new WindowRun(window, events, backend);
        String description = "-Dstateaccel.seed=%d, %s: %s".formatted(seed, backend, window);

        List<List<String>> expected =
                new WindowRun(window, events, "hashmap").play(starts -> window.byDefinition());
        assertThat(run.play(starts -> window.accelerated())).as(description).isEqualTo(expected);

        List<String> leftovers = new ArrayList<>();
        assertThat(without(leftovers, run.play(starts -> window.stock(leftovers::add)), expected))
                .as("stock, " + description)
                .isEqualTo(expected);
        assertThat(leftovers).as("stock, " + description).isEmpty();

        int ours = random.nextInt(2);
        List<List<String>> turns =
                run.play(
                        starts ->
                                starts % 2 == ours
                                        ? window.accelerated()
                                        : window.stock(leftovers::add));
        assertThat(without(leftovers, turns, expected))
                .as("taking turns, " + description)
                .isEqualTo(expected);
        assertThat(leftovers).as("taking turns, " + description).isEmpty();
    }

    /**
     * Takes leftovers from where they are too much, off both lists.
     *
     * @param results between one event and the next
     */
    private static List<List<String>> without(
            List<String> leftovers, List<List<String>> results, List<List<String>> expected) {
        List<List<String>> without = new ArrayList<>();
        for (int event = 0; event < results.size(); event++) {
            List<String> right = expected.get(event);
            List<String> kept = new ArrayList<>();
            for (String result : results.get(event)) {
                boolean isNext =
                        kept.size() < right.size() && result.equals(right.get(kept.size()));
                if (isNext || !leftovers.remove(SessionRowsCase.rowIn(result))) {
                    kept.add(result);
                }
            }
            without.add(kept);
        }
        return without;
    }
}
