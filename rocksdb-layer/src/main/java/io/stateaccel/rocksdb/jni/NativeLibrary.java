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

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import javax.annotation.concurrent.GuardedBy;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksObject;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Our native library, {@code src/main/c/state_accel.c}: what RocksDB can do but its Java API
 * cannot, by way of the C API that frocksdbjni's library exports.
 *
 * <p>Loaded at most once per process. Any reason why it cannot be used is logged once, and the
 * callers go on without it. Methods may be called by any thread, on objects of RocksDB that the
 * caller keeps open meanwhile.
 */
public final class NativeLibrary {

    private static final Logger LOG = LoggerFactory.getLogger(NativeLibrary.class);

    /** What {@link #multiGet} notes as the length of a value that is not there. */
    public static final int ABSENT = -1;

    /** What {@link #multiGet} notes as the length of a value that no buffer of that size holds. */
    public static final int LARGER_THAN_BUFFER = -2;

    /**
     * Those of Flink 1.20 and of Flink 2. Their private C structs are relied on, so another version
     * must not be talked to.
     */
    private static final List<String> ROCKSDB_VERSIONS = List.of("6.20.3", "8.10.0");

    @GuardedBy("NativeLibrary.class")
    @Nullable
    private static Loaded loaded;

    private final boolean hasMultiGet;

    private NativeLibrary(boolean hasMultiGet) {
        this.hasMultiGet = hasMultiGet;
    }

    /**
     * The library, which is loaded by the first call.
     *
     * @param directory where the library is unpacked to for a moment, in a directory of its own;
     *     another one is taken where other users could tamper with it
     * @return empty when it cannot be used here, which the log has told
     */
    public static synchronized Optional<NativeLibrary> load(File directory) {
        if (loaded == null) {
            loaded = tryToLoad(directory::toPath);
        }
        return Optional.ofNullable(loaded.library);
    }

    /**
     * The one attempt.
     *
     * @param directory as in {@link #load}; not every file is a path of Java's
     */
    static Loaded tryToLoad(Supplier<Path> directory) {
        try {
            checkVersion(RocksDB.rocksdbVersion().toString());
            unpackAndLoad(directory.get());
            String problem = connect();
            if (problem != null) {
                throw new IOException(problem);
            }
            LOG.info("[state-accel] native library in use");
            String missing = missingForMultiGet();
            if (missing != null) {
                LOG.info(
                        "[state-accel] native library: many keys are read and written by the Java"
                                + " path, as RocksDB's library has no {}",
                        missing);
            }
            return new Loaded(new NativeLibrary(missing == null));
        } catch (IOException | LinkageError | RuntimeException e) {
            // Whatever a file system or a security manager comes up with: the job can do without.
            LOG.warn(
                    "[state-accel] native library not in use, the Java path is: {}",
                    e.getMessage() == null ? e.toString() : e.getMessage());
            return new Loaded(null);
        }
    }

    static void checkVersion(String found) throws IOException {
        if (!ROCKSDB_VERSIONS.contains(found)) {
            throw new IOException(
                    "it is made for RocksDB "
                            + String.join(" and ", ROCKSDB_VERSIONS)
                            + " but found "
                            + found);
        }
    }

    private static void unpackAndLoad(Path directory) throws IOException {
        byte[] content =
                PackedLibrary.content(
                        NativeLibrary.class.getClassLoader(), PackedLibrary.platform());
        try (UnpackedLibrary unpacked =
                UnpackedLibrary.unpack(content, UnpackedLibrary.protectedDirectory(directory))) {
            try {
                System.load(unpacked.file().toString());
            } catch (UnsatisfiedLinkError e) {
                throw new IOException(
                        "it cannot be loaded, perhaps because the directory is mounted noexec: "
                                + e.getMessage(),
                        e);
            }
        }
    }

    /**
     * A copy of column family options that also has a prefix extractor. What Java notes beside the
     * options of RocksDB, such as the table format, is not copied.
     *
     * @param program of a {@code KeyLayout}
     * @param name under which RocksDB notes the extractor
     * @return to be closed by the caller, like {@code options}
     * @throws IllegalArgumentException if it is not the program of a layout
     */
    public ColumnFamilyOptions withKeyPrefix(
            ColumnFamilyOptions options, byte[] program, String name) {
        checkOpen(options);
        // RocksDB's C API sets extractors on joint options only.
        try (DBOptions ofDatabase = new DBOptions();
                Options joint = new Options(ofDatabase, options)) {
            setKeyPrefix(
                    joint.getNativeHandle(), program, name.getBytes(StandardCharsets.US_ASCII));
            return new ColumnFamilyOptions(joint);
        }
    }

    /**
     * Reads entries in key order, at most as many as fit the buffer. Afterwards the buffer holds,
     * in native byte order: the number of entries, 1 if there are more or else 0, and for each
     * entry the lengths of its key without the prefix and of its value, and both.
     *
     * @param from where to start; its first {@code prefixLength} bytes are those that all keys
     *     start with
     * @param after whether an entry with exactly the key {@code from} is left out
     * @param withValues whether values are wanted; else all have length 0
     * @param maxEntries at least 1
     * @param buffer a direct buffer, written from its very start
     * @return 0, or the size that the buffer needs to have for the first entry
     * @throws IllegalArgumentException if a length, a number or the buffer is not as said here
     * @throws IllegalStateException if one of the objects of RocksDB is closed
     */
    public long scan(
            RocksDB db,
            ColumnFamilyHandle columnFamily,
            ReadOptions options,
            byte[] from,
            int prefixLength,
            boolean after,
            boolean withValues,
            int maxEntries,
            ByteBuffer buffer)
            throws RocksDBException {
        checkOpen(db);
        checkOpen(columnFamily);
        checkOpen(options);
        checkWritable(buffer);
        return scan(
                db.getNativeHandle(),
                columnFamily.getNativeHandle(),
                options.getNativeHandle(),
                from,
                prefixLength,
                after,
                withValues,
                maxEntries,
                buffer);
    }

    /** Whether {@link #multiGet} may be called: not all versions of RocksDB can do it. */
    public boolean hasMultiGet() {
        return hasMultiGet;
    }

    /**
     * Reads the values of keys, as many of the first ones as fit the buffer. Afterwards the buffer
     * holds for each of these, in native byte order, the length of its value and the value; {@link
     * #ABSENT} or {@link #LARGER_THAN_BUFFER} and nothing where there is none to give.
     *
     * @param keys a direct buffer with the length of each key, in native byte order, and the key
     * @param from where in this the first key is
     * @param count how many keys, in the order of RocksDB
     * @param values a direct buffer of at least 4 bytes, written from its very start
     * @return how many keys the buffer holds an answer to, at least one unless there are none
     * @throws IllegalArgumentException if a length, a number or a buffer is not as said here
     * @throws IllegalStateException if one of the objects of RocksDB is closed
     * @throws UnsupportedOperationException if there is no {@link #hasMultiGet}
     */
    public int multiGet(
            RocksDB db,
            ColumnFamilyHandle columnFamily,
            ReadOptions options,
            ByteBuffer keys,
            int from,
            int count,
            ByteBuffer values)
            throws RocksDBException {
        checkOpen(db);
        checkOpen(columnFamily);
        checkOpen(options);
        checkWritable(values);
        return multiGet(
                db.getNativeHandle(),
                columnFamily.getNativeHandle(),
                options.getNativeHandle(),
                keys,
                from,
                count,
                values);
    }

    /**
     * Writes a batch.
     *
     * @param batch begins with the batch, in RocksDB's encoding of one
     * @param length how many bytes the batch has
     * @throws IllegalArgumentException if the length is out of bounds
     * @throws IllegalStateException if one of the objects of RocksDB is closed
     * @throws RocksDBException if it is not a batch, or cannot be written
     */
    public void write(RocksDB db, WriteOptions options, byte[] batch, int length)
            throws RocksDBException {
        checkOpen(db);
        checkOpen(options);
        write(db.getNativeHandle(), options.getNativeHandle(), batch, length);
    }

    /** Native code does not see it, and may not write to a file that is mapped for reading. */
    private static void checkWritable(@Nullable ByteBuffer buffer) {
        if (buffer != null && buffer.isReadOnly()) {
            throw new IllegalArgumentException("the buffer is read-only");
        }
    }

    /** What a handle of a closed object points to is no more: native code would end the JVM. */
    private static void checkOpen(RocksObject object) {
        if (!object.isOwningHandle()) {
            throw new IllegalStateException(object.getClass().getSimpleName() + " is closed");
        }
    }

    /** What native code takes for key and namespace of a key, -1 for a key of another layout. */
    static native int prefixLength(byte[] program, byte[] key);

    @Nullable
    private static native String connect();

    @Nullable
    private static native String missingForMultiGet();

    private static native void setKeyPrefix(long options, byte[] program, byte[] name);

    private static native long scan(
            long db,
            long columnFamily,
            long readOptions,
            byte[] from,
            int prefixLength,
            boolean after,
            boolean withValues,
            int maxEntries,
            ByteBuffer buffer)
            throws RocksDBException;

    private static native int multiGet(
            long db,
            long columnFamily,
            long readOptions,
            ByteBuffer keys,
            int from,
            int count,
            ByteBuffer values)
            throws RocksDBException;

    private static native void write(long db, long writeOptions, byte[] batch, int length)
            throws RocksDBException;

    /** The outcome of the one attempt. */
    record Loaded(@Nullable NativeLibrary library) {}
}
