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

import java.nio.file.Path;
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

/** As {@link DifferentialTest}, with queries by row time. */
class TimeDifferentialTest {

    private static final long DEFAULT_CASES = 36;

    @RegisterExtension static final MiniClusterExtension CLUSTER = TestCluster.create();

    @TempDir static Path temporary;

    private static Fuzzer fuzzer;

    @BeforeAll
    static void createFuzzer(@InjectMiniCluster MiniCluster cluster) {
        fuzzer =
                new Fuzzer(
                        new CaseRunner(cluster, temporary.resolve("snapshots")),
                        DifferentialCase::byTime,
                        Set.of());
    }

    static LongStream seeds() {
        return Fuzzer.seeds(DEFAULT_CASES, Set.of());
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void acceleratedGivesTheStockResult(long seed) {
        fuzzer.check(seed);
    }

    @AfterAll
    static void stockFlinkIsRightNearlyAlways() {
        System.out.println(fuzzer);
        fuzzer.assertStockIsRightNearlyAlways();
    }
}
