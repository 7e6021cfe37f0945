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
import io.stateaccel.tests.differential.DifferentialCase;
import io.stateaccel.tests.differential.TestCluster;
import io.stateaccel.tests.differential.Variant;
import io.stateaccel.tests.restore.Settings.Cache;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Operators that stay Flink's keep their state on our backend and in its cache, and give what they
 * give in an undisturbed job on Flink's: restored and rescaled, with each size of the cache.
 */
class StockOperatorsTest {

    /** Of each size of the cache, of which there are 12. */
    private static final int CELLS = Integer.getInteger("stateaccel.stock-cells", 1);

    private static final int CHANGES = 160;
    private static final long SEED = Long.getLong("stateaccel.matrix-seed", System.nanoTime());

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            TestCluster.create(Cell.HIGHEST_PARALLELISM, new Configuration());

    private static Map<Long, Outcome> expected;
    private static CaseRunner runner;

    @TempDir static Path temporary;

    @BeforeAll
    static void runUndisturbedOnStock(@InjectMiniCluster MiniCluster cluster) throws Exception {
        runner = new CaseRunner(cluster, temporary.resolve("snapshots"));
        expected = runner.run(cases(), Variant.ORACLE);
    }

    /** Some of what the matrix has for each size of the cache; which queries does not matter. */
    static Stream<Cell> cells() {
        List<Cell> cells = new ArrayList<>(Cell.all());
        cells.removeIf(cell -> cell.queries() != Queries.JOINS || cell.hasChangelog());
        Collections.shuffle(cells, new Random(SEED));
        return Stream.of(Cache.values())
                .flatMap(
                        cache ->
                                cells.stream()
                                        .filter(cell -> cell.values().contains(cache))
                                        .limit(CELLS));
    }

    @ParameterizedTest
    @MethodSource("cells")
    void givesTheResultOfAnUndisturbedStockJob(Cell cell) throws Exception {
        System.out.printf("%s, -Dstateaccel.matrix-seed=%d%n", cell, SEED);
        Map<Long, Outcome> actual = runner.run(cases(), cell.variant());
        for (StockQuery query : StockQuery.values()) {
            String what = "%s in %s, seed %d".formatted(query, cell, SEED);
            Map<String, Integer> rows = expected.get((long) query.ordinal()).rows();
            assertThat(rows).as("worth comparing: " + what).hasSizeGreaterThan(3);
            Outcome outcome = actual.get((long) query.ordinal());
            assertThat(outcome.operators())
                    .as(what)
                    .anyMatch(operator -> operator.startsWith(query.operator() + "["));
            assertThat(Differential.differences(rows, outcome.rows())).as(what).isEmpty();
        }
    }

    private static List<DifferentialCase> cases() {
        return Stream.of(StockQuery.values()).map(query -> query.toCase(SEED, CHANGES)).toList();
    }
}
