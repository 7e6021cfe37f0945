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

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.Optional;
import org.rocksdb.RocksDB;

/** The native library for tests, and what only tests may ask of it. */
public final class NativeTesting {

    private NativeTesting() {}

    /** The library; a build without any C compiler has none, and its tests are skipped. */
    public static NativeLibrary library(Path directory) {
        NativeLibrary library = load(directory).orElse(null);
        assumeTrue(library != null, "no native library");
        return library;
    }

    /** Whether there is a library. */
    public static boolean hasLibrary(Path directory) {
        return load(directory).isPresent();
    }

    /** Once per process, so RocksDB's own library has to be there whichever test comes first. */
    private static Optional<NativeLibrary> load(Path directory) {
        RocksDB.loadLibrary();
        return NativeLibrary.load(directory.toFile());
    }

    /** The length of key and namespace as native code reads it. */
    public static int prefixLength(byte[] program, byte[] key) {
        return NativeLibrary.prefixLength(program, key);
    }
}
