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
package io.stateaccel.rocksdb.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.stateaccel.rocksdb.testing.LogCollector;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.flink.state.rocksdb.StateAccelRocksDBAccess;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The library in surroundings that are as they should be, and in others; in JVMs of their own. */
class NativeLibraryTest {

    private static final String IN_USE = "[state-accel] native library in use";
    private static final String NOT_IN_USE =
            "[state-accel] native library not in use, the Java path is: ";

    /** RocksDB's own library has some 60 MB. */
    private static final String SIZE_OF_FILE_SYSTEM = "128m";

    @TempDir private Path ofRocksDB;
    @TempDir private Path ofOurs;
    @TempDir private Path before;

    private final byte[] library = libraryOfThisBuild(PackedLibrary.platform());

    @BeforeEach
    void thereIsOne() {
        assumeTrue(library != null, "no native library");
    }

    @Test
    void nothingIsLeftOfWhatWasUnpacked() throws Exception {
        assertThat(load(ofOurs)).containsOnlyOnce(IN_USE).doesNotContain(NOT_IN_USE);
        assertThat(ofOurs).isEmptyDirectory();
    }

    @Test
    void processesThatStartTogetherAreNotInEachOthersWay() throws Exception {
        List<ForkedJvm> processes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            processes.add(start(List.of(), ofOurs));
        }
        for (ForkedJvm process : processes) {
            assertThat(process.await().output()).contains(IN_USE);
        }
        assertThat(ofOurs).isEmptyDirectory();
    }

    @Test
    void anotherProcessorIsNamed() throws Exception {
        assertThat(start(List.of(), ofOurs, "riscv64").await().output())
                .containsOnlyOnce(NOT_IN_USE + "the jar was built without one for linux-riscv64");
    }

    /** The other one of the two libraries is taken, and this machine cannot use it. */
    @Test
    void theOneForTheProcessorIsLoaded() throws Exception {
        String other = PackedLibrary.platform().endsWith("aarch64") ? "amd64" : "aarch64";
        assumeTrue(libraryOfThisBuild("linux-" + other) != null, "no library for " + other);

        assertThat(start(List.of(), ofOurs, other).await().output())
                .containsOnlyOnce(NOT_IN_USE + "it cannot be loaded, ")
                .doesNotContain(IN_USE);
        assertThat(ofOurs).isEmptyDirectory();
    }

    @Test
    void anotherRocksDBIsNamed() {
        assertThatThrownBy(() -> NativeLibrary.checkVersion("7.10.2"))
                .isInstanceOf(IOException.class)
                .hasMessage("it is made for RocksDB 6.20.3 and 8.10.0 but found 7.10.2");
    }

    /** The one of Flink 1.20. */
    @Test
    void whatAnOlderRocksDBLacksIsNamedAndTheRestIsInUse() throws Exception {
        Path older = Path.of(System.getProperty("stateaccel.older-rocksdb"));

        String output =
                ForkedJvm.start(
                                before,
                                List.of(older),
                                List.of(),
                                LoadLibraries.class,
                                ofRocksDB,
                                ofOurs)
                        .await()
                        .output();

        assertThat(output)
                .containsOnlyOnce(IN_USE)
                .containsOnlyOnce(
                        "[state-accel] native library: many keys are read and written by the Java"
                                + " path, as RocksDB's library has no rocksdb_batched_multi_get_cf")
                .doesNotContain(NOT_IN_USE);
    }

    @Test
    void aFlippedBitInTheJarIsNotLoaded() throws Exception {
        library[library.length / 2] ^= 1;

        assertThat(loadFromJarWith(library)).containsOnlyOnce(NOT_IN_USE + damaged());
    }

    @Test
    void aTruncatedLibraryInTheJarIsNotLoaded() throws Exception {
        assertThat(loadFromJarWith(Arrays.copyOf(library, library.length - 100)))
                .containsOnlyOnce(NOT_IN_USE + damaged());
    }

    private static String damaged() {
        return "it is damaged in the jar, replace the jar: its SHA-256 is ";
    }

    @Test
    void aFileSystemWithoutRightsIsNamed() throws Exception {
        try (FileSystem files = Jimfs.newFileSystem(Configuration.unix())) {
            assertThat(reasonNotToLoad(() -> files.getPath("/work")))
                    .isEqualTo("the file system of /work has no POSIX permissions");
        }
    }

    /** None is expected, but each would fail the job. */
    @Test
    void noObstacleGetsThrough() throws Exception {
        assertThat(reasonNotToLoad(() -> Path.of("\0"))).contains("Nul character not allowed");
        assertThat(
                        reasonNotToLoad(
                                () -> {
                                    throw new UnsupportedOperationException();
                                }))
                .isEqualTo("java.lang.UnsupportedOperationException");
    }

    /** Of the one line that tells. */
    private String reasonNotToLoad(Supplier<Path> directory) throws IOException {
        StateAccelRocksDBAccess.ensureRocksDBIsLoaded(ofRocksDB.toString());
        try (LogCollector log = new LogCollector(NativeLibrary.class.getName())) {
            assertThat(NativeLibrary.tryToLoad(directory).library()).isNull();
            assertThat(log.lines()).hasSize(1).isEqualTo(log.warnings());
            assertThat(log.lines().get(0)).startsWith(NOT_IN_USE);
            return log.lines().get(0).substring(NOT_IN_USE.length());
        }
    }

    @Test
    void whereOthersMayReplaceFilesItIsUnpackedElsewhere() throws Exception {
        allowAll(ofOurs);
        Path temporary = Files.createDirectory(before.resolve("temporary"));

        assertThat(start(options(temporary, before), ofOurs).await().output()).contains(IN_USE);
        assertThat(ofOurs).isEmptyDirectory();
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void whereOthersMayReplaceFilesEverywhereItIsNotUnpacked() throws Exception {
        allowAll(ofOurs);
        allowAll(before);
        Path below = Files.createDirectory(before.resolve("below"));

        assertThat(start(options(below, before), ofOurs).await().output())
                .containsOnlyOnce(
                        NOT_IN_USE
                                + "it would be unpacked to one of "
                                + List.of(ofOurs, below, before))
                .contains("take write access from others, or set the sticky bit");
    }

    private static List<String> options(Path temporary, Path home) {
        return List.of("-Djava.io.tmpdir=" + temporary, "-Duser.home=" + home);
    }

    private static void allowAll(Path directory) throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    @Test
    @DisabledIfSystemProperty(
            named = "stateaccel.emulated",
            matches = "true",
            disabledReason = "the emulator runs code from any file that it can read")
    void aFileSystemThatNothingMayRunFromIsNamed() throws Exception {
        int mounted =
                run(
                        "mount",
                        "-t",
                        "tmpfs",
                        "-o",
                        "noexec,mode=700,size=" + SIZE_OF_FILE_SYSTEM,
                        "tmpfs",
                        ofOurs.toString());
        assumeTrue(mounted == 0, "may not mount a file system");
        try {
            assertThat(load(ofOurs))
                    .containsOnlyOnce(
                            NOT_IN_USE
                                    + "it cannot be loaded, perhaps because the directory is"
                                    + " mounted noexec: ")
                    .contains("failed to map segment");
            assertThat(ofOurs).isEmptyDirectory();

            // Flink unpacks RocksDB to the same place first.
            ForkedJvm.Result ofFlink =
                    ForkedJvm.start(
                                    before,
                                    List.of(),
                                    List.of(),
                                    LoadLibraries.class,
                                    ofOurs,
                                    before)
                            .await();
            assertThat(ofFlink.exitCode()).isNotZero();
            assertThat(ofFlink.output())
                    .contains("Could not load the native RocksDB library")
                    .doesNotContain(IN_USE, NOT_IN_USE);
        } finally {
            assertThat(run("umount", ofOurs.toString())).isZero();
        }
    }

    private static int run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return process.exitValue();
    }

    private String loadFromJarWith(byte[] content) throws Exception {
        Path folder = before.resolve(PackedLibrary.folder(PackedLibrary.platform()));
        Files.createDirectories(folder);
        Files.write(folder.resolve(PackedLibrary.FILE_NAME), content);
        String output =
                ForkedJvm.start(
                                before,
                                List.of(before),
                                List.of(),
                                LoadLibraries.class,
                                ofRocksDB,
                                ofOurs)
                        .await()
                        .output();
        assertThat(ofOurs).isEmptyDirectory();
        return output;
    }

    private String load(Path directory) throws Exception {
        return start(List.of(), directory).await().output();
    }

    private ForkedJvm start(List<String> options, Path directory, Object... more)
            throws IOException {
        List<Object> arguments = new ArrayList<>(List.of(ofRocksDB, directory));
        arguments.addAll(List.of(more));
        return ForkedJvm.start(
                before, List.of(), options, LoadLibraries.class, arguments.toArray());
    }

    private static byte[] libraryOfThisBuild(String platform) {
        try {
            return PackedLibrary.content(NativeLibrary.class.getClassLoader(), platform);
        } catch (IOException e) {
            return null;
        }
    }
}
