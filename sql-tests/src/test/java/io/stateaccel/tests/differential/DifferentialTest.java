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
import static org.assertj.core.api.Assertions.fail;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random queries over random changelogs give the same result accelerated as on stock Flink, on both
 * state backends, with a failure and a restore in the middle.
 *
 * <p>{@code -Dstateaccel.cases=N} runs N cases, {@code -Dstateaccel.first-seed=S} starts at another
 * seed, {@code -Dstateaccel.seed=S} runs one case only.
 */
class DifferentialTest {

    private static final long DEFAULT_CASES = 72;

    private static final Pattern UPSERTED_INPUT =
            Pattern.compile("Exchange\\(.*changelogMode=\\[((I,)?UA|[^]]*PD)");

    @RegisterExtension static final MiniClusterExtension CLUSTER = TestCluster.create();

    @TempDir static Path checkpoints;

    static LongStream seeds() {
        Long only = Long.getLong("stateaccel.seed");
        if (only != null) {
            return LongStream.of(only);
        }
        long first = Long.getLong("stateaccel.first-seed", 0L);
        return LongStream.range(first, first + Long.getLong("stateaccel.cases", DEFAULT_CASES));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void acceleratedGivesTheStockResult(long seed) throws Exception {
        DifferentialCase testCase = DifferentialCase.of(seed);
        CaseRunner runner = new CaseRunner(checkpoints);
        CaseRunner.Outcome expected = runner.run(testCase, Variant.ORACLE);
        for (String backend : List.of("rocksdb", "hashmap")) {
            Variant variant = new Variant(true, backend, true);
            CaseRunner.Outcome actual;
            try {
                actual = runner.run(testCase, variant);
            } catch (Exception e) {
                throw new AssertionError(Differential.describe(testCase, variant), e);
            }
            assertAccelerated(testCase, actual.plan());
            List<String> differences = Differential.differences(expected.rows(), actual.rows());
            if (!differences.isEmpty()) {
                fail(Differential.report(testCase, variant, actual.plan(), differences));
            }
        }
    }

    /** Without this a planner that rewrites nothing would pass every case. */
    private static void assertAccelerated(DifferentialCase testCase, String plan) {
        if (testCase.shape().joins() && !joinsUpserts(plan)) {
            assertThat(plan).as(testCase.toString()).contains("MiniBatchJoin(");
        }
        if (testCase.shape().aggregates()) {
            // None at all where the groups are the rows of a primary key.
            assertThat(plan)
                    .as(testCase.toString())
                    .doesNotContainPattern("(?<!Cached)GroupAggregate\\(");
        }
    }

    /** Joins of upserts stay stock where stock's result depends on more than the live rows. */
    private static boolean joinsUpserts(String plan) {
        return UPSERTED_INPUT.matcher(plan).find();
    }
}
