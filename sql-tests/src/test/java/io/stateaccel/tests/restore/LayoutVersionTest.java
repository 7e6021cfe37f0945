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
import io.stateaccel.views.layout.StateLayout;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Savepoints that earlier builds have taken, in {@code src/test/resources/savepoints}, one folder
 * for each build that has changed a layout: this build goes on from them. {@code layouts.txt} in
 * such a folder has the layouts that the savepoints hold.
 *
 * <p>The module's README says how those of a new layout version are written.
 */
class LayoutVersionTest {

    @RegisterExtension
    static final MiniClusterExtension CLUSTER = TestCluster.create(2, new Configuration());

    @TempDir static Path temporary;

    private static final Path SAVEPOINTS = Path.of("src", "test", "resources", "savepoints");
    private static final String LAYOUTS = "layouts.txt";

    /** What the savepoints of this build are to be written as, for instance {@code 0.2.0}. */
    private static final String NAME_TO_WRITE = System.getProperty("stateaccel.write-savepoints");

    private static final String ROW_SERIALIZER =
            "org.apache.flink.table.runtime.typeutils.RowDataSerializer";

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
        if (NAME_TO_WRITE != null && !written) {
            writeSavepoints(NAME_TO_WRITE);
            written = true;
        }
    }

    static Stream<Arguments> savepoints() throws IOException {
        List<Arguments> all = new ArrayList<>();
        for (Path build : builds()) {
            for (Ending format : List.of(Ending.CANONICAL_SAVEPOINT, Ending.NATIVE_SAVEPOINT)) {
                for (Queries queries : Queries.values()) {
                    String name = build.getFileName().toString();
                    // Of queries that have come later there is none.
                    if (Files.exists(file(name, format, queries))) {
                        all.add(Arguments.of(name, format, queries));
                    }
                }
            }
        }
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("savepoints")
    void goesOnFromTheSavepoint(String build, Ending format, Queries queries, @TempDir Path folder)
            throws Exception {
        unzip(file(build, format, queries), folder);
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

    /** Who raises a version writes savepoints of it, and keeps those of all that are read. */
    @Test
    void thereAreSavepointsOfEveryVersionThatIsRead() throws IOException {
        Set<String> there = new HashSet<>();
        for (Path build : builds()) {
            there.addAll(Files.readAllLines(build.resolve(LAYOUTS)));
        }
        for (StateLayout layout : StateLayout.all()) {
            for (int version = layout.oldestReadable(); version <= layout.version(); version++) {
                assertThat(there).contains(new StateLayout(layout.name(), version, 1).note());
            }
        }
    }

    /**
     * A class that a snapshot names, such as that of a serializer's snapshot, may never be renamed.
     * So there is none of ours.
     */
    @ParameterizedTest
    @EnumSource(Queries.class)
    void snapshotsNameNoClassOfOurs(Queries queries) throws Exception {
        List<Path> searched = new ArrayList<>();
        runner.runToSavepoint(
                queries.cases(SEED, CHANGES),
                variant(Ending.CANONICAL_SAVEPOINT),
                savepoint -> {
                    try (Stream<Path> files = Files.list(savepoint)) {
                        for (Path file : files.toList()) {
                            // That of the user's function is the user's.
                            String content =
                                    Files.readString(file, StandardCharsets.ISO_8859_1)
                                            .replace(ThreeLeast.class.getName(), "");
                            assertThat(content).doesNotContain("io.stateaccel", "io/stateaccel");
                            // What holds names of classes is read as it is.
                            if (content.contains(ROW_SERIALIZER)) {
                                searched.add(file);
                            }
                        }
                    }
                });
        assertThat(searched).isNotEmpty();
    }

    private static List<Path> builds() throws IOException {
        try (Stream<Path> folders = Files.list(SAVEPOINTS)) {
            return folders.sorted().toList();
        }
    }

    private static void writeSavepoints(String build) throws Exception {
        Path folder = Files.createDirectories(SAVEPOINTS.resolve(build));
        Files.write(
                folder.resolve(LAYOUTS),
                StateLayout.all().stream().map(StateLayout::note).toList());
        for (Ending format : List.of(Ending.CANONICAL_SAVEPOINT, Ending.NATIVE_SAVEPOINT)) {
            for (Queries queries : Queries.values()) {
                Path file = file(build, format, queries);
                runner.runToSavepoint(
                        queries.cases(SEED, CHANGES),
                        variant(format),
                        savepoint -> zip(savepoint, file));
            }
        }
    }

    private static Path file(String build, Ending format, Queries queries) {
        return SAVEPOINTS.resolve(
                "%s/%s-%s.zip"
                        .formatted(
                                build,
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
