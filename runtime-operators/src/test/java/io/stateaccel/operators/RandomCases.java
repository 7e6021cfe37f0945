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
     * Each seed with the name of each of Flink's state backends. One seed replays one case: {@code
     * -Dstateaccel.seed=...}.
     */
    public static Stream<Arguments> onBothBackends(int casesByDefault) {
        return of(casesByDefault, 1, TestBackends.HASHMAP, TestBackends.ROCKSDB);
    }

    /** As {@link #onBothBackends}, of cases that take so long that one stands for several. */
    public static Stream<Arguments> longOnesOnBothBackends(int casesByDefault, int standsFor) {
        return of(casesByDefault, standsFor, TestBackends.HASHMAP, TestBackends.ROCKSDB);
    }

    /**
     * As {@link #onBothBackends} and on the accelerated one, for operators that do there what they
     * do not elsewhere.
     */
    public static Stream<Arguments> onAllBackends(int casesByDefault) {
        return longOnesOnAllBackends(casesByDefault, 1);
    }

    /** As {@link #onAllBackends}, of cases that take so long that one stands for several. */
    public static Stream<Arguments> longOnesOnAllBackends(int casesByDefault, int standsFor) {
        return of(
                casesByDefault,
                standsFor,
                TestBackends.HASHMAP,
                TestBackends.ROCKSDB,
                TestBackends.ACCELERATED);
    }

    private static Stream<Arguments> of(int casesByDefault, int standsFor, String... backends) {
        Long replay = Long.getLong("stateaccel.seed");
        int cases = Integer.getInteger("stateaccel.cases", casesByDefault);
        return (replay != null ? LongStream.of(replay) : seeds(Math.max(1, cases / standsFor)))
                .boxed()
                .flatMap(seed -> Stream.of(backends).map(name -> Arguments.of(seed, name)));
    }

    private static LongStream seeds(int cases) {
        long of = Long.getLong("stateaccel.seeds-of", System.nanoTime());
        System.out.printf("-Dstateaccel.cases=%d -Dstateaccel.seeds-of=%d%n", cases, of);
        return new Random(of).longs(cases);
    }
}
