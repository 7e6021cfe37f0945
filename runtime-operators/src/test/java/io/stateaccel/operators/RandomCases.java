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
package io.stateaccel.operators;

import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/**
 * Seeds of random cases: {@code -Dstateaccel.cases=N} runs more of them than by default, {@code
 * -Dstateaccel.seeds-of=...} those of an earlier run, which has printed that.
 */
public final class RandomCases {

    private RandomCases() {}

    /**
     * Each seed with the name of each state backend. One seed replays one case: {@code
     * -Dstateaccel.seed=...}.
     */
    public static Stream<Arguments> onBothBackends(int casesByDefault) {
        return onBothBackendsOf(Integer.getInteger("stateaccel.cases", casesByDefault));
    }

    /** As {@link #onBothBackends}, of cases that take so long that one stands for several. */
    public static Stream<Arguments> longOnesOnBothBackends(int casesByDefault, int standsFor) {
        int cases = Integer.getInteger("stateaccel.cases", casesByDefault);
        return onBothBackendsOf(Math.max(1, cases / standsFor));
    }

    private static Stream<Arguments> onBothBackendsOf(int cases) {
        Long replay = Long.getLong("stateaccel.seed");
        return (replay != null ? LongStream.of(replay) : seeds(cases))
                .boxed()
                .flatMap(
                        seed ->
                                Stream.of(
                                        Arguments.of(seed, "hashmap"),
                                        Arguments.of(seed, "rocksdb")));
    }

    private static LongStream seeds(int cases) {
        long of = Long.getLong("stateaccel.seeds-of", System.nanoTime());
        System.out.printf("-Dstateaccel.cases=%d -Dstateaccel.seeds-of=%d%n", cases, of);
        return new Random(of).longs(cases);
    }
}
