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
package io.stateaccel.operators.deduplicate;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.clock.ClockedComparison;
import io.stateaccel.operators.clock.ClockedRun.Operators;
import io.stateaccel.operators.clock.ClockedScript;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.views.time.TimeToLive;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random insertions through Flink's deduplications and through ours, under a clock by
 * which rows expire: between bundles, within them, and between a snapshot and what goes on from it,
 * with more sub-tasks or fewer, of which either may be Flink's. What is compared with is Flink's
 * function to which the rows of a bundle come at its flush. After each bundle the result is the
 * same, and ours has emitted a row of each key that Flink's has emitted one of, an equal one too.
 */
class ExpiringDeduplicateDifferentialTest {

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

    /** Rows that are never renewed, by another time to live, and rows that live for ever. */
    @Test
    void findsWhatExpiresAtAnotherTime() throws Exception {
        for (long broken : new long[] {TTL + 1, TTL - 1, 0}) {
            Map<String, Integer> found = new HashMap<>();
            for (long seed : new Random(1).longs(150).toArray()) {
                DeduplicateCase deduplication = random(new Random(seed));
                if (difference(seed, "hashmap", false, broken).isPresent()) {
                    found.merge(kind(deduplication), 1, Integer::sum);
                }
            }
            assertThat(found)
                    .as("with %d ms", broken)
                    .containsOnlyKeys("first to come", "last to come", "first row", "last row");
        }
    }

    private static String kind(DeduplicateCase deduplication) {
        return (deduplication.keepLast() ? "last " : "first ")
                + (deduplication.byRowTime() ? "row" : "to come");
    }

    private static DeduplicateCase random(Random random) {
        DeduplicateCase any = DeduplicateCase.random(random);
        return new DeduplicateCase(
                any.byRowTime(),
                any.keepLast(),
                any.generateUpdateBefore(),
                any.generateInsert(),
                LARGE_BUNDLE);
    }

    /** The first difference between ours and Flink's, whose state expires as is given. */
    private static Optional<String> difference(
            long seed, String backend, boolean turns, long stocksTtl) throws Exception {
        Random random = new Random(seed);
        DeduplicateCase deduplication = random(random);
        ClockedScript script = ClockedScript.of(DeduplicateCase.rows(random), TTL, random);
        Operators operators =
                isOurs ->
                        isOurs
                                ? deduplication.accelerated(TimeToLive.ofMillis(TTL), NEVER)
                                : deduplication.stock(stocksTtl);
        return new ClockedComparison(
                        operators,
                        new JoinCase.Selector(JoinCase.KEY),
                        deduplication::toldRows,
                        deduplication.toString())
                .difference(script, backend, turns);
    }
}
