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
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JarCopiesTest {

    private static final String CLASS = JarCopies.class.getName().replace('.', '/') + ".class";

    @TempDir private Path lib;

    @Test
    void oneJarIsWell() throws Exception {
        final URL jar = jar("flink-sql-state-accel-0.1.0.jar");

        try (URLClassLoader classLoader = new URLClassLoader(new URL[] {jar}, null)) {
            assertThat(JarCopies.describe(classLoader)).isEmpty();
        }
        assertThat(JarCopies.describe(getClass().getClassLoader())).isEmpty();
    }

    @Test
    void twoVersionsAreNamedInTheirOrder() throws Exception {
        final URL[] jars = {
            jar("flink-sql-state-accel-0.1.0.jar"), jar("flink-sql-state-accel-0.2.0.jar")
        };

        try (URLClassLoader classLoader = new URLClassLoader(jars, null)) {
            assertThat(JarCopies.describe(classLoader))
                    .hasValueSatisfying(
                            message ->
                                    assertThat(message)
                                            .contains(
                                                    "more than once: "
                                                            + jars[0].getPath()
                                                            + ", "
                                                            + jars[1].getPath()
                                                            + ". Only the first is in use.")
                                            .contains("remove the others and restart"));
        }
    }

    private URL jar(String name) throws IOException {
        final Path jar = lib.resolve(name);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                InputStream own = JarCopies.class.getClassLoader().getResourceAsStream(CLASS)) {
            out.putNextEntry(new ZipEntry(CLASS));
            own.transferTo(out);
            out.closeEntry();
        }
        return jar.toUri().toURL();
    }
}
