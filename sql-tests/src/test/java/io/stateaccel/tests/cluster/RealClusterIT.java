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
package io.stateaccel.tests.cluster;

import static io.stateaccel.tests.cluster.FlinkDistribution.builtJar;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The packaged jar in {@code lib/} of an unmodified Flink, driven through {@code sql-client.sh}:
 * what class loaders, scripts and serialisation make of it, which no embedded test can tell.
 */
class RealClusterIT {

    private static final int EVENTS = 20_000;

    private static final String ACCELERATED = "SET 'table.exec.state-accel.enabled' = 'true';\n";
    private static final String STOCK = "SET 'table.exec.state-accel.enabled' = 'false';\n";

    /** The client's frame around the plan of an EXPLAIN. */
    private static final Pattern PLAN =
            Pattern.compile(
                    "== Abstract Syntax Tree ==.*?(?=\\n[^\\n]*Flink SQL>|\\z)", Pattern.DOTALL);

    @Test
    void theSwitchDecidesThePlanAndNotTheResult() throws Exception {
        FlinkDistribution distribution = FlinkDistribution.create("q4");
        distribution.install(builtJar("nexmark-sql"));
        String explain = "EXPLAIN " + Nexmark.q4() + ";\n";
        Command.Result withoutJar = distribution.runSql(Nexmark.tables(EVENTS) + explain);

        distribution.install(builtJar("flink-sql-state-accel"));
        try (StandaloneCluster cluster = StandaloneCluster.start(distribution, Map.of())) {
            Command.Result result =
                    distribution.runSql(
                            Nexmark.tables(EVENTS)
                                    + "SET 'table.dml-sync' = 'true';\n"
                                    + explain
                                    + ACCELERATED
                                    + explain
                                    + STOCK
                                    + explain
                                    + q4Into("stock")
                                    + ACCELERATED
                                    + q4Into("accelerated"));

            assertThat(result.exitCode()).as(result.output()).isZero();
            List<String> plans = plans(result);
            assertThat(plans).as(result.output()).hasSize(3);
            assertThat(plans.get(0))
                    .as("with the switch off the plan is that of a Flink without the jar")
                    .isEqualTo(plans(withoutJar).get(0))
                    .isEqualTo(plans.get(2))
                    .doesNotContain("MiniBatchJoin", "CachedGroupAggregate");
            assertThat(plans.get(1)).contains("MiniBatchJoinAggregate(", "CachedGroupAggregate(");

            Map<String, Map<String, Integer>> printed = PrintedTables.of(distribution);
            assertThat(printed.get("stock")).as(distribution.logs("taskexecutor")).isNotEmpty();
            assertThat(printed.get("accelerated")).isEqualTo(printed.get("stock"));
            assertThat(distribution.logs("taskexecutor"))
                    .contains("[state-accel] RocksDB keyed state backend built at");
        }
    }

    @Test
    void aJarThatSortsAfterThePlannerIsNamedInOneWarning() throws Exception {
        FlinkDistribution distribution = FlinkDistribution.create("renamed-jar");
        distribution.install(builtJar("nexmark-sql"));
        distribution.install(builtJar("flink-sql-state-accel"), "zz-state-accel.jar");
        String explain = "EXPLAIN " + Nexmark.q4() + ";\n";

        Command.Result result =
                distribution.runSql(Nexmark.tables(EVENTS) + ACCELERATED + explain + explain);

        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(plans(result)).noneMatch(plan -> plan.contains("MiniBatchJoin("));
        assertThat(distribution.logs("sql-client").lines().filter(line -> line.contains("WARN")))
                .filteredOn(line -> line.contains("[state-accel]"))
                .singleElement()
                .asString()
                .contains("zz-state-accel.jar", "rename the jar to flink-sql-state-accel-");
    }

    @Test
    void aBadOptionIsNamedInOneError() throws Exception {
        FlinkDistribution distribution = FlinkDistribution.create("bad-options");
        distribution.install(builtJar("nexmark-sql"));
        distribution.install(builtJar("flink-sql-state-accel"));

        assertErrorOf(
                distribution,
                "SET 'table.exec.state-accel.mini-batch.size' = '-1';\n",
                "table.exec.state-accel.mini-batch.size",
                "'-1'");
        assertErrorOf(
                distribution,
                "SET 'table.exec.state-accel.foo' = 'bar';\n",
                "Unknown option 'table.exec.state-accel.foo'");
    }

    private static void assertErrorOf(
            FlinkDistribution distribution, String setting, String... named)
            throws IOException, InterruptedException {
        Command.Result result =
                distribution.runSql(
                        Nexmark.tables(EVENTS)
                                + ACCELERATED
                                + setting
                                + "EXPLAIN "
                                + Nexmark.q4()
                                + ";\n");
        assertThat(plans(result)).as(result.output()).isEmpty();
        assertThat(result.output().split("\\[ERROR]", -1))
                .as("text before and after the only error in " + result.output())
                .hasSize(2);
        assertThat(result.output().substring(result.output().indexOf("[ERROR]"))).contains(named);
    }

    /** A sink that writes what it gets to the task manager's standard output, and q4 into it. */
    private static String q4Into(String sink) throws IOException {
        return """
               CREATE TABLE %1$s (category BIGINT, final BIGINT)
               WITH ('connector' = 'print', 'print-identifier' = '%1$s');
               INSERT INTO %1$s %2$s;
               """
                .formatted(sink, Nexmark.q4());
    }

    private static List<String> plans(Command.Result result) {
        return PLAN.matcher(result.output()).results().map(plan -> plan.group().strip()).toList();
    }
}
