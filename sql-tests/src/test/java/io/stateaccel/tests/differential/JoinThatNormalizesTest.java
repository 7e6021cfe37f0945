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

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.tests.differential.CaseRunner.Outcome;
import io.stateaccel.tests.differential.DifferentialCase.Settings;
import io.stateaccel.tests.differential.Field.Role;
import io.stateaccel.tests.differential.QueryGenerator.Query;
import io.stateaccel.tests.differential.QueryGenerator.Shape;
import io.stateaccel.tests.differential.TestTable.Changes;
import io.stateaccel.tests.differential.Variant.Ending;
import io.stateaccel.tests.differential.Variant.Phase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.table.api.config.AggregatePhaseStrategy;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Joins of topics of upserts, which normalise them: {@code U(k1, c, d)}, of which deletions have
 * the whole row, and {@code D(k1, c, d)}, of which they have the key alone; {@code R(k1, c, d)} is
 * a changelog with all that is replaced. The results are those of stock Flink, across a savepoint
 * and a checkpoint, each of which is restored with another parallelism.
 */
class JoinThatNormalizesTest {

    @RegisterExtension static final MiniClusterExtension CLUSTER = TestCluster.create();

    @TempDir static Path temporary;

    private static final int LEAST_LIVE_ROWS = 10;

    private static final List<String> EVERY_CHANGE = List.of();

    private static final List<Query> QUERIES =
            List.of(
                    new Query(
                            "SELECT U.k1, U.c, R.c AS e FROM U JOIN R ON U.k1 = R.k1",
                            EVERY_CHANGE),
                    new Query(
                            "SELECT U.k1, U.c, D.c AS e FROM U LEFT JOIN D ON U.k1 = D.k1",
                            EVERY_CHANGE),
                    new Query(
                            "SELECT R.c, U.k1, U.c AS e FROM R LEFT JOIN U ON U.k1 = R.k1 AND U.c > R.c",
                            EVERY_CHANGE),
                    new Query(
                            "SELECT U.k1, U.c, D.k1 AS k, D.d FROM U FULL JOIN D ON U.k1 = D.k1",
                            EVERY_CHANGE),
                    new Query(
                            "SELECT D.k1, D.c, R.d FROM R RIGHT JOIN D ON D.k1 = R.k1",
                            EVERY_CHANGE),
                    new Query(
                            "SELECT k1, d FROM R WHERE EXISTS (SELECT * FROM D WHERE D.k1 = R.k1)",
                            EVERY_CHANGE),
                    new Query(
                            "SELECT k1, d FROM D WHERE NOT EXISTS (SELECT * FROM U WHERE D.k1 = U.k1)",
                            EVERY_CHANGE),
                    new Query("SELECT U.k1, U.c, D.d FROM U JOIN D ON U.k1 = D.k1", List.of("k1")),
                    new Query(
                            "SELECT D.k1, COUNT(*) AS n, SUM(R.c) AS s FROM D JOIN R ON D.k1 = R.k1 GROUP BY D.k1",
                            EVERY_CHANGE),
                    new Query(
                            "SELECT D.d, COUNT(*) AS n FROM D JOIN R ON D.k1 = R.k1 GROUP BY D.d",
                            EVERY_CHANGE),
                    new Query(
                            "SELECT k1, c, e, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k1 ORDER BY e, c)"
                                    + " AS n FROM (SELECT D.k1, R.c, D.c AS e FROM D JOIN R ON D.k1 = R.k1)) WHERE n <= 2",
                            EVERY_CHANGE));

    /** Pushed into the normalisation, in the lines that do. */
    private static final Query FILTERED =
            new Query(
                    "SELECT D.k1, D.c, R.c AS e FROM D JOIN R ON D.k1 = R.k1 WHERE D.c > 3",
                    EVERY_CHANGE);

    private static CaseRunner runner;

    @BeforeAll
    static void createRunner(@InjectMiniCluster MiniCluster cluster) {
        runner = new CaseRunner(cluster, temporary.resolve("snapshots"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"hashmap", "rocksdb"})
    void givesWhatTheTwoGive(String backend) throws Exception {
        Random random = RandomSeeds.random(Long.getLong("stateaccel.seed", 24));
        List<DifferentialCase> cases = cases(random);
        Variant variant =
                new Variant(
                        true,
                        random.nextBoolean(),
                        random.nextBoolean(),
                        List.of(
                                new Phase(1, backend, false, Ending.CANONICAL_SAVEPOINT),
                                new Phase(3, backend, false, Ending.CHECKPOINT),
                                new Phase(2, backend, true, Ending.END_OF_INPUT)));
        Map<Long, Outcome> expected = runner.run(cases, Variant.ORACLE);
        Map<Long, Outcome> actual = runner.run(cases, variant);
        for (DifferentialCase testCase : cases) {
            Outcome outcome = actual.get(testCase.seed());
            assertThat(outcome.operators())
                    .as("%s", testCase)
                    .anyMatch(operator -> operator.contains("normalized=["))
                    .noneMatch(operator -> operator.contains("ChangelogNormalize["));
            assertThat(
                            Differential.differences(
                                    expected.get(testCase.seed()).rows(), outcome.rows()))
                    .as("%s", testCase)
                    .isEmpty();
            assertThat(outcome.rows()).as("%s", testCase).isNotEmpty();
        }
    }

    private static List<DifferentialCase> cases(Random random) {
        List<Query> queries = new ArrayList<>(QUERIES);
        if (Lines.isAtLeast("2.1")) {
            queries.add(FILTERED);
        }
        List<DifferentialCase> cases = new ArrayList<>();
        for (Query query : queries) {
            List<TestTable> tables =
                    List.of(
                            table("U", Changes.UPSERT, random),
                            table("D", Changes.UPSERT_WITH_KEY_ONLY_DELETES, random),
                            table("R", Changes.RETRACT, random));
            cases.add(
                    new DifferentialCase(
                            cases.size(),
                            Shape.JOIN_OF_TWO,
                            tables.stream()
                                    .filter(table -> query.sql().contains(table.name() + "."))
                                    .toList(),
                            query,
                            new Settings(
                                    1 + random.nextInt(50),
                                    Duration.ofMillis(20),
                                    new MemorySize(2_000),
                                    false,
                                    AggregatePhaseStrategy.AUTO,
                                    false,
                                    false,
                                    false,
                                    random.nextBoolean(),
                                    random.nextBoolean(),
                                    false,
                                    false,
                                    true,
                                    true)));
        }
        return cases;
    }

    private static TestTable table(String name, Changes changes, Random random) {
        List<Field> fields =
                List.of(
                        new Field("k1", ValueType.VARCHAR, changes == Changes.RETRACT, Role.KEY_1),
                        new Field("c", ValueType.INT, true, Role.PAYLOAD),
                        new Field("d", ValueType.VARCHAR, true, Role.PAYLOAD));
        List<String> primaryKey = changes == Changes.RETRACT ? List.of() : List.of("k1");
        TestTable table;
        do {
            List<Row> changelog =
                    new ChangelogGenerator(random, fields, primaryKey, changes, 24).changelog(100);
            table = new TestTable(name, fields, primaryKey, changes, changelog, 20);
        } while (table.liveRows() < LEAST_LIVE_ROWS);
        return table;
    }
}
