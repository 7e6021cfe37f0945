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

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import javax.annotation.Nullable;
import org.apache.flink.state.rocksdb.StateAccelRocksDBAccess;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.HashLinkedListMemTableConfig;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteOptions;

/**
 * Calls every entry point of the native library with arguments of all kinds, right and wrong, and
 * compares what is right with a sorted map. What is wrong has to end in an exception, and nothing
 * in the end of the JVM, which is why this has one of its own.
 *
 * <p>Arguments: a directory, the seed and the number of calls. Prints {@link #DONE} at the end.
 */
final class NativeFuzz {

    static final String DONE = "All calls returned.";

    /** Steps of key layouts, see {@code key_layout.h}, and bytes that are none. */
    private static final int STEPS = 7;

    private static final int KEYS = 400;
    private static final int GUARD_BYTES = 32;
    private static final ByteBuffer GUARD = ByteBuffer.wrap(new byte[GUARD_BYTES]);
    private static final int[] UNLIKELY = {
        Integer.MIN_VALUE, -1_000_000, -1, 0, 1, 1 << 16, 1 << 30, Integer.MAX_VALUE
    };

    private final Random random;
    private final NativeLibrary library;
    private final RocksDB db;
    private final ReadOptions totalOrder = new ReadOptions().setTotalOrderSeek(true);
    private final ReadOptions withinPrefix = new ReadOptions().setPrefixSameAsStart(true);
    private final WriteOptions writes = new WriteOptions().setDisableWAL(true);
    private final List<Family> families = new ArrayList<>();

    /** A column family and what is in it. */
    private record Family(ColumnFamilyHandle handle, NavigableMap<byte[], byte[]> entries) {}

    private NativeFuzz(NativeLibrary library, Path directory, Random random)
            throws RocksDBException {
        this.library = library;
        this.random = random;
        // As it must be with memtables that are hash tables.
        Options options =
                new Options().setCreateIfMissing(true).setAllowConcurrentMemtableWrite(false);
        db = RocksDB.open(options, directory.toString());
        byte[] program = {1, 1, 2};
        families.add(family("plain", new ColumnFamilyOptions(), KEYS));
        families.add(family("prefix", withKeyPrefix(new ColumnFamilyOptions(), program), KEYS));
        families.add(
                family(
                        "hash",
                        withKeyPrefix(
                                new ColumnFamilyOptions()
                                        .setMemTableConfig(new HashLinkedListMemTableConfig()),
                                program),
                        KEYS));
    }

    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        StateAccelRocksDBAccess.ensureRocksDBIsLoaded(directory.toString());
        NativeFuzz fuzz =
                new NativeFuzz(
                        NativeLibrary.load(directory.toFile()).orElseThrow(),
                        directory.resolve("db"),
                        new Random(Long.parseLong(arguments[1])));
        for (int call = Integer.parseInt(arguments[2]); call > 0; call--) {
            fuzz.call();
        }
        System.out.println(DONE);
    }

    private void call() throws RocksDBException {
        int what = random.nextInt(1_000);
        if (what < 2) {
            useAnyKeyPrefix();
        } else if (what < 12) {
            useClosedObjects();
        } else if (what < 250) {
            parse();
        } else if (what < 300) {
            write();
        } else if (what < 600) {
            multiGet();
        } else {
            scan();
        }
    }

    // ---- The parser of keys ----

    private void parse() {
        byte[] program = program();
        byte[] key = random.nextInt(100) == 0 ? null : bytes(200);
        try {
            assertThat(NativeTesting.prefixLength(program, key)).isBetween(-1, key.length);
        } catch (IllegalArgumentException e) {
            assertThat(key == null || program == null || !isProgram(program)).isTrue();
        }
    }

    /** Mostly one that is valid. */
    @Nullable
    private byte[] program() {
        if (random.nextInt(100) == 0) {
            return null;
        }
        byte[] program = bytes(random.nextInt(20) == 0 ? 300 : 12);
        for (int i = 0; i < program.length; i++) {
            program[i] = (byte) (random.nextInt(50) == 0 ? program[i] : random.nextInt(STEPS));
        }
        return program;
    }

    /** As {@code key_layout_is_valid} says. */
    private static boolean isProgram(byte[] program) {
        if (program.length == 0 || program.length > 128) {
            return false;
        }
        for (int step = 0; step < program.length; step++) {
            if (program[step] == 1) {
                step++;
                if (step == program.length) {
                    return false;
                }
            } else if (program[step] < 1 || program[step] > 5) {
                return false;
            }
        }
        return true;
    }

    // ---- The prefix extractor ----

    /** Whatever is taken for a prefix, all keys are found and in order. */
    private void useAnyKeyPrefix() throws RocksDBException {
        byte[] program = program();
        ColumnFamilyOptions options;
        try {
            options = withKeyPrefix(new ColumnFamilyOptions(), program);
        } catch (IllegalArgumentException e) {
            assertThat(program == null || !isProgram(program)).isTrue();
            return;
        }
        Family family = family("any", options, 30);
        try (RocksIterator iterator = db.newIterator(family.handle, totalOrder)) {
            iterator.seekToFirst();
            for (Map.Entry<byte[], byte[]> entry : family.entries.entrySet()) {
                assertThat(iterator.key()).isEqualTo(entry.getKey());
                assertThat(db.get(family.handle, entry.getKey())).isEqualTo(entry.getValue());
                iterator.next();
            }
            assertThat(iterator.isValid()).isFalse();
        }
        db.dropColumnFamily(family.handle);
        family.handle.close();
    }

    private ColumnFamilyOptions withKeyPrefix(ColumnFamilyOptions options, byte[] program) {
        try (options) {
            String name = "n".repeat(random.nextInt(random.nextInt(10) == 0 ? 10_000 : 10));
            ColumnFamilyOptions with = library.withKeyPrefix(options, program, name);
            return with.setMemtablePrefixBloomSizeRatio(0.1);
        }
    }

    private Family family(String name, ColumnFamilyOptions options, int keys)
            throws RocksDBException {
        ColumnFamilyHandle handle =
                db.createColumnFamily(new ColumnFamilyDescriptor(name.getBytes(US_ASCII), options));
        NavigableMap<byte[], byte[]> entries = new TreeMap<>(Arrays::compareUnsigned);
        for (int i = 0; i < keys; i++) {
            byte[] key = bytes(random.nextInt(20) == 0 ? 2_000 : 8);
            byte[] value = bytes(random.nextInt(20) == 0 ? 5_000 : 50);
            db.put(handle, key, value);
            entries.put(key, value);
            if (random.nextInt(keys) == 0) {
                try (FlushOptions flush = new FlushOptions()) {
                    db.flush(flush, handle);
                }
            }
        }
        return new Family(handle, entries);
    }

    private void useClosedObjects() throws RocksDBException {
        ColumnFamilyOptions closed = new ColumnFamilyOptions();
        closed.close();
        assertThatThrownBy(() -> library.withKeyPrefix(closed, new byte[] {1, 1}, "n"))
                .isInstanceOf(IllegalStateException.class);
        ReadOptions closedReads = new ReadOptions();
        closedReads.close();
        WriteOptions closedWrites = new WriteOptions();
        closedWrites.close();
        assertThatThrownBy(() -> library.write(db, closedWrites, new byte[12], 12))
                .isInstanceOf(IllegalStateException.class);
        ByteBuffer buffer = ByteBuffer.allocateDirect(100);
        ColumnFamilyHandle handle = families.get(0).handle;
        assertThatThrownBy(() -> library.multiGet(db, handle, closedReads, buffer, 0, 1, buffer))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(
                        () ->
                                library.scan(
                                        db,
                                        handle,
                                        closedReads,
                                        new byte[1],
                                        1,
                                        false,
                                        true,
                                        1,
                                        buffer))
                .isInstanceOf(IllegalStateException.class);
    }

    // ---- The write batch ----

    /** Of a key and a value. Not of noise, after which RocksDB takes no other batch. */
    private void write() throws RocksDBException {
        Family family = families.get(random.nextInt(families.size()));
        byte[] key = bytes(8);
        byte[] value = bytes(random.nextInt(20) == 0 ? 5_000 : 50);
        byte[] batch = batch(family, key, value);
        int length = batch.length;
        if (random.nextInt(10) == 0) {
            batch = Arrays.copyOf(batch, batch.length + random.nextInt(20));
        } else if (random.nextInt(10) == 0) {
            length = UNLIKELY[random.nextInt(UNLIKELY.length)];
        } else if (random.nextInt(50) == 0) {
            batch = null;
        }
        try {
            library.write(db, writes, batch, length);
            family.entries.put(key, value);
        } catch (IllegalArgumentException e) {
            assertThat(batch == null || length < 12 || length > batch.length).isTrue();
        }
    }

    private static byte[] batch(Family family, byte[] key, byte[] value) {
        ByteBuffer batch =
                ByteBuffer.allocate(12 + 20 + key.length + value.length)
                        .order(ByteOrder.LITTLE_ENDIAN);
        batch.putLong(0).putInt(1).put((byte) 5).put((byte) family.handle.getID());
        putVarint(batch, key.length);
        batch.put(key);
        putVarint(batch, value.length);
        batch.put(value);
        return Arrays.copyOf(batch.array(), batch.position());
    }

    private static void putVarint(ByteBuffer to, int value) {
        int rest = value;
        while (rest > 0x7f) {
            to.put((byte) (rest | 0x80));
            rest >>>= 7;
        }
        to.put((byte) rest);
    }

    // ---- The batched get ----

    private void multiGet() throws RocksDBException {
        Family family = families.get(random.nextInt(families.size()));
        List<byte[]> keys = new ArrayList<>();
        for (int i = random.nextInt(random.nextInt(4) == 0 ? 100 : 5); i > 0; i--) {
            keys.add(from(family));
        }
        keys.sort(Arrays::compareUnsigned);
        int start = random.nextInt(3) * random.nextInt(10);
        int bytes = start;
        for (byte[] key : keys) {
            bytes += Integer.BYTES + key.length;
        }
        ByteBuffer packed =
                ByteBuffer.allocateDirect(bytes + random.nextInt(2) * random.nextInt(10))
                        .order(ByteOrder.nativeOrder());
        packed.position(start);
        for (byte[] key : keys) {
            packed.putInt(key.length).put(key);
        }
        int from = start;
        int count = keys.size();
        boolean spoilt = random.nextInt(10) == 0;
        if (spoilt) {
            switch (random.nextInt(3)) {
                case 0 -> from = UNLIKELY[random.nextInt(UNLIKELY.length)];
                case 1 -> count = UNLIKELY[random.nextInt(UNLIKELY.length)];
                default -> {
                    if (packed.capacity() >= start + Integer.BYTES) {
                        packed.putInt(start, UNLIKELY[random.nextInt(UNLIKELY.length)]);
                    }
                }
            }
        }
        ByteBuffer guarded =
                ByteBuffer.allocateDirect(
                        2 * GUARD_BYTES + random.nextInt(random.nextInt(4) == 0 ? 20 : 6_000));
        ByteBuffer buffer = guarded.slice(GUARD_BYTES, guarded.capacity() - 2 * GUARD_BYTES);
        buffer.order(ByteOrder.nativeOrder());
        try {
            int read = library.multiGet(db, family.handle, totalOrder, packed, from, count, buffer);
            assertThat(buffer.capacity()).isGreaterThanOrEqualTo(Integer.BYTES);
            if (!spoilt) {
                compare(family, keys, read, buffer);
            }
        } catch (IllegalArgumentException e) {
            assertThat(spoilt || buffer.capacity() < Integer.BYTES).isTrue();
        }
        assertThat(guarded.slice(0, GUARD_BYTES)).isEqualTo(GUARD);
        assertThat(guarded.slice(guarded.capacity() - GUARD_BYTES, GUARD_BYTES)).isEqualTo(GUARD);
    }

    private static void compare(Family family, List<byte[]> keys, int read, ByteBuffer buffer) {
        assertThat(read).isBetween(Math.min(1, keys.size()), keys.size());
        for (int i = 0; i < keys.size(); i++) {
            byte[] value = family.entries.get(keys.get(i));
            boolean fitsAtAll = value != null && value.length <= buffer.capacity() - Integer.BYTES;
            int length = fitsAtAll ? value.length : 0;
            if (Integer.BYTES + length > buffer.remaining()) {
                assertThat(read).isEqualTo(i);
                return;
            }
            assertThat(buffer.getInt())
                    .isEqualTo(
                            value == null
                                    ? NativeLibrary.ABSENT
                                    : fitsAtAll ? length : NativeLibrary.LARGER_THAN_BUFFER);
            if (fitsAtAll) {
                assertThat(bytesAt(buffer, buffer.position(), length)).isEqualTo(value);
                buffer.position(buffer.position() + length);
            }
        }
        assertThat(read).isEqualTo(keys.size());
    }

    // ---- The scan ----

    private void scan() throws RocksDBException {
        Family family = families.get(random.nextInt(families.size()));
        byte[] from = random.nextInt(100) == 0 ? null : from(family);
        int prefixLength =
                from == null || random.nextInt(20) == 0
                        ? UNLIKELY[random.nextInt(UNLIKELY.length)]
                        : random.nextInt(from.length + 1);
        int maxEntries =
                random.nextInt(20) == 0
                        ? UNLIKELY[random.nextInt(UNLIKELY.length)]
                        : 1 + random.nextInt(20);
        boolean after = random.nextBoolean();
        boolean withValues = random.nextBoolean();
        // An iterator within a prefix leaves others out; which ones is not the point here.
        boolean inOrder = random.nextInt(4) > 0;
        ByteBuffer guarded =
                random.nextInt(50) == 0
                        ? ByteBuffer.allocate(2 * GUARD_BYTES + random.nextInt(100))
                        : ByteBuffer.allocateDirect(
                                2 * GUARD_BYTES
                                        + random.nextInt(random.nextInt(4) == 0 ? 20 : 3_000));
        ByteBuffer buffer = guarded.slice(GUARD_BYTES, guarded.capacity() - 2 * GUARD_BYTES);
        if (random.nextInt(50) == 0) {
            buffer = buffer.asReadOnlyBuffer();
        }
        buffer.order(ByteOrder.nativeOrder());
        boolean wellFormed =
                from != null
                        && prefixLength >= 0
                        && prefixLength <= from.length
                        && maxEntries >= 1
                        && buffer.isDirect()
                        && !buffer.isReadOnly()
                        && buffer.capacity() >= 8;
        try {
            long needed =
                    library.scan(
                            db,
                            family.handle,
                            inOrder ? totalOrder : withinPrefix,
                            from,
                            prefixLength,
                            after,
                            withValues,
                            maxEntries,
                            buffer);
            assertThat(wellFormed).isTrue();
            if (inOrder) {
                compare(
                        family.entries.tailMap(from, !after),
                        Arrays.copyOf(from, prefixLength),
                        withValues,
                        maxEntries,
                        buffer,
                        needed);
            }
        } catch (IllegalArgumentException e) {
            assertThat(wellFormed).isFalse();
        }
        assertThat(guarded.slice(0, GUARD_BYTES)).isEqualTo(GUARD);
        assertThat(guarded.slice(guarded.capacity() - GUARD_BYTES, GUARD_BYTES)).isEqualTo(GUARD);
    }

    private byte[] from(Family family) {
        byte[] any = bytes(random.nextInt(50) == 0 ? 3_000 : 4);
        byte[] next = family.entries.ceilingKey(any);
        return next == null || random.nextInt(3) == 0
                ? any
                : Arrays.copyOf(next, random.nextInt(next.length + 1));
    }

    private static void compare(
            NavigableMap<byte[], byte[]> entries,
            byte[] prefix,
            boolean withValues,
            int maxEntries,
            ByteBuffer buffer,
            long needed) {
        int position = 8;
        int count = 0;
        boolean more = false;
        for (Map.Entry<byte[], byte[]> entry : entries.entrySet()) {
            byte[] key = entry.getKey();
            if (key.length < prefix.length
                    || !Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length)) {
                break;
            }
            byte[] suffix = Arrays.copyOfRange(key, prefix.length, key.length);
            byte[] value = withValues ? entry.getValue() : new byte[0];
            int length = 8 + suffix.length + value.length;
            if (count == maxEntries || length > buffer.capacity() - position) {
                if (count == 0) {
                    assertThat(needed).isEqualTo(8 + length);
                    return;
                }
                more = true;
                break;
            }
            assertThat(buffer.getInt(position)).isEqualTo(suffix.length);
            assertThat(buffer.getInt(position + 4)).isEqualTo(value.length);
            assertThat(bytesAt(buffer, position + 8, suffix.length)).isEqualTo(suffix);
            assertThat(bytesAt(buffer, position + 8 + suffix.length, value.length))
                    .isEqualTo(value);
            position += length;
            count++;
        }
        assertThat(needed).isZero();
        assertThat(buffer.getInt(0)).isEqualTo(count);
        assertThat(buffer.getInt(4)).isEqualTo(more ? 1 : 0);
    }

    private static byte[] bytesAt(ByteBuffer buffer, int position, int length) {
        byte[] bytes = new byte[length];
        buffer.get(position, bytes);
        return bytes;
    }

    /** Of any length up to the one given, mostly few different ones. */
    private byte[] bytes(int maxLength) {
        byte[] bytes = new byte[random.nextInt(maxLength + 1)];
        random.nextBytes(bytes);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] &= (byte) (random.nextInt(10) == 0 ? 0xff : 0x83);
        }
        return bytes;
    }
}
