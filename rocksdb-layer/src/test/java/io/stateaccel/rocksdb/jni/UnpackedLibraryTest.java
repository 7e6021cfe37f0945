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

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Random;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From the jar to the file. */
class UnpackedLibraryTest {

    private final byte[] content = new byte[10_000];

    @TempDir private Path directory;

    @BeforeEach
    void fill() {
        new Random(1).nextBytes(content);
    }

    @Test
    void onlyItsOwnerCanEnterReadAndChangeIt() throws Exception {
        Path file;
        try (UnpackedLibrary unpacked = UnpackedLibrary.unpack(content, directory)) {
            file = unpacked.file();
            assertThat(file).hasBinaryContent(content);
            assertThat(rights(file)).isEqualTo("rw-------");
            assertThat(rights(file.getParent())).isEqualTo("rwx------");
            assertThat(file.getParent()).hasParentRaw(directory);
        }
        assertThat(file).doesNotExist();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void eachIsInADirectoryOfItsOwn() throws Exception {
        try (UnpackedLibrary first = UnpackedLibrary.unpack(content, directory);
                UnpackedLibrary second = UnpackedLibrary.unpack(content, directory)) {
            assertThat(first.file().getParent()).isNotEqualTo(second.file().getParent());
        }
    }

    @Test
    void aLinkThatWasPlantedIsNotFollowed() throws Exception {
        Path others = Files.writeString(directory.resolve("others"), "as it was");
        Path planted = directory.resolve(PackedLibrary.FILE_NAME);
        Files.createSymbolicLink(planted, others);

        assertThatThrownBy(() -> UnpackedLibrary.write(content, planted))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(others).hasContent("as it was");
    }

    @Test
    void aLinkToADirectoryThatAllMayChangeIsNotTrusted() throws Exception {
        Path open = Files.createDirectory(directory.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path below = Files.createDirectory(open.resolve("below"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), below);

        assertThat(UnpackedLibrary.protectedDirectory(link).startsWith(open.toRealPath()))
                .isFalse();
        assertThat(UnpackedLibrary.protectedDirectory(directory)).isEqualTo(directory.toRealPath());
    }

    /** Whether it fails when it looks at rights or when it sets them. */
    @Test
    void aFileSystemWithoutRightsIsNamed() throws Exception {
        try (FileSystem files = Jimfs.newFileSystem(Configuration.unix())) {
            Path work = Files.createDirectories(files.getPath("/work"));

            assertThatThrownBy(() -> UnpackedLibrary.protectedDirectory(work))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("the file system of /work has no POSIX permissions");
            assertThatThrownBy(() -> UnpackedLibrary.unpack(content, work))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("the file system of /work has no POSIX permissions");
            assertThat(work).isEmptyDirectory();
        }
    }

    @Test
    void isTakenFromTheJarOnlyWithItsHash() throws Exception {
        String hash = "ebe9ff1ae8c2d7e0f0cb19cc5ce8c3c5e6e1f5a4e8fd8f7cb7a9c9f3b6d2a1c0";

        assertThatThrownBy(() -> contentOf(jar(content, hash)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("it is damaged in the jar, replace the jar: its SHA-256 is ")
                .hasMessageEndingWith(" and not " + hash);
    }

    @Test
    void anEntryOfTheJarThatCannotBeReadIsNamed() throws Exception {
        Path jar = jar(new byte[10_000], "");
        byte[] bytes = Files.readAllBytes(jar);
        int start = PackedLibrary.folder("linux-test").length() + 60;
        Arrays.fill(bytes, start, start + 10, (byte) 0xff);
        Files.write(jar, bytes);

        assertThatThrownBy(() -> contentOf(jar))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("it is damaged in the jar, replace the jar: ")
                .hasCauseInstanceOf(IOException.class);
    }

    private Path jar(byte[] library, String hash) throws IOException {
        Path jar = directory.resolve("some.jar");
        String name = PackedLibrary.folder("linux-test") + PackedLibrary.FILE_NAME;
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new ZipEntry(name));
            out.write(library);
            out.putNextEntry(new ZipEntry(name + ".sha256"));
            out.write(hash.getBytes(US_ASCII));
        }
        return jar;
    }

    private static byte[] contentOf(Path jar) throws IOException {
        try (URLClassLoader classes = new URLClassLoader(new URL[] {jar.toUri().toURL()}, null)) {
            return PackedLibrary.content(classes, "linux-test");
        }
    }

    private static String rights(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
