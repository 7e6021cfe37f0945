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

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** Our native library as the jar has it. */
final class PackedLibrary {

    static final String FILE_NAME = "libstateaccel.so";

    /** Written by {@code src/main/c/build.xml}, beside the library. */
    private static final String HASH_FILE_NAME = FILE_NAME + ".sha256";

    private PackedLibrary() {}

    /** What the jar calls the operating system and the processor of this machine. */
    static String platform() {
        return System.getProperty("os.name").toLowerCase(Locale.ROOT)
                + "-"
                + System.getProperty("os.arch");
    }

    /** The folder of the library for a platform. */
    static String folder(String platform) {
        return "io/stateaccel/native/" + platform + "/";
    }

    /**
     * Reads the library and compares it with its hash: damaged code may do anything once it is
     * loaded.
     *
     * @return whole and unchanged since the jar was built
     * @throws IOException if there is none for the platform, or if it is damaged; the message says
     *     which
     */
    static byte[] content(ClassLoader jar, String platform) throws IOException {
        byte[] content = read(jar, platform, FILE_NAME);
        String expected =
                new String(read(jar, platform, HASH_FILE_NAME), StandardCharsets.US_ASCII).strip();
        String found = HexFormat.of().formatHex(sha256().digest(content));
        if (!found.equals(expected)) {
            throw new IOException(
                    "it is damaged in the jar, replace the jar: its SHA-256 is "
                            + found
                            + " and not "
                            + expected);
        }
        return content;
    }

    private static byte[] read(ClassLoader jar, String platform, String name) throws IOException {
        try (InputStream in = jar.getResourceAsStream(folder(platform) + name)) {
            if (in == null) {
                throw new IOException("the jar was built without one for " + platform);
            }
            return readAll(in);
        }
    }

    private static byte[] readAll(InputStream in) throws IOException {
        try {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new IOException(
                    "it is damaged in the jar, replace the jar: " + e.getMessage(), e);
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }
}
