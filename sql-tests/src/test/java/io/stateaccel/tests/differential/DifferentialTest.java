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

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The fuzzer: random queries over random changelogs give the same result accelerated as on stock
 * Flink, on both state backends, with failures, restores and rescales in the middle.
 *
 * <p>The module's README names the properties that choose the cases.
 */
class DifferentialTest {

    static final long DEFAULT_CASES = 200;

    /** Seeds beyond those by default that have found a wrong result of ours. */
    private static final Set<Long> THAT_FOUND_DEFECTS = Set.of(2611294538L, 2611292107L);

    /** Of any seeds; those by default have been looked at. */
    private static final long CASES_WITH_EVERY_JOIN = 1_000;

    @RegisterExtension static final MiniClusterExtension CLUSTER = TestCluster.create();

    @TempDir static Path temporary;

    private static final Deque<Verdict> verdicts = new ArrayDeque<>();
    private static final Map<String, Integer> acceleratedJoins = new TreeMap<>();
    private static long casesRun;
    private static long casesUnplanned;
    private static long casesStockFailed;
    private static CaseRunner runner;

    @BeforeAll
    static void createRunner(@InjectMiniCluster MiniCluster cluster) {
        runner = new CaseRunner(cluster, temporary.resolve("snapshots"));
    }

    static LongStream seeds() {
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
        LongStream seeds =
                LongStream.range(first, first + Long.getLong("stateaccel.cases", DEFAULT_CASES));
        return isByDefault() ? LongStream.concat(seeds, longs(THAT_FOUND_DEFECTS)) : seeds;
    }

    private static boolean isByDefault() {
        return Long.getLong("stateaccel.first-seed") == null;
    }

    private static LongStream longs(Set<Long> seeds) {
        return seeds.stream().mapToLong(Long::longValue).sorted();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void acceleratedGivesTheStockResult(long seed) {
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
    private static Verdict verdictOf(long seed) {
        if (verdicts.isEmpty()) {
            List<DifferentialCase> batch = new ArrayList<>();
            boolean alone =
                    Long.getLong("stateaccel.seed") != null || THAT_FOUND_DEFECTS.contains(seed);
            long end = alone ? seed + 1 : (seed / Verdict.BATCH + 1) * Verdict.BATCH;
            for (long member = seed; member < end; member++) {
                batch.add(DifferentialCase.of(member));
            }
            verdicts.addAll(Verdict.ofBatch(runner, batch));
        }
        return verdicts.remove();
    }

    /** One in some hundreds of queries meets a defect of Flink's planner. */
    @AfterAll
    static void stockFlinkIsRightNearlyAlways() {
        assertThat(casesUnplanned + casesStockFailed).isLessThanOrEqualTo(1 + casesRun / 100);
    }

    /** A planner that finds a reason against every join of a type would pass case by case. */
    @AfterAll
    static void everyTypeOfJoinWasAccelerated() {
        System.out.printf(
                "%d cases, %d without a plan of stock Flink's, %d with a wrong result of stock"
                        + " Flink's, accelerated joins: %s%n",
                casesRun, casesUnplanned, casesStockFailed, acceleratedJoins);
        if (casesRun >= (isByDefault() ? DEFAULT_CASES : CASES_WITH_EVERY_JOIN)) {
            assertThat(acceleratedJoins)
                    .containsKeys(
                            "InnerJoin",
                            "LeftOuterJoin",
                            "RightOuterJoin",
                            "FullOuterJoin",
                            "LeftSemiJoin",
                            "LeftAntiJoin",
                            "Aggregate+InnerJoin",
                            "InnerJoin+Aggregate",
                            "InnerJoin+LocalAggregate",
                            "InnerJoin+Rank");
            // Which of the others are fused is up to the queries; FULL joins never are.
            assertThat(acceleratedJoins.keySet())
                    .filteredOn(type -> type.endsWith("+Aggregate"))
                    .hasSizeGreaterThanOrEqualTo(3)
                    .doesNotContain("FullOuterJoin+Aggregate");
        }
    }
}
