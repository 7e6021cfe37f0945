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
package io.stateaccel.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.stateaccel.flink.testing.SnapshotParts;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.table.planner.loader.DelegatePlannerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

/** Runs the finished jar with {@code java -jar}, so without Flink on the class path. */
class CommandIT {

    private static final long DEADLINE_SECONDS = 120;

    @TempDir private Path directory;
    @TempDir private Path home;

    @Test
    void knowsItsVersionAndItsCommands() throws Exception {
        assertThat(run("--version").out()).matches("flink-sql-state-accel \\d+\\.\\d+.*\n");
        assertThat(run("--help").out())
                .contains("Usage: state-accel")
                .contains("\n  doctor ")
                .contains("\n  inspect ")
                .contains("\n  explain ");
    }

    @Test
    void measuresADirectory() throws Exception {
        Run run =
                run(
                        "doctor",
                        "--dir",
                        directory.toString(),
                        "--seconds",
                        "1",
                        "--file-size",
                        "1MB");

        assertThat(run.exitCode()).as(run.err()).isIn(0, 1);
        assertThat(run.out()).contains("File system  ").contains("Verdict: ");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void asksAClusterForItsJobs() throws Exception {
        HttpServer cluster =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        cluster.createContext(
                "/jobs/overview",
                exchange -> {
                    byte[] answer = "{\"jobs\":[]}".getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(200, answer.length);
                    exchange.getResponseBody().write(answer);
                    exchange.close();
                });
        cluster.start();
        try {
            Run run = run("doctor", "--rest", "http://localhost:" + cluster.getAddress().getPort());

            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err()).endsWith("state-accel doctor: no job is running there\n");
        } finally {
            cluster.stop(0);
        }
    }

    @Test
    void wrongUseIsAnExitCode() throws Exception {
        Run run = run("doctor", "--dir", directory.resolve("absent").toString());

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("'--dir'").contains("absent").hasLineCount(1);
    }

    /** As Ctrl-C does, and even where nothing of the command's own can run any more. */
    @Test
    void leavesNothingWhenItIsKilled() throws Exception {
        Process process =
                start(
                        "doctor",
                        "--dir",
                        directory.toString(),
                        "--seconds",
                        "60",
                        "--file-size",
                        "1MB");
        try (BufferedReader err = process.errorReader()) {
            assertThat(err.readLine()).startsWith("Measuring ");
        } finally {
            process.destroyForcibly();
        }

        assertThat(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void readsASnapshotWithTheJarsOfFlink() throws Exception {
        try (OutputStream out = Files.newOutputStream(directory.resolve("_metadata"))) {
            Checkpoints.storeCheckpointMetadata(
                    new CheckpointMetadata(
                            7,
                            List.of(
                                    SnapshotParts.operator(
                                            "counts", null, new OperatorID(1, 2), 1, 128)),
                            List.of()),
                    out);
        }

        Run run = run("inspect", directory.toString(), "--flink-home", flinkHome().toString());

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("Checkpoint 7 in " + directory).contains("\ncounts\n");
    }

    @Test
    void readsARocksDBWithTheJarsOfFlink() throws Exception {
        Path db = Files.createDirectories(directory.resolve("db"));
        RocksDB.loadLibrary();
        try (Options options = new Options().setCreateIfMissing(true);
                RocksDB rocksDB = RocksDB.open(options, db.toString());
                FlushOptions flush = new FlushOptions()) {
            rocksDB.put(new byte[] {1}, new byte[77]);
            rocksDB.flush(flush);
        }

        Run run = run("inspect", directory.toString(), "--flink-home", flinkHome().toString());

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("1 column families, 1 files").containsPattern("default +1 ");
    }

    @Test
    void explainsAFileWithThePlannerOfFlink() throws Exception {
        Path file =
                Files.writeString(
                        directory.resolve("job.sql"),
                        """
                        -- ; not a statement
                        SET 'table.exec.state-accel.mini-batch.size' = '77';
                        CREATE TABLE A (id BIGINT, v BIGINT, t AS PROCTIME())
                          WITH ('connector' = 'datagen');
                        CREATE TABLE B (id BIGINT) WITH ('connector' = 'datagen');
                        CREATE VIEW Joined AS SELECT A.id, A.v FROM A JOIN B ON A.id = B.id;
                        SHOW TABLES;
                        SELECT v + 1 FROM A;
                        SELECT SUM(v) OVER (PARTITION BY id ORDER BY v) FROM A;
                        CREATE TABLE S (id BIGINT, v BIGINT) WITH ('connector' = 'print');
                        EXECUTE STATEMENT SET BEGIN
                        INSERT INTO S SELECT * FROM Joined;
                        INSERT INTO S SELECT id, v FROM A;
                        END;
                        SET 'table.exec.sink.upsert-materialize' = 'FORCE';
                        CREATE TABLE U (id BIGINT, v BIGINT, PRIMARY KEY (id) NOT ENFORCED)
                          WITH ('connector' = 'blackhole');
                        INSERT INTO U SELECT id, COUNT(*) FROM A GROUP BY id;
                        SET 'table.exec.state-accel.enabled' = 'false';
                        SELECT DISTINCT id FROM A;
                        """);

        Run run = run("explain", file.toString(), "--flink-home", flinkHome().toString());

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains("Statement 5 is left out: SHOW TABLES\n")
                .containsSubsequence(
                        "Statement 6: SELECT v + 1 FROM A\n",
                        "  No node of it keeps state that could be accelerated.\n",
                        "Statement 7: SELECT SUM(v) OVER",
                        "  Stays stock: OverAggregate(partitionBy=[id]",
                        "    as an OVER aggregate by columns that are not a row time is not covered: ",
                        "Statement 9: EXECUTE STATEMENT SET BEGIN",
                        "  Accelerated: MiniBatchJoin(joinType=[InnerJoin]",
                        "bundle=[size 77, ",
                        "Statement 12: INSERT INTO U SELECT id, COUNT(*)",
                        "  Accelerated: Sink(table=[default_catalog.default_database.U]",
                        "upsertMaterialize=[bundled], bundle=[size 77, ",
                        "Statement 14: SELECT DISTINCT id FROM A\n",
                        "  Not accelerated: the file switches that off.\n")
                .doesNotContain("Statement 1:", "Statement 2:");
    }

    @Test
    void namesTheStatementThatCannotBeExplained() throws Exception {
        Path file = Files.writeString(directory.resolve("job.sql"), "SELECT 1;\nSELECT * FROM X");

        Run run = run("explain", file.toString(), "--flink-home", flinkHome().toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("Statement 1: SELECT 1\n");
        assertThat(run.err())
                .contains("Statement 2 of " + file + " (SELECT * FROM X): ")
                .contains("'X'")
                .hasLineCount(1);
    }

    @Test
    void needsAFlinkToReadState() throws Exception {
        Files.createFile(directory.resolve("_metadata"));

        Run run = run("inspect", directory.toString());

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("Missing option '--flink-home'").hasLineCount(1);
    }

    /** The jars that this test runs with; one of them bears the name that tells a distribution. */
    private Path flinkHome() throws IOException {
        Path lib = Files.createDirectories(home.resolve("lib"));
        String classPath =
                System.getProperty(
                        "surefire.test.class.path", System.getProperty("java.class.path"));
        for (String entry : classPath.split(File.pathSeparator)) {
            Path jar = Path.of(entry);
            if (entry.endsWith(".jar") && !jar.equals(jar())) {
                String name = jar.getFileName().toString().replace("flink-runtime-", "flink-dist-");
                Files.createSymbolicLink(lib.resolve(name), jar);
            }
        }
        return home;
    }

    private record Run(int exitCode, String out, String err) {}

    private Run run(String... arguments) throws IOException, InterruptedException {
        Process process = start(arguments);
        try {
            // Short enough to fit into the pipe while the other one is read.
            String out = text(process.getInputStream().readAllBytes());
            String err = text(process.getErrorStream().readAllBytes());
            assertThat(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
            return new Run(process.exitValue(), out, err);
        } finally {
            process.destroyForcibly();
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx512m", "-jar", jar().toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().remove("FLINK_HOME");
        return builder.start();
    }

    private static Path jar() {
        return Path.of(
                DelegatePlannerFactory.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath());
    }
}
