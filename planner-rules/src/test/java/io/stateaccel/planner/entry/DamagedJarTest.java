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
package io.stateaccel.planner.entry;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DamagedJarTest {

    /** Does not compress, so that all but some 200 bytes of the jar are these. */
    private final byte[] content = new byte[20_000];

    @TempDir private Path lib;
    private Path jar;

    @BeforeEach
    void write() throws IOException {
        new Random(1).nextBytes(content);
        jar = lib.resolve("flink-sql-state-accel-0.1.0.jar");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new ZipEntry("io/stateaccel/Some.class"));
            out.write(content);
            out.closeEntry();
        }
    }

    @Test
    void aWholeJarIsWell() throws Exception {
        assertThat(describe()).isEmpty();
    }

    @Test
    void aFolderOfClassesIsWell() throws Exception {
        assertThat(DamagedJar.describe(lib.toUri().toURL())).isEmpty();
    }

    @Test
    void aFlippedBitIsNamedWithTheFileAndTheFix() throws Exception {
        byte[] bytes = Files.readAllBytes(jar);
        bytes[bytes.length / 2] ^= 1;
        Files.write(jar, bytes);

        assertThat(describe())
                .hasValueSatisfying(
                        message ->
                                assertThat(message)
                                        .startsWith("Queries are not accelerated, because " + jar)
                                        .contains(" is damaged: io/stateaccel/Some.class has")
                                        .endsWith(". Copy it again and restart."));
    }

    @Test
    void aTruncatedJarIsNamed() throws Exception {
        Files.write(jar, Arrays.copyOf(Files.readAllBytes(jar), content.length / 2));

        assertThat(describe())
                .hasValueSatisfying(message -> assertThat(message).contains(jar + " is damaged: "));
    }

    private Optional<String> describe() throws IOException {
        return DamagedJar.describe(jar.toUri().toURL());
    }
}
