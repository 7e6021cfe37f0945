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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/**
 * Cases of one kind, run in the order of their seeds, and what has come of them.
 *
 * <p>The module's README names the properties that choose the cases.
 */
final class Fuzzer {

    private final CaseRunner runner;
    private final LongFunction<DifferentialCase> cases;
    private final Set<Long> runAlone;

    private final Deque<Verdict> verdicts = new ArrayDeque<>();
    private final Map<String, Integer> acceleratedJoins = new TreeMap<>();
    private long casesRun;
    private long casesUnplanned;
    private long casesStockFailed;

    /**
     * @param cases by their seed
     * @param runAlone seeds of cases that do not share a job
     */
    Fuzzer(CaseRunner runner, LongFunction<DifferentialCase> cases, Set<Long> runAlone) {
        this.runner = runner;
        this.cases = cases;
        this.runAlone = runAlone;
    }

    /**
     * The seeds that are asked for.
     *
     * @param cases how many there are by default
     * @param further seeds that are run by default as well
     */
    static LongStream seeds(long cases, Set<Long> further) {
        Long only = Long.getLong("stateaccel.seed");
        if (only != null) {
            return LongStream.range(0, Long.getLong("stateaccel.repeat", 1)).map(i -> only);
        }
        long first = Long.getLong("stateaccel.first-seed", 0L);
        Long minutes = Long.getLong("stateaccel.minutes");
        if (minutes != null) {
            Instant end = Instant.now().plus(Duration.ofMinutes(minutes));
            return LongStream.iterate(first, seed -> Instant.now().isBefore(end), seed -> seed + 1);
        }
        LongStream seeds = LongStream.range(first, first + Long.getLong("stateaccel.cases", cases));
        return isByDefault()
                ? LongStream.concat(seeds, further.stream().mapToLong(Long::longValue).sorted())
                : seeds;
    }

    static boolean isByDefault() {
        return Long.getLong("stateaccel.first-seed") == null;
    }

    /** Asserts that the case gives the same accelerated as on stock Flink. */
    void check(long seed) {
        Verdict verdict = verdictOf(seed);
        verdict.joinTypes().forEach(type -> acceleratedJoins.merge(type, 1, Integer::sum));
        casesRun++;
        assertThat(verdict.failures()).isEmpty();
        if (!verdict.stockFailures().isEmpty()) {
            casesStockFailed++;
            System.out.println("Stock Flink is wrong: " + verdict.stockFailures());
        }
        verdict.unplanned()
                .ifPresent(
                        why -> {
                            casesUnplanned++;
                            System.out.println(why);
                            assumeThat(why).as("stock Flink has no plan").isNull();
                        });
    }

    /** Seeds come in ascending order, a batch of them is run when its first one comes. */
    private Verdict verdictOf(long seed) {
        if (verdicts.isEmpty()) {
            List<DifferentialCase> batch = new ArrayList<>();
            boolean alone = Long.getLong("stateaccel.seed") != null || runAlone.contains(seed);
            long end = alone ? seed + 1 : (seed / Verdict.BATCH + 1) * Verdict.BATCH;
            for (long member = seed; member < end; member++) {
                batch.add(cases.apply(member));
            }
            verdicts.addAll(Verdict.ofBatch(runner, batch));
        }
        return verdicts.remove();
    }

    /** One in some hundreds of queries meets a defect of Flink's planner. */
    void assertStockIsRightNearlyAlways() {
        assertThat(casesUnplanned + casesStockFailed).isLessThanOrEqualTo(1 + casesRun / 100);
    }

    long casesRun() {
        return casesRun;
    }

    /** How often a join of each type was accelerated. */
    Map<String, Integer> acceleratedJoins() {
        return acceleratedJoins;
    }

    @Override
    public String toString() {
        return "%d cases, %d without a plan of stock Flink's, %d with a wrong result of stock Flink's, accelerated joins: %s"
                .formatted(casesRun, casesUnplanned, casesStockFailed, acceleratedJoins);
    }
}
