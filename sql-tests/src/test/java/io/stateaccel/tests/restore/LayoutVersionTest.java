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
import io.stateaccel.tests.differential.Variant.Ending;
import io.stateaccel.tests.differential.Variant.Phase;
import io.stateaccel.views.layout.StateLayouts;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Savepoints that earlier builds have taken, in {@code src/test/resources/savepoints}, one folder
 * per layout version: this build goes on from them.
 *
 * <p>The module's README says how those of a new layout version are written.
 */
class LayoutVersionTest {

    @RegisterExtension
    static final MiniClusterExtension CLUSTER = TestCluster.create(2, new Configuration());

    @TempDir static Path temporary;

    private static final Path SAVEPOINTS = Path.of("src", "test", "resources", "savepoints");
    private static final int FIRST_VERSION = 1;

    // What the savepoints were taken with: others are others' savepoints.
    private static final long SEED = 3;
    private static final int CHANGES = 60;

    private static CaseRunner runner;
    private static boolean written;

    @BeforeAll
    static void createRunner(@InjectMiniCluster MiniCluster cluster) {
        runner = new CaseRunner(cluster, temporary.resolve("snapshots"));
    }

    /** Not before all tests, when jobs do not go to the mini cluster yet. */
    @BeforeEach
    void writeSavepointsIfAskedTo() throws Exception {
        if (Boolean.getBoolean("stateaccel.write-savepoints") && !written) {
            writeSavepointsOfThisVersion();
            written = true;
        }
    }

    static Stream<Arguments> savepoints() {
        List<Arguments> all = new ArrayList<>();
        for (int version = FIRST_VERSION; version <= StateLayouts.VERSION; version++) {
            for (Ending format : List.of(Ending.CANONICAL_SAVEPOINT, Ending.NATIVE_SAVEPOINT)) {
                for (Queries queries : Queries.values()) {
                    all.add(Arguments.of(version, format, queries));
                }
            }
        }
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("savepoints")
    void goesOnFromTheSavepoint(int version, Ending format, Queries queries, @TempDir Path folder)
            throws Exception {
        unzip(file(version, format, queries), folder);
        List<DifferentialCase> cases = queries.cases(SEED, CHANGES);
        Map<Long, Outcome> expected = runner.run(cases, Variant.ORACLE);
        Map<Long, Outcome> actual = runner.runFromSavepoint(cases, variant(format), folder);
        for (AcceleratedQuery query : queries.members()) {
            long seed = query.ordinal();
            assertThat(actual.get(seed).operators())
                    .anyMatch(operator -> operator.startsWith(query.operator() + "["));
            assertThat(Differential.differences(expected.get(seed).rows(), actual.get(seed).rows()))
                    .as(query.name())
                    .isEmpty();
        }
    }

    private static void writeSavepointsOfThisVersion() throws Exception {
        for (Ending format : List.of(Ending.CANONICAL_SAVEPOINT, Ending.NATIVE_SAVEPOINT)) {
            for (Queries queries : Queries.values()) {
                Path file = file(StateLayouts.VERSION, format, queries);
                Files.createDirectories(file.getParent());
                runner.runToSavepoint(
                        queries.cases(SEED, CHANGES),
                        variant(format),
                        savepoint -> zip(savepoint, file));
            }
        }
    }

    private static Path file(int version, Ending format, Queries queries) {
        return SAVEPOINTS.resolve(
                "layout-%d/%s-%s.zip"
                        .formatted(
                                version,
                                queries.name().toLowerCase().replace('_', '-'),
                                format == Ending.CANONICAL_SAVEPOINT ? "canonical" : "native"));
    }

    private static Variant variant(Ending format) {
        return new Variant(
                true,
                false,
                false,
                List.of(
                        new Phase(1, "rocksdb", false, format, Map.of()),
                        new Phase(2, "rocksdb", false, Ending.END_OF_INPUT, Map.of())));
    }

    private static void zip(Path folder, Path file) throws IOException {
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file));
                Stream<Path> members = Files.list(folder)) {
            for (Path member : members.sorted().toList()) {
                ZipEntry entry = new ZipEntry(member.getFileName().toString());
                entry.setLastModifiedTime(FileTime.fromMillis(0));
                zip.putNextEntry(entry);
                Files.copy(member, zip);
                zip.closeEntry();
            }
        }
    }

    private static void unzip(Path file, Path folder) throws IOException {
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(file))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                try (OutputStream member =
                        Files.newOutputStream(
                                folder.resolve(Path.of(entry.getName()).getFileName()))) {
                    zip.transferTo(member);
                }
            }
        }
    }
}
