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
import io.stateaccel.tests.differential.CompiledCases;
import io.stateaccel.tests.differential.Differential;
import io.stateaccel.tests.differential.DifferentialCase;
import io.stateaccel.tests.differential.TestCluster;
import io.stateaccel.tests.differential.Variant;
import io.stateaccel.tests.differential.Variant.Ending;
import io.stateaccel.tests.differential.Variant.Phase;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every accelerated operator, from compiled plans that have been written and read: with the result
 * of an undisturbed stock job that is planned from SQL, restored from a savepoint by the same plan
 * at another parallelism, and by one whose times to live have been edited.
 */
class CompiledPlansTest {

    @RegisterExtension
    static final MiniClusterExtension CLUSTER = TestCluster.create(2, new Configuration());

    @TempDir static Path temporary;

    private static final long SEED = Long.getLong("stateaccel.seed", System.nanoTime());
    private static final int CHANGES = 120;

    private static CaseRunner runner;

    @BeforeAll
    static void createRunner(@InjectMiniCluster MiniCluster cluster) {
        runner = new CaseRunner(cluster, temporary.resolve("snapshots"));
    }

    /**
     * Flink has no compiled plan of a table aggregate without windows, nor of any whose function
     * has no name, as here.
     */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"TABLE_AGGREGATES", "GROUP_TABLE_AGGREGATES"})
    void goOnFromASavepoint(Queries queries) throws Exception {
        assertGoOn(queries, UnaryOperator.identity(), Ending.CANONICAL_SAVEPOINT);
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "TOP_N_WITH_TTL",
                "JOINS_WITH_STATE_TTL",
            })
    void goOnWithOtherTimesToLive(Queries queries) throws Exception {
        CompiledCases plans =
                assertGoOn(
                        queries,
                        plan -> plan.replace("\"ttl\" : \"36500 d\"", "\"ttl\" : \"30000 d\""),
                        Ending.NATIVE_SAVEPOINT);
        for (AcceleratedQuery query : queries.members()) {
            assertThat(plans.of(query.ordinal())).contains("\"ttl\" : \"30000 d\"");
        }
    }

    private static CompiledCases assertGoOn(
            Queries queries, UnaryOperator<String> edit, Ending ending) throws Exception {
        List<DifferentialCase> cases = queries.cases(SEED, CHANGES);
        CompiledCases plans = new CompiledCases(edit);
        Map<Long, Outcome> expected = runner.run(cases, Variant.ORACLE);
        Map<Long, Outcome> actual =
                runner.compiling(plans)
                        .run(
                                cases,
                                new Variant(
                                        true,
                                        false,
                                        false,
                                        List.of(
                                                new Phase(1, "rocksdb", false, ending, Map.of()),
                                                new Phase(
                                                        2,
                                                        "rocksdb",
                                                        true,
                                                        Ending.END_OF_INPUT,
                                                        Map.of()))));
        for (AcceleratedQuery query : queries.members()) {
            long seed = query.ordinal();
            assertThat(actual.get(seed).operators())
                    .as("%s, seed %d", query, SEED)
                    .anyMatch(operator -> operator.startsWith(query.operator() + "["));
            assertThat(Differential.differences(expected.get(seed).rows(), actual.get(seed).rows()))
                    .as("%s, seed %d", query, SEED)
                    .isEmpty();
        }
        return plans;
    }
}
