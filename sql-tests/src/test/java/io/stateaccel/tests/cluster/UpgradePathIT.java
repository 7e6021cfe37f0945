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

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Jobs go on from savepoints of older Flink lines: a join with its aggregate, a LEFT JOIN and a
 * top-N in one statement set, fed from files, stopped with a savepoint on one line and started from
 * it on a later one, with more rows. Accelerated as well as stock, which shows what Flink can do.
 *
 * <p>Needs the jars and distributions of several lines, so it runs where they are named: {@code
 * -Dstateaccel.upgrade-lines=1.20,2.0,2.1,2.2,2.3}, after the jar of each is built.
 */
@EnabledIfSystemProperty(named = "stateaccel.upgrade-lines", matches = ".+")
class UpgradePathIT {

    private record Row(int key, int value) {}

    /** What there is before the savepoint, and what comes after it. */
    private static final List<List<Row>> LEFT = List.of(rows(0, 40, 12, 3), rows(40, 60, 15, 3));

    private static final List<List<Row>> RIGHT = List.of(rows(0, 60, 9, 7), rows(60, 120, 14, 7));

    private static List<Row> rows(int from, int to, int keys, int stride) {
        return IntStream.range(from, to).mapToObj(i -> new Row(i * stride % keys, i)).toList();
    }

    @TestFactory
    Stream<DynamicTest> goesOnAcceleratedWhereStockGoesOn() {
        List<String> lines =
                Arrays.asList(System.getProperty("stateaccel.upgrade-lines").split(","));
        return IntStream.range(0, lines.size() - 1)
                .boxed()
                .map(
                        from ->
                                DynamicTest.dynamicTest(
                                        "from " + lines.get(from),
                                        () ->
                                                upgrade(
                                                        lines.get(from),
                                                        lines.subList(from + 1, lines.size()))));
    }

    private static void upgrade(String from, List<String> to) throws Exception {
        Map<String, Map<String, String>> failures = new LinkedHashMap<>();
        for (boolean accelerated : new boolean[] {false, true}) {
            String mode = accelerated ? "accelerated" : "stock";
            Path input = FlinkDistribution.workFolder("upgrade-input-" + from + "-" + mode);
            clear(input);
            write(input, 0);
            FlinkDistribution before = distribution(from, mode + "-of-" + from);
            Path savepoints = Files.createDirectories(before.runFolder().resolve("savepoints"));
            Path savepoint;
            try (StandaloneCluster cluster = StandaloneCluster.start(before, Map.of())) {
                SubmittedJob job = SubmittedJob.submit(cluster, statements(input, accelerated, ""));
                assertThat(awaitTables(job, List.of(before), expected(1))).isEqualTo(expected(1));
                assertThat(isAccelerated(job)).isEqualTo(accelerated);
                savepoint = job.stopWithSavepoint(savepoints).orElseThrow();
            }
            write(input, 1);
            for (String line : to) {
                failures.computeIfAbsent(line, l -> new LinkedHashMap<>())
                        .put(mode, failure(before, line, mode, input, accelerated, savepoint));
            }
        }
        assertThat(failures.values())
                .as("by line, why the job does not go on, ours as stock's: %s", failures)
                .allSatisfy(
                        modes ->
                                assertThat(modes.get("accelerated").isEmpty())
                                        .isEqualTo(modes.get("stock").isEmpty()));
    }

    /**
     * Why the job does not start from the savepoint; empty if it does, and then its results have to
     * be right.
     */
    private static String failure(
            FlinkDistribution before,
            String line,
            String mode,
            Path input,
            boolean accelerated,
            Path savepoint)
            throws Exception {
        FlinkDistribution after = distribution(line, mode + "-on-" + line);
        try (StandaloneCluster cluster = StandaloneCluster.start(after, Map.of())) {
            SubmittedJob job =
                    SubmittedJob.submit(
                            cluster,
                            statements(
                                    input,
                                    accelerated,
                                    "SET 'execution.state-recovery.path' = '%s';%n"
                                            .formatted(savepoint.toUri())));
            Map<String, Map<String, Integer>> tables =
                    awaitTables(job, List.of(before, after), expected(2));
            if (!tables.equals(expected(2)) && !job.failures().isEmpty()) {
                return job.failures().get(0);
            }
            assertThat(tables).isEqualTo(expected(2));
            assertThat(isAccelerated(job)).isEqualTo(accelerated);
            return "";
        }
    }

    private static boolean isAccelerated(SubmittedJob job) throws Exception {
        return job.tasks().names().stream().anyMatch(name -> name.contains("MiniBatchJoin"));
    }

    private static FlinkDistribution distribution(String line, String name) throws Exception {
        FlinkDistribution distribution = FlinkDistribution.create("upgrade-" + name, line);
        distribution.install(jar(line));
        return distribution;
    }

    private static Path jar(String line) throws IOException {
        Path built =
                Path.of("../distribution/target")
                        .resolve(line.equals(FlinkDistribution.LINE) ? "." : "flink-" + line);
        String name = "flink-sql-state-accel-" + line + "-";
        try (Stream<Path> files = Files.list(built)) {
            return files.filter(file -> file.getFileName().toString().startsWith(name))
                    .filter(file -> file.toString().endsWith(".jar"))
                    .findFirst()
                    .orElseThrow(() -> new IOException(built + " has no " + name + "*.jar"));
        }
    }

    /** What is printed, as soon as it is what is expected, or when it will not be any more. */
    private static Map<String, Map<String, Integer>> awaitTables(
            SubmittedJob job,
            List<FlinkDistribution> printers,
            Map<String, Map<String, Integer>> expected)
            throws Exception {
        try {
            job.await("the tables", tasks -> tablesOf(printers).equals(expected));
        } catch (IOException e) {
            // What there is instead is compared with what is expected.
        }
        return tablesOf(printers);
    }

    /** What both parts of the job have printed comes to. */
    private static Map<String, Map<String, Integer>> tablesOf(List<FlinkDistribution> printers) {
        Map<String, Map<String, Integer>> all = new TreeMap<>();
        for (FlinkDistribution printer : printers) {
            PrintedTables.of(printer)
                    .forEach(
                            (table, rows) ->
                                    rows.forEach(
                                            (row, count) ->
                                                    all.computeIfAbsent(
                                                                    table, name -> new TreeMap<>())
                                                            .merge(
                                                                    row,
                                                                    count,
                                                                    (a, b) ->
                                                                            a + b == 0
                                                                                    ? null
                                                                                    : a + b)));
        }
        return all;
    }

    private static String statements(Path input, boolean accelerated, String more) {
        return """
               SET 'table.exec.state-accel.enabled' = '%s';
               SET 'state.backend.type' = 'rocksdb';
               %s
               CREATE TABLE A (id INT, v INT) WITH ('connector' = 'filesystem', 'format' = 'csv',
                 'path' = '%s', 'source.monitor-interval' = '100 ms');
               CREATE TABLE B (id INT, w INT) WITH ('connector' = 'filesystem', 'format' = 'csv',
                 'path' = '%s', 'source.monitor-interval' = '100 ms');
               CREATE TABLE totals (id INT, n BIGINT, best INT)
                 WITH ('connector' = 'print', 'print-identifier' = 'totals');
               CREATE TABLE pairs (id INT, v INT, w INT)
                 WITH ('connector' = 'print', 'print-identifier' = 'pairs');
               CREATE TABLE best (id INT, w INT)
                 WITH ('connector' = 'print', 'print-identifier' = 'best');
               EXECUTE STATEMENT SET BEGIN
                 INSERT INTO totals
                   SELECT A.id, COUNT(*), MAX(w) FROM A JOIN B ON A.id = B.id GROUP BY A.id;
                 INSERT INTO pairs SELECT A.id, v, w FROM A LEFT JOIN B ON A.id = B.id;
                 INSERT INTO best SELECT id, w FROM (SELECT id, w,
                   ROW_NUMBER() OVER (PARTITION BY id ORDER BY w DESC) AS rn FROM B) WHERE rn <= 2;
               END;
               """
                .formatted(
                        accelerated, more, input.resolve("A").toUri(), input.resolve("B").toUri());
    }

    private static void write(Path input, int part) throws IOException {
        write(input.resolve("A"), part, LEFT.get(part));
        write(input.resolve("B"), part, RIGHT.get(part));
    }

    /** The file appears with all its rows. */
    private static void write(Path folder, int part, List<Row> rows) throws IOException {
        Files.createDirectories(folder);
        Path hidden = folder.resolve("." + part);
        Files.write(hidden, rows.stream().map(row -> row.key + "," + row.value).toList());
        Files.move(hidden, folder.resolve(part + ".csv"));
    }

    private static void clear(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    /** The tables when so many parts have been read. */
    private static Map<String, Map<String, Integer>> expected(int parts) {
        List<Row> left = LEFT.subList(0, parts).stream().flatMap(List::stream).toList();
        Map<Integer, List<Integer>> right = new HashMap<>();
        RIGHT.subList(0, parts).stream()
                .flatMap(List::stream)
                .forEach(
                        row ->
                                right.computeIfAbsent(row.key, key -> new ArrayList<>())
                                        .add(row.value));
        Map<String, Map<String, Integer>> tables = new TreeMap<>();
        Map<Integer, Integer> matches = new HashMap<>();
        for (Row row : left) {
            List<Integer> values = right.getOrDefault(row.key, List.of());
            for (Integer value : values) {
                add(tables, "pairs", "%d, %d, %d".formatted(row.key, row.value, value));
            }
            if (values.isEmpty()) {
                add(tables, "pairs", "%d, %d, null".formatted(row.key, row.value));
            } else {
                matches.merge(row.key, values.size(), Integer::sum);
            }
        }
        matches.forEach(
                (key, count) ->
                        add(
                                tables,
                                "totals",
                                "%d, %d, %d"
                                        .formatted(
                                                key,
                                                count,
                                                right.get(key).stream()
                                                        .max(Comparator.naturalOrder())
                                                        .orElseThrow())));
        right.forEach(
                (key, values) ->
                        values.stream()
                                .sorted(Comparator.reverseOrder())
                                .limit(2)
                                .forEach(value -> add(tables, "best", key + ", " + value)));
        return tables;
    }

    private static void add(Map<String, Map<String, Integer>> tables, String table, String row) {
        tables.computeIfAbsent(table, name -> new TreeMap<>()).merge(row, 1, Integer::sum);
    }
}
