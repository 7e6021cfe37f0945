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
package io.stateaccel.tests.gateway;

import static io.stateaccel.tests.cluster.FlinkDistribution.builtJar;
import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.flink.testing.Lines;
import io.stateaccel.tests.cluster.FlinkDistribution;
import io.stateaccel.tests.cluster.PrintedTables;
import io.stateaccel.tests.cluster.SqlGateway;
import io.stateaccel.tests.cluster.StandaloneCluster;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One SQL gateway of an unmodified distribution, with Python's jar in {@code lib/} beside ours: its
 * sessions differ in settings and get each their own plans, side by side, and the statements of
 * Flink that have to do with plans work with the switch on.
 */
class SqlGatewayIT {

    private static final int EXPLAINS = 10;

    private static final String TABLES =
            """
            CREATE TABLE numbers (n BIGINT) WITH (
                'connector' = 'datagen', 'rows-per-second' = '1000000',
                'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '5000');
            CREATE VIEW auctions AS SELECT n AS id, MOD(n, 7) AS category FROM numbers;
            CREATE VIEW bids AS SELECT MOD(n * 13, 1000) AS auction, n AS price FROM numbers
            """;

    private static final String JOIN = " FROM auctions JOIN bids ON id = auction ";

    /** Its parts stay two nodes, as the groups are not within a join key. */
    private static final String COUNTS =
            "SELECT category, COUNT(*), MAX(price)" + JOIN + "GROUP BY category";

    /** Its parts become one node. */
    private static final String PRICES = "SELECT id, SUM(price)" + JOIN + "GROUP BY id";

    private static final String WITH_FUNCTIONS =
            "SELECT category, SUM_OF_SQUARES(TWICE(price))" + JOIN + "GROUP BY category";

    private static final String ENABLED = StateAccelOptions.ENABLED.key();

    private static FlinkDistribution distribution;
    private static StandaloneCluster cluster;
    private static SqlGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        distribution = FlinkDistribution.create("gateway");
        distribution.install(builtJar("flink-sql-state-accel"));
        try (DirectoryStream<Path> python =
                Files.newDirectoryStream(
                        distribution.home().resolve("opt"), "flink-python-*.jar")) {
            distribution.install(python.iterator().next());
        }
        cluster =
                StandaloneCluster.start(
                        distribution,
                        Map.of("taskmanager.numberOfTaskSlots", "3", "parallelism.default", "1"));
        gateway = SqlGateway.start(distribution);
    }

    @AfterAll
    static void stop() throws Exception {
        try {
            if (gateway != null) {
                gateway.close();
            }
        } finally {
            if (cluster != null) {
                cluster.close();
            }
        }
    }

    /** A session as one of several. */
    private record Sharer(Map<String, String> settings, List<String> planned, String notPlanned) {}

    /** What a session saw. */
    private record Seen(Map<String, Integer> rows, String jobId) {}

    @Test
    void sessionsSideBySideHaveEachTheirOwnPlan() throws Exception {
        List<Sharer> sharers =
                List.of(
                        new Sharer(Map.of(), List.of("GroupAggregate("), "bundle="),
                        new Sharer(
                                Map.of(
                                        ENABLED,
                                        "true",
                                        StateAccelOptions.MINI_BATCH_SIZE.key(),
                                        "70"),
                                List.of("MiniBatchJoinAggregate(", "bundle=[size 70,"),
                                "size 90,"),
                        new Sharer(
                                Map.of(
                                        ENABLED,
                                        "true",
                                        StateAccelOptions.MINI_BATCH_SIZE.key(),
                                        "90",
                                        StateAccelOptions.JOIN_AGGREGATE_FUSION_ENABLED.key(),
                                        "false"),
                                List.of(
                                        "MiniBatchJoin(",
                                        "CachedGroupAggregate(",
                                        "bundle=[size 90,"),
                                "MiniBatchJoinAggregate("));
        CyclicBarrier together = new CyclicBarrier(sharers.size());
        ExecutorService threads = Executors.newFixedThreadPool(sharers.size());
        List<Seen> seen = new ArrayList<>();
        try {
            List<Future<Seen>> running =
                    sharers.stream()
                            .map(sharer -> threads.submit(() -> share(sharer, together)))
                            .toList();
            for (Future<Seen> session : running) {
                seen.add(session.get(5, TimeUnit.MINUTES));
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(seen.get(0).rows()).hasSizeGreaterThan(900);
        assertThat(seen).allSatisfy(s -> assertThat(s.rows()).isEqualTo(seen.get(0).rows()));
        assertThat(nodesOf(seen.get(0).jobId())).contains("Join[").doesNotContain("MiniBatch");
        assertThat(nodesOf(seen.get(1).jobId())).contains("MiniBatchJoinAggregate[");
        assertThat(nodesOf(seen.get(2).jobId()))
                .contains("MiniBatchJoin[", "CachedGroupAggregate[");
    }

    private static Seen share(Sharer sharer, CyclicBarrier together) throws Exception {
        SqlGateway.Session session = session(sharer.settings());
        for (int i = 0; i < EXPLAINS; i++) {
            together.await(5, TimeUnit.MINUTES);
            assertThat(session.run("EXPLAIN " + PRICES).text())
                    .contains(sharer.planned())
                    .doesNotContain(sharer.notPlanned());
        }
        together.await(5, TimeUnit.MINUTES);
        SqlGateway.Result result = session.run(PRICES);
        return new Seen(result.rows(), result.jobId());
    }

    @ParameterizedTest
    @CsvSource({
        "PLAN_ADVICE, == Optimized Physical Plan With Advice ==",
        "JSON_EXECUTION_PLAN, == Physical Execution Plan ==",
        "CHANGELOG_MODE, 'changelogMode=[I,UA]'",
        "ESTIMATED_COST, rowcount ="
    })
    void explainInEveryFormatNamesTheNodes(String format, String shows) throws Exception {
        SqlGateway.Session session = session(Map.of(ENABLED, "true"));

        assertThat(session.run("EXPLAIN " + format + " " + COUNTS).text())
                .contains("MiniBatchJoin(", "CachedGroupAggregate(", shows);
    }

    @Test
    void statementSetsFunctionsAndCompiledPlansGiveTheResultsOfStock() throws Exception {
        SqlGateway.Session stock = session(Map.of());
        SqlGateway.Session accelerated = session(Map.of(ENABLED, "true"));

        String stockJob = runAll(stock, "stock");
        String acceleratedJob = runAll(accelerated, "accelerated");

        assertThat(nodesOf(stockJob)).contains("Join[").doesNotContain("MiniBatch");
        assertThat(nodesOf(acceleratedJob)).contains("MiniBatchJoin[", "CachedGroupAggregate[");
        Map<String, Map<String, Integer>> printed = PrintedTables.of(distribution);
        for (String table : List.of("counts", "squares", "compiled_counts", "compiled_squares")) {
            assertThat(printed.get("stock_" + table)).as(table).hasSize(7);
            assertThat(printed.get("accelerated_" + table))
                    .as(table)
                    .isEqualTo(printed.get("stock_" + table));
        }
    }

    /** Returns the id of the job of the statement set. */
    private static String runAll(SqlGateway.Session session, String name) throws Exception {
        session.run("SET 'table.dml-sync' = 'true'");
        // Flink 1.20 does not find the class of a function USING JAR when it submits a job.
        boolean usesJar = Lines.isAtLeast("2.0");
        String jar = "JAR '%s'".formatted(jarOfFunctions());
        if (!usesJar) {
            session.run("ADD " + jar);
        }
        String using = usesJar ? " USING " + jar : "";
        session.run(function("TWICE", Functions.Twice.class) + using);
        session.run(function("SUM_OF_SQUARES", Functions.SumOfSquares.class) + using);

        String set = statementSet(session, name + "_");
        assertThat(session.run("EXPLAIN " + set).text())
                .contains(name.equals("stock") ? " Join(" : "MiniBatchJoin(");
        SqlGateway.Result job = session.run("EXECUTE " + set);

        String compiled = statementSet(session, name + "_compiled_");
        Path plan = distribution.runFolder().resolve(name + ".json");
        session.run("COMPILE PLAN '%s' FOR %s".formatted(plan, compiled));
        assertThat(plan)
                .content()
                .contains(name.equals("stock") ? "stream-exec-join_1" : "state-accel-join_1");
        session.run("EXECUTE PLAN '%s'".formatted(plan));
        return job.jobId().isEmpty() ? job.text() : job.jobId();
    }

    private static String statementSet(SqlGateway.Session session, String prefix) throws Exception {
        Map<String, String> queries = new TreeMap<>();
        queries.put(prefix + "counts", COUNTS);
        queries.put(prefix + "squares", WITH_FUNCTIONS);
        StringBuilder set = new StringBuilder("STATEMENT SET BEGIN\n");
        for (Map.Entry<String, String> insert : queries.entrySet()) {
            String columns = insert.getValue().equals(COUNTS) ? "c BIGINT, m BIGINT" : "s BIGINT";
            session.run(
                    "CREATE TABLE %1$s (category BIGINT, %2$s) WITH ('connector' = 'print', 'print-identifier' = '%1$s')"
                            .formatted(insert.getKey(), columns));
            set.append("INSERT INTO %s %s;\n".formatted(insert.getKey(), insert.getValue()));
        }
        return set.append("END").toString();
    }

    private static String function(String name, Class<?> type) {
        return "CREATE FUNCTION %s AS '%s' LANGUAGE JAVA".formatted(name, type.getName());
    }

    private static Path jarOfFunctions() throws IOException {
        Path jar = distribution.runFolder().resolve("functions.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            for (Class<?> type :
                    List.of(
                            Functions.class,
                            Functions.Twice.class,
                            Functions.SumOfSquares.class,
                            Functions.SumOfSquares.Sum.class)) {
                String entry = type.getName().replace('.', '/') + ".class";
                out.putNextEntry(new ZipEntry(entry));
                try (InputStream in = type.getClassLoader().getResourceAsStream(entry)) {
                    in.transferTo(out);
                }
            }
        }
        return jar;
    }

    private static SqlGateway.Session session(Map<String, String> settings) throws Exception {
        SqlGateway.Session session = gateway.openSession();
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            session.run("SET '%s' = '%s'".formatted(setting.getKey(), setting.getValue()));
        }
        for (String statement : TABLES.split(";\\s*")) {
            session.run(statement);
        }
        return session;
    }

    /** The names of the operators of a job, as the cluster knows them. */
    private static String nodesOf(String jobId) throws InterruptedException {
        return cluster.get("/jobs/" + jobId);
    }
}
