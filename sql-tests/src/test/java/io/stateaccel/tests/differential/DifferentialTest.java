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

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
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

    static final long DEFAULT_CASES = 120;

    /** Seeds beyond those by default that have found a wrong result of ours. */
    private static final Set<Long> THAT_FOUND_DEFECTS =
            Set.of(2611294538L, 2611292107L, 2611301046L, 2611302455L);

    /** Of any seeds; those by default have been looked at. */
    private static final long CASES_WITH_EVERY_JOIN = 1_000;

    @RegisterExtension static final MiniClusterExtension CLUSTER = TestCluster.create();

    @TempDir static Path temporary;

    private static Fuzzer fuzzer;

    @BeforeAll
    static void createFuzzer(@InjectMiniCluster MiniCluster cluster) {
        fuzzer =
                new Fuzzer(
                        new CaseRunner(cluster, temporary.resolve("snapshots")),
                        DifferentialCase::of,
                        THAT_FOUND_DEFECTS);
    }

    static LongStream seeds() {
        return Fuzzer.seeds(DEFAULT_CASES, THAT_FOUND_DEFECTS);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void acceleratedGivesTheStockResult(long seed) {
        fuzzer.check(seed);
    }

    @AfterAll
    static void stockFlinkIsRightNearlyAlways() {
        fuzzer.assertStockIsRightNearlyAlways();
    }

    /** A planner that finds a reason against every join of a type would pass case by case. */
    @AfterAll
    static void everyTypeOfJoinWasAccelerated() {
        System.out.println(fuzzer);
        Map<String, Integer> acceleratedJoins = fuzzer.acceleratedJoins();
        long least = Fuzzer.isByDefault() ? DEFAULT_CASES : CASES_WITH_EVERY_JOIN;
        if (fuzzer.casesRun() >= least) {
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
