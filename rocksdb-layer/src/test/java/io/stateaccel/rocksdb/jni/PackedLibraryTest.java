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

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.module.ModuleDescriptor.Version;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The libraries that the build has packed: one for each processor, alike in all but its code. */
class PackedLibraryTest {

    /** The processors, as the jar and as ELF files call them. */
    enum Platform {
        X86_64("linux-amd64", 62),
        AARCH64("linux-aarch64", 183);

        private final String name;
        private final int machine;

        Platform(String name, int machine) {
            this.name = name;
            this.machine = machine;
        }

        /** Kernels for aarch64 may have pages of 64 KiB, others have 4. */
        private long largestPage() {
            return this == AARCH64 ? 1 << 16 : 1 << 12;
        }

        private byte[] library() throws IOException {
            ClassLoader build = PackedLibrary.class.getClassLoader();
            String file = PackedLibrary.folder(name) + PackedLibrary.FILE_NAME;
            assumeTrue(build.getResource(file) != null, "the build has no library for " + name);
            return PackedLibrary.content(build, name);
        }
    }

    @ParameterizedTest
    @EnumSource
    void isForTheProcessorThatItsFolderNames(Platform platform) throws Exception {
        ElfLibrary library = new ElfLibrary(platform.library());

        assertThat(library.machine()).isEqualTo(platform.machine);
        assertThat(library.pageSize()).isGreaterThanOrEqualTo(platform.largestPage());
    }

    @ParameterizedTest
    @EnumSource
    void exportsWhatJavaCallsAndNothingElse(Platform platform) throws Exception {
        String prefix = "Java_" + NativeLibrary.class.getName().replace('.', '_') + "_";

        assertThat(new ElfLibrary(platform.library()).exported())
                .containsExactlyInAnyOrder(
                        Arrays.stream(NativeLibrary.class.getDeclaredMethods())
                                .filter(method -> Modifier.isNative(method.getModifiers()))
                                .map(Method::getName)
                                .map(prefix::concat)
                                .toArray(String[]::new));
    }

    /** The dynamic linker is one of its files, and {@code libdl} was until version 2.34. */
    @ParameterizedTest
    @EnumSource
    void needsTheCLibraryOnly(Platform platform) throws Exception {
        assertThat(new ElfLibrary(platform.library()).needed())
                .contains("libc.so.6")
                .allMatch(file -> file.matches("libc\\.so\\.6|libdl\\.so\\.2|ld-linux-.*"));
    }

    /** RocksDB's own library for aarch64 asks for 2.17, of 2012; RHEL 8 has 2.28. */
    @ParameterizedTest
    @EnumSource
    void runsOnOldCLibraries(Platform platform) throws Exception {
        ElfLibrary library = new ElfLibrary(platform.library());
        String folder = System.getProperty("stateaccel.build-folder", "target");
        String compiler = Files.readString(Path.of(folder, "native.cflags." + platform.name));
        assumeTrue(compiler.contains("zig-cc"), "by another compiler: " + compiler);
        assertThat(library.neededVersions())
                .isNotEmpty()
                .allSatisfy(
                        version ->
                                assertThat(Version.parse(version.replaceFirst("^GLIBC_", "")))
                                        .isLessThanOrEqualTo(Version.parse("2.17")));
    }

    @ParameterizedTest
    @EnumSource
    void isNeverUnloaded(Platform platform) throws Exception {
        assertThat(new ElfLibrary(platform.library()).staysLoaded()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void saysNothingOfTheMachineThatBuiltIt(Platform platform) throws Exception {
        String library = new String(platform.library(), ISO_8859_1);

        assertThat(List.of("user.dir", "user.home", "java.home", "java.io.tmpdir"))
                .noneMatch(folder -> library.contains(System.getProperty(folder) + "/"));
    }
}
