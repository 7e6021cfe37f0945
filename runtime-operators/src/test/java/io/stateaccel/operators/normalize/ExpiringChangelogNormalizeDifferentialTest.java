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
package io.stateaccel.operators.normalize;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.clock.ClockedComparison;
import io.stateaccel.operators.clock.ClockedRun.Operators;
import io.stateaccel.operators.clock.ClockedScript;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.views.time.TimeToLive;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random changes through Flink's normalisation and through ours, under a clock by which
 * rows expire: between bundles, within them, and between a snapshot and what goes on from it, with
 * more sub-tasks or fewer, of which either may be Flink's. What is compared with is Flink's
 * function to which the changes of a bundle come at its flush. After each bundle whoever reads by
 * key has the same rows, and is told of the same.
 */
class ExpiringChangelogNormalizeDifferentialTest {

    private static final long TTL = 1000;

    /** No bundle ends because of its age. */
    private static final long NEVER = 1L << 60;

    private static final int LARGE_BUNDLE = 1_000_000;

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(6);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameResultsAsStock(long seed, String backend) throws Exception {
        for (boolean turns : new boolean[] {false, true}) {
            assertThat(difference(seed, backend, turns, TTL))
                    .as("-Dstateaccel.seed=%d on %s, taking turns: %s", seed, backend, turns)
                    .isEmpty();
        }
    }

    /** Rows that expire too early, too late or never. */
    @Test
    void findsWhatExpiresAtAnotherTime() throws Exception {
        for (long broken : new long[] {TTL + 1, TTL - 1, 0}) {
            int found = 0;
            for (long seed : new Random(1).longs(150).toArray()) {
                if (difference(seed, "hashmap", false, broken).isPresent()) {
                    found++;
                }
            }
            assertThat(found).as("cases that differ with %d ms", broken).isPositive();
        }
    }

    /** The first difference between ours and Flink's, whose state expires as is given. */
    private static Optional<String> difference(
            long seed, String backend, boolean turns, long stocksTtl) throws Exception {
        Random random = new Random(seed);
        NormalizeCase any = NormalizeCase.random(random);
        NormalizeCase normalize =
                new NormalizeCase(any.generateUpdateBefore(), any.hasCondition(), LARGE_BUNDLE);
        ClockedScript script = ClockedScript.of(NormalizeCase.changes(random), TTL, random);
        Operators operators =
                isOurs ->
                        isOurs
                                ? normalize.accelerated(TimeToLive.ofMillis(TTL), NEVER)
                                : normalize.stock(stocksTtl);
        return new ClockedComparison(
                        operators,
                        new JoinCase.Selector(JoinCase.KEY),
                        normalize::toldRows,
                        normalize.toString())
                .difference(script, backend, turns);
    }
}
