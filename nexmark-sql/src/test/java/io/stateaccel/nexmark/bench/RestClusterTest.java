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
package io.stateaccel.nexmark.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.nexmark.bench.common.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code --rest} on a cluster that is there already: one in this JVM, behind its REST interface.
 */
class RestClusterTest {

    private static final String ROOT = "bench.root";

    @TempDir private Path directory;

    private String rootBefore;

    /** The jars that travel with jobs are packed after the tests; these stand for them. */
    @BeforeEach
    void packJars() throws IOException {
        pack("distribution/target/flink-sql-state-accel-test.jar", null);
        pack("nexmark-sql/target/nexmark-sql-test.jar", Path.of("target/classes"));
        rootBefore = System.setProperty(ROOT, directory.toString());
    }

    @AfterEach
    void restoreRoot() {
        if (rootBefore == null) {
            System.clearProperty(ROOT);
        } else {
            System.setProperty(ROOT, rootBefore);
        }
    }

    @Test
    void aQueryAndAProgramRunOnAClusterThatIsThere() throws Exception {
        Path json = directory.resolve("out.json");
        Path state = Files.createDirectories(directory.resolve("state"));
        Configuration configuration = new Configuration();
        configuration.set(MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL, Duration.ofSeconds(1));
        MiniClusterConfiguration cluster =
                new MiniClusterConfiguration.Builder()
                        .setConfiguration(configuration)
                        .setNumTaskManagers(1)
                        .setNumSlotsPerTaskManager(2)
                        .withRandomPorts()
                        .build();
        try (MiniCluster miniCluster = new MiniCluster(cluster)) {
            miniCluster.start();
            URI rest = miniCluster.getRestAddress().get();
            int exitCode =
                    Bench.execute(
                            "q0",
                            "iot-last-seen",
                            "--rest=" + rest,
                            "--variants=stock",
                            "--events=2k",
                            "--runs=1",
                            "--state-dir=" + state,
                            "--json=" + json);
            assertThat(exitCode).isZero();
            assertThat(miniCluster.listJobs().get())
                    .hasSize(2)
                    .allMatch(job -> job.getJobState() == JobStatus.FINISHED);
        }
        JsonNode report = Json.MAPPER.readTree(json.toFile());
        JsonNode q0 = report.at("/queries/0/runs/0");
        assertThat(q0.at("/checksum").asText()).startsWith("1840 rows ");
        assertThat(q0.at("/cpuSeconds").asDouble()).isPositive();
        assertThat(q0.at("/wallSeconds").asDouble()).isPositive();
        assertThat(report.at("/queries/1/runs/0/checksum").asText()).contains(" rows ");
        assertThat(state).isEmptyDirectory();
    }

    private void pack(String name, Path classes) throws IOException {
        Path jar = directory.resolve(name);
        Files.createDirectories(jar.getParent());
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> entries = classes == null ? Stream.of() : Files.walk(classes)) {
            for (Path entry : entries.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(entry).toString()));
                Files.copy(entry, out);
            }
        }
    }
}
