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
package io.stateaccel.tests.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.planner.StateAccel;
import io.stateaccel.rocksdb.disk.DiskActivity;
import io.stateaccel.rocksdb.jni.NativeLibrary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.CommonTestUtils;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.state.rocksdb.RocksDBOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.StatementSet;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Holds {@code docs/metrics.md} and the dashboard in {@code monitoring/} to what Flink's reporter
 * for Prometheus shows of a job with an accelerated join, aggregate and deduplication, on a cluster
 * that is configured by {@code monitoring/config.yaml}.
 */
class MonitoringTest {

    private static final Path MONITORING = Path.of("..", "monitoring");
    private static final Path PAGE = Path.of("..", "docs", "metrics.md");
    private static final String OURS = "flink_taskmanager_job_task_operator_state_accel_";
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private static final Set<String> FUNCTIONS = Set.of("sum", "max", "avg", "rate");

    /** Variables that Grafana fills in. */
    private static final Pattern VARIABLE = Pattern.compile("\\$\\w+");

    private static final String PORT = "metrics.reporter.prom.port";

    private static final Configuration REPORTER =
            GlobalConfiguration.loadConfiguration(MONITORING.toString());

    /** Others may have the ports that are configured. */
    private static final int FREE_PORT = freePort();

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setConfiguration(clusterConfiguration())
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    @TempDir private static Path directory;

    private static JobClient job;
    private static Scrape scrape;

    private static Configuration clusterConfiguration() {
        Configuration configuration = new Configuration(REPORTER);
        configuration.setString(PORT, String.valueOf(FREE_PORT));
        return configuration;
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Once for all tests; before the first of them Flink would start another cluster for it. */
    @BeforeEach
    void scrapeARunningJob() throws Exception {
        if (scrape != null) {
            return;
        }
        job = start();
        long giveUp = System.nanoTime() + PATIENCE.toNanos();
        do {
            Thread.sleep(200);
            scrape = Scrape.parse(scraped());
        } while (!isComplete() && System.nanoTime() < giveUp);
        assertThat(scrape.names())
                .as("of a job that is %s", job.getJobStatus().get())
                .containsAll(shouldBeShown());
    }

    @AfterAll
    static void cancel() throws Exception {
        job.cancel().get();
        job.getJobExecutionResult().handle((result, cancelled) -> cancelled).get();
    }

    /** Sub-tasks open one after the other, and the first checkpoint takes a while. */
    private static boolean isComplete() {
        return scrape.names().containsAll(shouldBeShown());
    }

    private static Set<String> shouldBeShown() {
        return Set.of(
                OURS + "bundle_rows",
                OURS + "aggregate_accumulatorCacheBytes",
                OURS + "cache_state_name_hits",
                OURS + "rocksdb_state_name_merges",
                "flink_jobmanager_job_lastCheckpointDuration");
    }

    private static JobClient start() {
        Configuration config = new Configuration();
        config.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
        config.set(RocksDBOptions.LOCAL_DIRECTORIES, directory.toString());
        config.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, directory.toUri().toString());
        config.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(200));
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(config);
        environment.setParallelism(2);
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        StateAccel.install(tables);
        tables.getConfig().set(StateAccelOptions.ENABLED, true);
        tables.getConfig().set(StateAccelOptions.MINI_BATCH_ALLOW_LATENCY, Duration.ofMillis(50));
        tables.executeSql(
                "CREATE TABLE orders (id BIGINT, customer BIGINT, product BIGINT, p AS PROCTIME())"
                        + " WITH ('connector' = 'datagen', 'rows-per-second' = '200')");
        tables.executeSql(
                "CREATE TABLE customers (id BIGINT, name STRING)"
                        + " WITH ('connector' = 'datagen', 'rows-per-second' = '200')");
        tables.executeSql(
                "CREATE TABLE joined (id BIGINT, name STRING) WITH ('connector' = 'blackhole')");
        tables.executeSql(
                "CREATE TABLE counted (product BIGINT, orders BIGINT)"
                        + " WITH ('connector' = 'blackhole')");
        tables.executeSql(
                "CREATE TABLE latest (customer BIGINT, id BIGINT)"
                        + " WITH ('connector' = 'blackhole')");
        StatementSet statements = tables.createStatementSet();
        statements.addInsertSql(
                "INSERT INTO joined SELECT o.id, c.name FROM orders o JOIN customers c"
                        + " ON o.customer = c.id");
        statements.addInsertSql(
                "INSERT INTO counted SELECT product, COUNT(*) FROM orders GROUP BY product");
        statements.addInsertSql(
                "INSERT INTO latest SELECT customer, id FROM (SELECT *, ROW_NUMBER() OVER"
                        + " (PARTITION BY customer ORDER BY p DESC) AS n FROM orders)"
                        + " WHERE n = 1");
        return statements.execute().getJobClient().orElseThrow();
    }

    private static String scraped() throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(
                                        URI.create("http://localhost:" + FREE_PORT + "/metrics"))
                                .build(),
                        BodyHandlers.ofString())
                .body();
    }

    @Test
    void everyMetricIsInTheDocumentAndTheOtherWayRound() throws Exception {
        Set<String> documented =
                MetricsDocument.metrics(PAGE).stream()
                        .filter(MonitoringTest::isKnownHere)
                        .map(name -> OURS + name.substring("state-accel.".length()))
                        .map(name -> name.replace('.', '_'))
                        .collect(Collectors.toCollection(TreeSet::new));
        Set<String> shown =
                scrape.names().stream()
                        .filter(name -> name.startsWith(OURS))
                        .collect(Collectors.toCollection(TreeSet::new));

        assertThat(documented).isEqualTo(shown).hasSizeGreaterThan(40);
    }

    /** Not every machine has a device below its folder for temporary files. */
    private static boolean isKnownHere(String metric) {
        return !metric.startsWith("state-accel.disk.") || DiskActivity.of(directory).isPresent();
    }

    @Test
    void everyQueryOfTheDashboardFindsItsMetricsAndLabels() throws Exception {
        List<PrometheusQuery> queries = queries();

        assertThat(queries).hasSizeGreaterThan(30);
        for (PrometheusQuery query : queries) {
            assertThat(query.otherWords()).as(query.text()).isSubsetOf(FUNCTIONS);
            assertThat(query.selectors()).as(query.text()).isNotEmpty();
            for (PrometheusQuery.Selector selector : query.selectors()) {
                if (selector.metric().startsWith(OURS + "disk_")
                        && DiskActivity.of(directory).isEmpty()) {
                    continue;
                }
                assertThat(scrape.series()).as(query.text()).containsKey(selector.metric());
                assertThat(scrape.series().get(selector.metric()))
                        .as("%s in %s", selector, query.text())
                        .anyMatch(labels -> matches(labels, selector, query.groupedBy()));
            }
        }
    }

    @Test
    void joinsReadWholeBundlesAhead() throws Exception {
        assumeTrue(
                NativeLibrary.load(directory.toFile()).isPresent(), "reads are one by one without");
        for (String side : List.of("left-records", "right-records")) {
            Pattern sample =
                    Pattern.compile(
                            OURS
                                    + "rocksdb_state_name_readsAhead\\{.*state_name=\""
                                    + side.replace('-', '.')
                                    + "\".*} ([1-9].*)");
            CommonTestUtils.waitUntilCondition(() -> sample.matcher(scraped()).find());
        }
    }

    private static boolean matches(
            Map<String, String> labels, PrometheusQuery.Selector selector, Set<String> groupedBy) {
        return labels.entrySet().containsAll(selector.equal().entrySet())
                && labels.keySet().containsAll(selector.others())
                && labels.keySet().containsAll(groupedBy);
    }

    @Test
    void everyLegendNamesLabelsThatAreLeft() throws Exception {
        for (JsonNode target : dashboard().findValues("targets")) {
            for (JsonNode query : target) {
                PrometheusQuery parsed = PrometheusQuery.parse(query.get("expr").asText());
                Set<String> used = new TreeSet<>();
                Pattern.compile("\\{\\{(\\w+)}}")
                        .matcher(query.get("legendFormat").asText())
                        .results()
                        .forEach(label -> used.add(label.group(1)));
                if (parsed.groupedBy().isEmpty()) {
                    String metric = parsed.selectors().get(0).metric();
                    assertThat(scrape.series().get(metric).get(0)).containsKeys(toArray(used));
                } else {
                    assertThat(used).as(parsed.text()).isSubsetOf(parsed.groupedBy());
                }
            }
        }
    }

    @Test
    void theVariablesOfTheDashboardAreDefined() throws Exception {
        Set<String> used = new TreeSet<>();
        for (String query : dashboard().findValuesAsText("expr")) {
            VARIABLE.matcher(query).results().forEach(variable -> used.add(variable.group()));
        }
        // The first is Grafana's own.
        assertThat(used).containsExactlyInAnyOrder("$__rate_interval", "$job");
        JsonNode job = dashboard().at("/templating/list/1");
        assertThat(job.get("name").asText()).isEqualTo("job");
        assertThat(job.get("query").asText())
                .isEqualTo("label_values(flink_taskmanager_job_task_numRecordsIn, job_name)");
        assertThat(scrape.series().get("flink_taskmanager_job_task_numRecordsIn").get(0))
                .containsKey("job_name");
    }

    @Test
    void prometheusScrapesThePortsOfTheReporter() throws Exception {
        String[] ports = REPORTER.toMap().get(PORT).split("-");
        List<Integer> scraped = new ArrayList<>();
        Pattern.compile("localhost:(\\d+)")
                .matcher(Files.readString(MONITORING.resolve("prometheus.yml")))
                .results()
                .forEach(target -> scraped.add(Integer.parseInt(target.group(1))));
        assertThat(scraped)
                .isNotEmpty()
                .allMatch(
                        port ->
                                port >= Integer.parseInt(ports[0])
                                        && port <= Integer.parseInt(ports[1]));
    }

    /** Needs the program: {@code -Dstateaccel.prometheus=/usr/bin/prometheus}. */
    @EnabledIfSystemProperty(named = "stateaccel.prometheus", matches = ".+")
    @Test
    void prometheusAnswersEveryQueryOfTheDashboard(@TempDir Path files) throws Exception {
        String configuration =
                Files.readString(MONITORING.resolve("prometheus.yml"))
                        .replace("localhost:9249", "localhost:" + FREE_PORT)
                        .replaceAll("(?m)^ +- localhost:9250\n", "")
                        .replace("scrape_interval: 15s", "scrape_interval: 1s");
        try (PrometheusServer prometheus =
                PrometheusServer.start(
                        System.getProperty("stateaccel.prometheus"),
                        configuration,
                        freePort(),
                        files)) {
            long giveUp = System.nanoTime() + PATIENCE.toNanos();
            for (PrometheusQuery query : queries()) {
                if (query.text().contains(OURS + "disk_") && DiskActivity.of(directory).isEmpty()) {
                    continue;
                }
                String asked =
                        query.text().replace("$__rate_interval", "10s").replace("$job", ".*");
                // A rate needs some scrapes.
                while (prometheus.query(asked).isEmpty() && System.nanoTime() < giveUp) {
                    Thread.sleep(500);
                }
                assertThat(prometheus.query(asked)).as(asked).isNotEmpty();
            }
        }
    }

    private static List<PrometheusQuery> queries() throws Exception {
        return dashboard().findValuesAsText("expr").stream().map(PrometheusQuery::parse).toList();
    }

    private static JsonNode dashboard() throws Exception {
        return new ObjectMapper().readTree(MONITORING.resolve("grafana-dashboard.json").toFile());
    }

    private static String[] toArray(Set<String> strings) {
        return strings.toArray(String[]::new);
    }
}
