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

import io.stateaccel.tests.differential.CaseRunner.Outcome;
import io.stateaccel.tests.differential.Field.Role;
import io.stateaccel.tests.differential.QueryGenerator.Query;
import io.stateaccel.tests.differential.QueryGenerator.Shape;
import io.stateaccel.tests.differential.TestTable.Changes;
import java.net.URL;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.table.api.config.AggregatePhaseStrategy;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The fuzzer itself: it passes stock against stock, and it can fail. */
class DifferentialSelfTest {

    @RegisterExtension static final MiniClusterExtension CLUSTER = TestCluster.create();

    @TempDir static Path temporary;

    private static MiniCluster cluster;

    @BeforeAll
    static void remember(@InjectMiniCluster MiniCluster injected) {
        cluster = injected;
    }

    /** By default one batch of cases; {@code -Dstateaccel.control-batches=N} runs N. */
    static LongStream controlBatches() {
        return LongStream.range(0, Long.getLong("stateaccel.control-batches", 1));
    }

    @ParameterizedTest(name = "batch {0}")
    @MethodSource("controlBatches")
    void disturbedStockGivesTheStockResult(long batch) throws Exception {
        CaseRunner runner = new CaseRunner(cluster, temporary.resolve("snapshots"));
        List<DifferentialCase> cases = batch(batch);
        Map<Long, Outcome> expected = runner.run(cases, Variant.ORACLE);
        Variant disturbed = Variant.disturbed(RandomSeeds.random(batch), false, "rocksdb");
        Map<Long, Outcome> actual = runner.run(cases, disturbed);
        for (DifferentialCase testCase : cases) {
            long seed = testCase.seed();
            assertThat(Differential.differences(expected.get(seed).rows(), actual.get(seed).rows()))
                    .as(Differential.describe(testCase, disturbed))
                    .isEmpty();
            assertThat(actual.get(seed).operators())
                    .noneMatch(operator -> operator.matches("(MiniBatchJoin|CachedGroup).*"));
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {BrokenFold.Reverses.class, BrokenFold.ForgetsTheLast.class})
    void aBrokenFoldIsFoundWithinTheDefaultCases(Class<?> breakage, @TempDir Path operators)
            throws Exception {
        CaseRunner runner =
                new CaseRunner(
                        cluster,
                        temporary.resolve("snapshots"),
                        BrokenFold.brokenBy(breakage, operators));
        assertThat(firstFailureOf(runner, DifferentialTest.DEFAULT_CASES / Verdict.BATCH))
                .contains(Verdict.WRONG_RESULT, "SELECT ", "-Dstateaccel.seed=");
    }

    /** What is found is the breakage, and not the way in which it gets into a job. */
    @Test
    void anIntactCopyOfTheOperatorsPasses(@TempDir Path operators) throws Exception {
        List<URL> copy = BrokenFold.intact(operators);
        assertThat(firstFailureOf(new CaseRunner(cluster, temporary.resolve("snapshots"), copy), 1))
                .isEmpty();
    }

    /** Returns the empty string when no case of so many batches has failed. */
    private static String firstFailureOf(CaseRunner runner, long batches) {
        return LongStream.range(0, batches)
                .mapToObj(batch -> Verdict.ofBatch(runner, batch(batch)))
                .flatMap(List::stream)
                .flatMap(verdict -> verdict.failures().stream())
                .findFirst()
                .orElse("");
    }

    private static List<DifferentialCase> batch(long batch) {
        return LongStream.range(batch * Verdict.BATCH, (batch + 1) * Verdict.BATCH)
                .mapToObj(DifferentialCase::of)
                .toList();
    }

    /** What an operator that loses one row would give. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT A.id, B.id AS other FROM A JOIN B ON A.k1 = B.k1",
                "SELECT A.id, B.id AS other FROM A LEFT JOIN B ON A.k1 = B.k1",
                "SELECT A.id FROM A WHERE EXISTS (SELECT * FROM B WHERE A.k1 = B.k1)",
                "SELECT k1, COUNT(*) AS a0 FROM A GROUP BY k1"
            })
    void aLostRowIsReported(String sql) throws Exception {
        DifferentialCase testCase = withOneMatch(sql);
        TestTable left = testCase.tables().get(0);
        List<Row> shorter = new ArrayList<>(left.changelog());
        shorter.remove(shorter.size() - 1);
        CaseRunner runner = new CaseRunner(cluster, temporary.resolve("snapshots"));
        Map<String, Integer> expected = runner.run(testCase, Variant.ORACLE).rows();
        Map<String, Integer> actual =
                runner.run(testCase.withTable(0, left.withChangelog(shorter)), Variant.ORACLE)
                        .rows();
        List<String> differences = Differential.differences(expected, actual);
        assertThat(differences).isNotEmpty();
        assertThat(
                        Differential.describeDifferences(
                                testCase, Variant.ORACLE, List.of(), differences))
                .contains("-Dstateaccel.seed=" + testCase.seed())
                .contains(sql)
                .contains(differences.get(0));
    }

    /**
     * Flink plans a top-N that takes no deletions above an outer join of tables that have none; the
     * join deletes rows that it has padded with NULL all the same.
     */
    @Test
    void stockIsFoundWrongWithATableBehind() throws Exception {
        DifferentialCase testCase = withMatches(topThreeOf("A RIGHT JOIN A AS B"));
        Map<String, Integer> meant = BatchResult.of(testCase).orElseThrow();
        CaseRunner runner = new CaseRunner(cluster, temporary.resolve("snapshots"));
        assertThat(Verdict.isWrongWithATableBehind(runner, testCase, Variant.ORACLE, meant))
                .isTrue();
        DifferentialCase inner = withMatches(topThreeOf("A JOIN A AS B"));
        assertThat(
                        Verdict.isWrongWithATableBehind(
                                runner, inner, Variant.ORACLE, BatchResult.of(inner).orElseThrow()))
                .isFalse();
    }

    private static String topThreeOf(String joined) {
        return """
                SELECT a_id, b_id, b_k1 FROM (
                  SELECT *, ROW_NUMBER() OVER (
                    PARTITION BY a_k1, b_k1 ORDER BY a_id DESC, b_id DESC) AS rn
                  FROM (SELECT A.id AS a_id, A.k1 AS a_k1, B.id AS b_id, B.k1 AS b_k1
                    FROM %s ON A.k1 = B.k1))
                WHERE rn <= 3"""
                .formatted(joined);
    }

    @Test
    void aRowTooMuchAndARowTakenBackTooOftenAreDifferences() {
        assertThat(Differential.differences(Map.of("+I[1]", 1), Map.of("+I[1]", 2)))
                .containsExactly("+I[1]: expected 1 times, got 2");
        assertThat(Differential.differences(Map.of(), Map.of("+I[1]", -1)))
                .containsExactly("+I[1]: expected 0 times, got -1");
    }

    @Test
    void aJoinThatStaysStockWithoutAReasonIsReported() {
        assertThat(Acceleration.complaints(outcome("Join[7] [7]:Join(joinType=[InnerJoin])")))
                .hasSize(1);
        assertThat(
                        Acceleration.complaints(
                                outcome("Join[7] [7]:Join()", stays("Join", "it is Monday"))))
                .hasSize(1);
        assertThat(
                        Acceleration.complaints(
                                outcome(
                                        "MiniBatchJoin[7] [7]:MiniBatchJoin(joinType=[InnerJoin])")))
                .isEmpty();
    }

    private static Outcome outcome(String operator, String... stockNodes) {
        return new Outcome(List.of(operator), List.of(stockNodes), Map.of(), Optional.empty());
    }

    private static String stays(String node, String reason) {
        return "[state-accel] Stays stock: %s(where=[a = b]). Reason: %s.".formatted(node, reason);
    }

    /** A fixed, readable case whose last left row is in the result of every query here. */
    private static DifferentialCase withOneMatch(String sql) {
        List<String> noKey = List.of();
        return fixed(
                sql,
                List.of(
                        table("A", noKey, List.of(Row.of(1, 7), Row.of(2, 7), Row.of(3, 8))),
                        table("B", noKey, List.of(Row.of(1, 7), Row.of(2, 8), Row.of(3, 8)))));
    }

    /** So many rows that one table is behind another for a second, and new keys up to the last. */
    private static DifferentialCase withMatches(String sql) {
        List<Row> rows = IntStream.range(0, 1_000).mapToObj(id -> Row.of(id, id / 5)).toList();
        return fixed(sql, List.of(table("A", List.of("id", "k1"), rows)));
    }

    private static DifferentialCase fixed(String sql, List<TestTable> tables) {
        return new DifferentialCase(
                4711,
                Shape.JOIN_OF_TWO,
                tables,
                new Query(sql, List.of()),
                new DifferentialCase.Settings(
                        2,
                        Duration.ofMinutes(1),
                        MemorySize.ZERO,
                        false,
                        AggregatePhaseStrategy.AUTO,
                        false,
                        false,
                        false,
                        false,
                        false,
                        false,
                        false,
                        true,
                        false));
    }

    private static TestTable table(String name, List<String> primaryKey, List<Row> rows) {
        boolean nullable = primaryKey.isEmpty();
        return new TestTable(
                name,
                List.of(
                        new Field("id", ValueType.INT, nullable, Role.PAYLOAD),
                        new Field("k1", ValueType.INT, nullable, Role.KEY_1)),
                primaryKey,
                Changes.INSERT_ONLY,
                rows,
                1000);
    }
}
