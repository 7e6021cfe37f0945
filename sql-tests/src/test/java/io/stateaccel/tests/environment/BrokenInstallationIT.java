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
package io.stateaccel.tests.environment;

import static io.stateaccel.tests.cluster.FlinkDistribution.builtJar;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.flink.FlinkLine;
import io.stateaccel.tests.cluster.Command;
import io.stateaccel.tests.cluster.FlinkDistribution;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;

/** The jar in {@code lib/} of a Flink where something is wrong with the one or the other. */
class BrokenInstallationIT {

    private static final String STATEMENTS =
            """
            CREATE TABLE a (id BIGINT) WITH ('connector' = 'datagen');
            CREATE TABLE b (id BIGINT) WITH ('connector' = 'datagen');
            SET '%s' = 'true';
            EXPLAIN SELECT * FROM a JOIN b ON a.id = b.id;
            """
                    .formatted(StateAccelOptions.ENABLED.key());

    private static final String PLAN = "== Optimized Execution Plan ==";

    private static final String ACCELERATED = "MiniBatchJoin(";

    /** Where Flink has its version. */
    private static final String VERSION_FILE = ".flink-runtime.version.properties";

    @Test
    void aDamagedJarIsNamedInOneWarningAndPlansAreStock() throws Exception {
        FlinkDistribution distribution = distribution("damaged-jar");
        Path jar = builtJar("flink-sql-state-accel");
        byte[] bytes = Files.readAllBytes(jar);
        String inside = "io/stateaccel/planner/program/StateAccelProgram.class";
        bytes[new String(bytes, ISO_8859_1).indexOf(inside) + 2 * inside.length()] ^= 1;
        distribution.install(write(distribution, jar, bytes));

        Command.Result result = distribution.runSql(STATEMENTS);

        assertThat(result.output()).contains(PLAN).doesNotContain(ACCELERATED, "[ERROR]");
        assertThat(distribution.logs("sql-client").lines().filter(line -> line.contains("WARN")))
                .filteredOn(line -> line.contains("[state-accel]"))
                .singleElement()
                .asString()
                .contains("Queries are not accelerated, because ")
                .contains(jar.getFileName() + " is damaged: " + inside);
    }

    /** The JVM passes over it without a word, so nothing of ours is there to speak. */
    @Test
    void aTruncatedJarIsAsGoodAsNone() throws Exception {
        FlinkDistribution distribution = distribution("truncated-jar");
        Path jar = builtJar("flink-sql-state-accel");
        byte[] bytes = Files.readAllBytes(jar);
        Path truncated = write(distribution, jar, Arrays.copyOf(bytes, bytes.length / 2));
        distribution.install(truncated);

        Command.Result result = distribution.runSql(STATEMENTS);

        assertThat(result.output()).contains(PLAN).doesNotContain(ACCELERATED, "[ERROR]");
        assertThat(distribution.logs("sql-client")).doesNotContain("[state-accel]");
        Command.Result version =
                Command.run(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                                "-jar",
                                truncated.toString(),
                                "--version"),
                        distribution.runFolder(),
                        Map.of(),
                        Duration.ofMinutes(1));
        assertThat(version.output()).contains("Invalid or corrupt jarfile " + truncated);
    }

    @Test
    void anotherFlinkIsNamedInOneError() throws Exception {
        FlinkDistribution distribution = distribution("another-flink");
        String other = FlinkLine.NAME.equals("2.2") ? "2.1" : "2.2";
        distribution.install(builtJar("flink-sql-state-accel"));
        Path version = distribution.runFolder().resolve("a-version.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(version))) {
            out.putNextEntry(new ZipEntry(VERSION_FILE));
            out.write(("project.version=" + other + ".1\n").getBytes(ISO_8859_1));
        }
        distribution.install(version);

        Command.Result result = distribution.runSql(STATEMENTS);

        assertThat(result.output()).doesNotContain(PLAN).containsOnlyOnce("[ERROR]");
        assertThat(result.output().substring(result.output().indexOf("[ERROR]")))
                .contains(
                        "was built for Flink " + FlinkLine.NAME + ".x, but this is Flink " + other,
                        "Replace it by flink-sql-state-accel-" + other + "-<version>.jar");
    }

    private static FlinkDistribution distribution(String name)
            throws IOException, InterruptedException {
        return FlinkDistribution.create(name);
    }

    /** A jar of the same name, with other content. */
    private static Path write(FlinkDistribution distribution, Path jar, byte[] content)
            throws IOException {
        return Files.write(distribution.runFolder().resolve(jar.getFileName()), content);
    }
}
