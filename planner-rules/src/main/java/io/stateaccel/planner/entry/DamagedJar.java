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

import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;

/**
 * Looks whether our jar is as it was built, by the checksums that a jar has of its files. Else a
 * class with a damaged byte would fail somewhere, sometime. The jar has 1.5 MB and is read once.
 */
final class DamagedJar {

    private DamagedJar() {}

    /**
     * @param location a jar; a folder of classes has no checksums and counts as whole
     * @return what to tell the user, naming the jar, the damage and the fix; empty when all is well
     */
    static Optional<String> describe(URL location) {
        final Path jar;
        try {
            jar = Path.of(location.toURI());
        } catch (URISyntaxException | RuntimeException e) {
            // Not a file: a class loader that has our classes from elsewhere.
            return Optional.empty();
        }
        if (!Files.isRegularFile(jar)) {
            return Optional.empty();
        }
        try {
            readAll(jar);
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(
                    "Queries are not accelerated, because "
                            + jar
                            + " is damaged: "
                            + e.getMessage()
                            + ". Copy it again and restart.");
        }
    }

    private static void readAll(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            for (JarEntry entry : Collections.list(file.entries())) {
                if (checksum(file, entry) != entry.getCrc()) {
                    throw new IOException(entry.getName() + " has another checksum");
                }
            }
        }
    }

    /** Which reading a file of a jar does not compare. */
    private static long checksum(JarFile file, JarEntry entry) throws IOException {
        try (CheckedInputStream in =
                new CheckedInputStream(file.getInputStream(entry), new CRC32())) {
            in.transferTo(OutputStream.nullOutputStream());
            return in.getChecksum().getValue();
        } catch (IOException e) {
            throw new IOException(entry.getName() + ": " + e.getMessage(), e);
        }
    }
}
