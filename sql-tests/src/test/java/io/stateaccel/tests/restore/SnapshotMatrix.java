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
package io.stateaccel.tests.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.tests.differential.CaseRunner;
import io.stateaccel.tests.differential.CaseRunner.Outcome;
import io.stateaccel.tests.differential.Differential;
import io.stateaccel.tests.differential.TestCluster;
import io.stateaccel.tests.differential.Variant;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every accelerated operator, restored and rescaled from every kind of snapshot under every
 * setting, gives what an undisturbed stock job gives. Subclasses run it on their clusters, as local
 * recovery is a setting of a cluster.
 *
 * <p>The module's README names the properties that choose the cells.
 */
abstract class SnapshotMatrix {

    private static final int DEFAULT_CELLS = 2;
    private static final int CHANGES = 160;

    private static final long SEED = Long.getLong("stateaccel.matrix-seed", System.nanoTime());

    /** How many are tried for changelogs whose results have enough rows to be worth comparing. */
    private static final int SEEDS = 10;

    private static final Map<Queries, Expected> EXPECTED = new EnumMap<>(Queries.class);

    /** What stock gives, and the seed of the first changelogs that make it worth comparing. */
    private record Expected(long seed, Map<Long, Outcome> outcomes) {}

    private static CaseRunner runner;

    @TempDir static Path temporary;

    static MiniClusterExtension cluster(boolean localRecovery) {
        Configuration configuration = new Configuration();
        configuration.set(StateRecoveryOptions.LOCAL_RECOVERY, localRecovery);
        return TestCluster.create(Cell.HIGHEST_PARALLELISM, configuration);
    }

    @BeforeAll
    static void createRunner(@InjectMiniCluster MiniCluster cluster) {
        runner = new CaseRunner(cluster, temporary.resolve("snapshots"));
    }

    /**
     * The cells that are asked for, else a few at random.
     *
     * @param share tells the random cells of one subclass from those of the other
     * @param withChangelog whether those on the changelog backend are among them
     */
    static Stream<Cell> cells(int share, boolean withChangelog) {
        List<Cell> cells = new ArrayList<>(Cell.all());
        String asked = System.getProperty("stateaccel.matrix-cells");
        if (asked != null && !asked.equals("all")) {
            String[] range = asked.split("-");
            int last = Integer.parseInt(range[range.length - 1]);
            cells = cells.subList(Integer.parseInt(range[0]), last + 1);
        }
        cells.removeIf(cell -> cell.hasChangelog() && !withChangelog);
        if (asked != null) {
            return cells.stream();
        }
        Collections.shuffle(cells, new Random(SEED));
        return cells.subList(share * DEFAULT_CELLS, (share + 1) * DEFAULT_CELLS).stream();
    }

    @ParameterizedTest
    @MethodSource("cells")
    void givesTheResultOfAnUndisturbedStockJob(Cell cell) throws Exception {
        String replay =
                "%s%nreplay: mvn -pl sql-tests -am test -Dtest=%s"
                                .formatted(cell, getClass().getSimpleName())
                        + " -Dsurefire.failIfNoSpecifiedTests=false"
                        + " -Dstateaccel.matrix-seed=%d -Dstateaccel.matrix-cells=%d"
                                .formatted(SEED, cell.number());
        System.out.println(replay);
        Expected expected = expected(cell.queries());
        Map<Long, Outcome> actual =
                runner.run(cell.queries().cases(expected.seed(), CHANGES), cell.variant());
        for (AcceleratedQuery query : cell.queries().members()) {
            Outcome outcome = actual.get((long) query.ordinal());
            assertThat(outcome.operators())
                    .as("%s in %s", query, replay)
                    .anyMatch(operator -> operator.startsWith(query.operator() + "["));
            assertThat(
                            Differential.differences(
                                    expected.outcomes().get((long) query.ordinal()).rows(),
                                    outcome.rows()))
                    .as("%s in %s", query, replay)
                    .isEmpty();
        }
    }

    private static Expected expected(Queries queries) throws Exception {
        Expected expected = EXPECTED.get(queries);
        for (long seed = SEED; expected == null; seed++) {
            assertThat(seed)
                    .as("results worth comparing, from seed %d on, %s", SEED, queries)
                    .isLessThan(SEED + SEEDS);
            Map<Long, Outcome> outcomes = runner.run(queries.cases(seed, CHANGES), Variant.ORACLE);
            if (outcomes.values().stream().allMatch(outcome -> outcome.rows().size() > 3)) {
                expected = new Expected(seed, outcomes);
                EXPECTED.put(queries, expected);
            }
        }
        return expected;
    }
}
