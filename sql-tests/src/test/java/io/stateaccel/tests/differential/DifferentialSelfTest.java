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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The harness itself: it passes stock against stock, and it can fail. */
class DifferentialSelfTest {

    @RegisterExtension static final MiniClusterExtension CLUSTER = TestCluster.create();

    @TempDir static Path checkpoints;

    /** By default one seed per query shape; {@code -Dstateaccel.control-cases=N} runs N. */
    static LongStream controlSeeds() {
        return LongStream.range(
                0, Long.getLong("stateaccel.control-cases", QueryGenerator.Shape.values().length));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("controlSeeds")
    void stockWithARestoreGivesTheStockResult(long seed) throws Exception {
        DifferentialCase testCase = DifferentialCase.of(seed);
        CaseRunner runner = new CaseRunner(checkpoints);
        CaseRunner.Outcome expected = runner.run(testCase, Variant.ORACLE);
        CaseRunner.Outcome actual = runner.run(testCase, new Variant(false, "rocksdb", true));
        assertThat(Differential.differences(expected.rows(), actual.rows())).isEmpty();
        assertThat(actual.plan()).doesNotContain("MiniBatchJoin", "CachedGroupAggregate");
    }

    /** What an operator that loses one row would give. */
    @ParameterizedTest
    @EnumSource(QueryGenerator.Shape.class)
    void aLostRowIsReported(QueryGenerator.Shape shape) throws Exception {
        DifferentialCase testCase = withOneMatch(shape);
        TestTable left = testCase.tables().get(0);
        List<Row> shorter = new ArrayList<>(left.changelog());
        shorter.remove(shorter.size() - 1);
        CaseRunner runner = new CaseRunner(checkpoints);
        Map<String, Integer> expected = runner.run(testCase, Variant.ORACLE).rows();
        Map<String, Integer> actual =
                runner.run(testCase.withTable(0, left.withChangelog(shorter)), Variant.ORACLE)
                        .rows();
        List<String> differences = Differential.differences(expected, actual);
        assertThat(differences).isNotEmpty();
        assertThat(Differential.report(testCase, Variant.ORACLE, "plan", differences))
                .contains("-Dstateaccel.seed=" + testCase.seed())
                .contains(testCase.sql())
                .contains(differences.get(0));
    }

    @Test
    void aRowTooMuchAndARowTakenBackTooOftenAreDifferences() {
        assertThat(Differential.differences(Map.of("+I[1]", 1), Map.of("+I[1]", 2)))
                .containsExactly("+I[1]: expected 1 times, got 2");
        assertThat(Differential.differences(Map.of(), Map.of("+I[1]", -1)))
                .containsExactly("+I[1]: expected 0 times, got -1");
    }

    /** A fixed, readable case of the shape whose last left row is in the result. */
    private static DifferentialCase withOneMatch(QueryGenerator.Shape shape) {
        List<Row> left = List.of(row(1, 7, 1, 2), row(2, 7, 1, 3), row(3, 8, 2, 4));
        List<Row> right = List.of(row(1, 7, 1, 12), row(2, 8, 1, 13), row(3, 8, 1, 14));
        String sql =
                switch (shape) {
                    case JOIN -> "SELECT L.id, R.id FROM L JOIN R ON L.k1 = R.k1";
                    case OUTER_JOIN -> "SELECT L.id, R.id FROM L LEFT JOIN R ON L.k1 = R.k1";
                    case SEMI_OR_ANTI_JOIN ->
                            "SELECT L.id FROM L WHERE EXISTS (SELECT * FROM R WHERE L.k1 = R.k1)";
                    case AGGREGATE -> "SELECT g, SUM(v) FROM L GROUP BY g";
                    case JOIN_THEN_AGGREGATE ->
                            "SELECT L.g, SUM(R.v) FROM L JOIN R ON L.k1 = R.k1 GROUP BY L.g";
                    case AGGREGATE_THEN_JOIN ->
                            "SELECT A.c, R.id FROM (SELECT k1, COUNT(*) AS c FROM L GROUP BY k1) A"
                                    + " JOIN R ON A.k1 = R.k1";
                    case NESTED_AGGREGATE ->
                            "SELECT c, COUNT(*) FROM (SELECT k1, COUNT(*) AS c FROM L GROUP BY k1)"
                                    + " GROUP BY c";
                    case NEXMARK_Q4 ->
                            "SELECT g, AVG(m) FROM (SELECT MAX(R.v) AS m, L.g FROM L JOIN R ON L.k1"
                                    + " = R.k1 GROUP BY L.id, L.g) GROUP BY g";
                };
        return new DifferentialCase(
                4711,
                shape,
                List.of(
                        new TestTable("L", InputKind.INSERT_ONLY, KeyType.INT, left),
                        new TestTable("R", InputKind.INSERT_ONLY, KeyType.INT, right)),
                sql,
                new DifferentialCase.Settings(
                        2, Duration.ofMinutes(1), MemorySize.ZERO, false, false),
                0.5);
    }

    private static Row row(long id, int key, int group, int value) {
        return Row.of(id, key, group, value, "text");
    }
}
