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
package io.stateaccel.rocksdb.batch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.flink.rocksdb.BlobFileOptions;
import io.stateaccel.rocksdb.jni.NativeLibrary;
import io.stateaccel.rocksdb.jni.NativeTesting;
import io.stateaccel.rocksdb.metrics.StateAccess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.state.rocksdb.StateAccelRocksDBAccess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.StringAppendOperator;
import org.rocksdb.WriteOptions;

/**
 * Both ways to read and write batches next to a sorted map: values, merges and removals in batches
 * of any size, flushes and compactions, values in files of their own, keys that are there and that
 * are not, values larger than any buffer.
 */
class BatchAccessTest {

    private static final int STEPS = 400;
    private static final int KEYS = 2_000;

    @TempDir private Path directory;
    @TempDir private static Path libraryDirectory;

    private final long seed = Long.getLong("stateaccel.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final List<AutoCloseable> toClose = new ArrayList<>();
    private final List<ColumnFamilyHandle> columnFamilies = new ArrayList<>();
    private final NavigableMap<byte[], byte[]> expected = new TreeMap<>(Arrays::compareUnsigned);

    /** Bytes of a value. */
    private int largest = 400_000;

    private RocksDB db;
    private ReadOptions reads;
    private WriteOptions writes;
    private ColumnFamilyHandle columnFamily;

    @BeforeAll
    static void loadRocksDB() throws IOException {
        StateAccelRocksDBAccess.ensureRocksDBIsLoaded(libraryDirectory.toString());
    }

    @BeforeEach
    void open() throws RocksDBException {
        Options options = new Options().setCreateIfMissing(true);
        db = RocksDB.open(options, directory.toString());
        reads = new ReadOptions();
        writes = new WriteOptions().setDisableWAL(true);
        toClose.addAll(List.of(options, reads, writes));
        createColumnFamily(false);
    }

    private void createColumnFamily(boolean withBlobs) throws RocksDBException {
        StringAppendOperator append = new StringAppendOperator(',');
        BloomFilter filter = new BloomFilter(10, false);
        ColumnFamilyOptions options =
                new ColumnFamilyOptions()
                        .setWriteBufferSize(64 << 10)
                        .setMergeOperator(append)
                        .setTableFormatConfig(new BlockBasedTableConfig().setFilterPolicy(filter));
        if (withBlobs) {
            BlobFileOptions.set(options, true, 100, 64 << 20, CompressionType.NO_COMPRESSION, 0.25);
        }
        toClose.addAll(List.of(append, filter, options));
        columnFamily =
                db.createColumnFamily(
                        new ColumnFamilyDescriptor(
                                ("blobs " + withBlobs).getBytes(US_ASCII), options));
        columnFamilies.add(columnFamily);
    }

    @AfterEach
    void close() throws Exception {
        for (ColumnFamilyHandle handle : columnFamilies) {
            handle.close();
        }
        db.close();
        for (AutoCloseable object : toClose) {
            object.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"native, false", "native, true", "Java, false", "Java, true"})
    void readsWhatWasWritten(String way, boolean withBlobs) throws Exception {
        System.out.println("BatchAccessTest seed " + seed);
        if (withBlobs) {
            createColumnFamily(true);
        }
        BatchAccess access = create(way);
        assertThat(access).hasToString(way);
        writeAndRead(access, buffer(access));
    }

    private void writeAndRead(BatchAccess access, WriteBuffer buffer) throws RocksDBException {
        for (int step = 0; step < STEPS; step++) {
            for (int i = random.nextInt(60); i > 0; i--) {
                change(buffer);
            }
            buffer.write();
            flushOrCompact();
            compare(access, step);
        }
    }

    private WriteBuffer buffer(BatchAccess access) {
        return new WriteBuffer(access, db, writes);
    }

    /** Keys have up to 124 bytes: one in a buffer, several, all that are read at once, or none. */
    @ParameterizedTest
    @ValueSource(ints = {4, 20, 100, 1_000, 10_000})
    void readsInPortionsOfAnySize(int mostKeyBytes) throws Exception {
        System.out.println("BatchAccessTest seed " + seed);
        NativeBatchAccess access =
                new NativeBatchAccess(library(), db, reads, writes, mostKeyBytes);
        writeAndRead(access, buffer(access));
        assertThat(access.keyBufferBytes()).isLessThanOrEqualTo(mostKeyBytes);
    }

    /** Values have up to 300 bytes, few have many more; keys up to 124. */
    @ParameterizedTest
    @CsvSource({"native, 50", "native, 200", "native, 2000", "Java, 50", "Java, 200", "Java, 2000"})
    void writesInPortionsOfAnySize(String way, int fullBytes) throws Exception {
        System.out.println("BatchAccessTest seed " + seed);
        largest = 5_000;
        BatchAccess access = create(way);
        WriteBuffer buffer = new WriteBuffer(access, db, writes, fullBytes);
        for (int step = 0; step < STEPS; step++) {
            change(buffer);
            assertThat(buffer.heldBytes()).isLessThanOrEqualTo(2 * fullBytes);
        }
        writeAndRead(access, buffer);
        assertThat(buffer.heldBytes()).isLessThanOrEqualTo(2 * fullBytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"native", "Java"})
    void moreThanAGibibyteOfKeysIsRead(String way) throws Exception {
        byte[] key = new byte[1 << 20];
        assertThat(absent(create(way), Collections.nCopies(1_100, key))).isEqualTo(1_100);
        NativeBatchAccess access = new NativeBatchAccess(library(), db, reads, writes);
        assertThat(absent(access, Collections.nCopies(100_000, new byte[1_000])))
                .isEqualTo(100_000);
        assertThat(access.keyBufferBytes()).isBetween(100_000, 128 << 10);
    }

    private int absent(BatchAccess access, List<byte[]> keys) throws RocksDBException {
        return access.read(columnFamily, keys, 0, (key, value) -> assertThat(value).isNull());
    }

    @ParameterizedTest
    @ValueSource(strings = {"native", "Java"})
    void noBigValueIsHeld(String way) throws Exception {
        WriteBuffer buffer = buffer(create(way));
        byte[] big = new byte[20 << 20];
        random.nextBytes(big);
        merge(buffer, key(0), new byte[] {'a'});
        merge(buffer, key(0), big);
        merge(buffer, key(0), new byte[] {'b'});
        buffer.write();
        assertThat(db.get(columnFamily, key(0)))
                .isEqualTo(appended(appended(new byte[] {'a'}, big), new byte[] {'b'}));
        assertThat(buffer.heldBytes()).isLessThanOrEqualTo(1 << 20);
    }

    private WriteBuffer.Target target() {
        return WriteBuffer.Target.of(columnFamily);
    }

    @Test
    void noMoreKeysAreHeldThanAreWorthIt() {
        SerializedKeys keys = new SerializedKeys(1_000);
        assertThat(keys.add(new byte[800])).isTrue();
        assertThat(keys.add(new byte[300])).isFalse();
        assertThat(keys.list()).hasSize(1);
        SerializedKeys ofNoBytes = new SerializedKeys(1_000);
        while (ofNoBytes.add(new byte[0])) {}
        assertThat(ofNoBytes.list()).hasSizeBetween(10, 100);
    }

    private BatchAccess create(String way) {
        return BatchAccesses.create(way.equals("native") ? library() : null, db, reads, writes);
    }

    private static NativeLibrary library() {
        return NativeTesting.library(libraryDirectory);
    }

    private void change(WriteBuffer buffer) throws RocksDBException {
        byte[] key = key(random.nextInt(KEYS) & ~1); // Odd ones stay absent.
        byte[] value = value();
        switch (random.nextInt(4)) {
            case 0 -> {
                buffer.addRemoval(target(), key, 0, key.length);
                expected.remove(key);
            }
            case 1 -> {
                byte[] content = Arrays.copyOf(key, key.length + value.length);
                System.arraycopy(value, 0, content, key.length, value.length);
                buffer.add(target(), content, 0, key.length, value.length);
                expected.put(key, value);
            }
            default -> {
                merge(buffer, key, value);
                expected.merge(key, value, BatchAccessTest::appended);
            }
        }
    }

    private void merge(WriteBuffer buffer, byte[] key, byte[] operand) throws RocksDBException {
        buffer.addMerge(target(), key, 0, key.length, operand, 0, operand.length);
    }

    private static byte[] appended(byte[] before, byte[] value) {
        byte[] both = Arrays.copyOf(before, before.length + 1 + value.length);
        both[before.length] = ',';
        System.arraycopy(value, 0, both, before.length + 1, value.length);
        return both;
    }

    private byte[] value() {
        byte[] value =
                new byte[random.nextInt(500) == 0 ? random.nextInt(largest) : random.nextInt(300)];
        random.nextBytes(value);
        return value;
    }

    /** Of very different lengths. */
    private static byte[] key(int number) {
        return ("k".repeat(number % 7 * 20) + number).getBytes(US_ASCII);
    }

    private void flushOrCompact() throws RocksDBException {
        int what = random.nextInt(30);
        if (what == 0) {
            try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
                db.flush(flush, columnFamily);
            }
        } else if (what == 1) {
            db.compactRange(columnFamily);
        }
    }

    private void compare(BatchAccess access, int step) throws RocksDBException {
        List<byte[]> keys = keys(random.nextInt(random.nextInt(10) == 0 ? 800 : 80));
        keys.sort(Arrays::compareUnsigned);
        long most = random.nextInt(5) == 0 ? random.nextInt(50_000) : 1 << 20;
        List<byte[]> asked = new ArrayList<>();
        long[] bytes = new long[1];
        int read =
                access.read(
                        columnFamily,
                        keys,
                        most,
                        (key, value) -> {
                            asked.add(key);
                            assertThat(value)
                                    .as("seed %s, step %s", seed, step)
                                    .isEqualTo(expected.get(key));
                            bytes[0] += value == null ? 0 : value.length;
                        });
        assertThat(asked).hasSize(read).isEqualTo(keys.subList(0, read));
        assertThat(bytes[0]).isLessThanOrEqualTo(most);
        if (read < keys.size()) {
            int next = expected.get(keys.get(read)).length;
            assertThat(bytes[0] + next > most || next > 100_000).isTrue();
        }
    }

    private List<byte[]> keys(int count) {
        List<byte[]> keys = new ArrayList<>();
        random.ints(count, 0, KEYS).distinct().forEach(number -> keys.add(key(number)));
        return keys;
    }

    @ParameterizedTest
    @ValueSource(strings = {"native", "Java"})
    void whatIsReadAheadIsForOneReadOrUntilItIsWritten(String way) throws Exception {
        largest = 1_000;
        BatchAccess access = create(way);
        WriteBuffer buffer = buffer(access);
        for (int i = 0; i < 2_000; i++) {
            change(buffer);
        }
        buffer.write();
        StateAccess counts = new StateAccess(1);
        ReadAhead ahead = new ReadAhead(access, counts);
        long absent = 0;
        long keysRead = 0;
        for (int round = 0; round < 50; round++) {
            List<byte[]> keys = keys(random.nextInt(600));
            ahead.read(columnFamily, new ArrayList<>(keys));
            int left = keys.size();
            assertThat(ahead.isEmpty()).isEqualTo(left == 0);
            for (byte[] key : keys) {
                switch (random.nextInt(3)) {
                    case 0 -> {
                        ahead.forget(key);
                        left--;
                    }
                    case 1 -> {
                        int number = ahead.find(key);
                        assertThat(ahead.take(number)).isEqualTo(expected.get(key));
                        left--;
                    }
                    default -> {
                        assertThat(ahead.find(key)).isNotEqualTo(ReadAhead.NONE);
                        continue;
                    }
                }
                assertThat(ahead.find(key)).isEqualTo(ReadAhead.NONE);
            }
            assertThat(ahead.isEmpty()).isEqualTo(left == 0);
            assertThat(ahead.find("never asked for".getBytes(US_ASCII))).isEqualTo(ReadAhead.NONE);
            keysRead += keys.size();
            absent += keys.stream().filter(key -> !expected.containsKey(key)).count();
        }
        ahead.clear();
        assertThat(ahead.isEmpty()).isTrue();
        assertThat(counts.reads()).isEqualTo(keysRead);
        assertThat(counts.readsAhead()).isEqualTo(keysRead);
        assertThat(counts.absentReads()).isEqualTo(absent);
    }

    @ParameterizedTest
    @ValueSource(strings = {"native", "Java"})
    void aBatchThatFailsIsWrittenLater(String way) throws Exception {
        BatchAccess access = create(way);
        WriteBuffer buffer = buffer(access);
        merge(buffer, key(1), value());
        writes.setSync(true); // RocksDB refuses to sync a log that is switched off.
        assertThatThrownBy(buffer::write).isInstanceOf(RocksDBException.class);
        byte[] big = new byte[1 << 20];
        assertThatThrownBy(() -> merge(buffer, key(1), big)).isInstanceOf(RocksDBException.class);
        assertThat(buffer.count()).isEqualTo(1);
        assertThat(db.get(columnFamily, key(1))).isNull();
        writes.setSync(false);
        buffer.write();
        assertThat(db.get(columnFamily, key(1))).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"native", "Java"})
    void refusesWhatIsNoBatch(String way) {
        byte[] noise = new byte[100];
        Arrays.fill(noise, (byte) 0x7f);
        assertThatThrownBy(() -> create(way).write(noise, noise.length))
                .isInstanceOf(RocksDBException.class);
    }

    @Test
    void nativeCodeRefusesWhatIsOutOfBounds() {
        ByteBuffer direct = ByteBuffer.allocateDirect(64);
        refusesToRead(null, 0, 1, direct);
        refusesToRead(direct, 0, 1, null);
        refusesToRead(direct, -1, 1, direct);
        refusesToRead(direct, 65, 0, direct);
        refusesToRead(direct, 0, -1, direct);
        refusesToRead(direct, 0, 17, direct);
        refusesToRead(direct, 61, 1, direct);
        refusesToRead(ByteBuffer.allocateDirect(64).putInt(0, -1), 0, 1, direct);
        refusesToRead(ByteBuffer.allocateDirect(64).putInt(0, Integer.MAX_VALUE), 0, 1, direct);
        refusesToRead(direct, 0, 1, ByteBuffer.allocateDirect(3));
        refusesToRead(direct, 0, 1, ByteBuffer.allocate(64));
        refusesToRead(ByteBuffer.allocate(64), 0, 1, direct);
        refusesToRead(direct, 0, 1, ByteBuffer.allocateDirect(64).asReadOnlyBuffer());
        for (int length : new int[] {-1, 0, 11, 21}) {
            assertThatThrownBy(() -> library().write(db, writes, new byte[20], length))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> library().write(db, writes, null, 12))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private void refusesToRead(ByteBuffer keys, int from, int count, ByteBuffer values) {
        assertThatThrownBy(
                        () ->
                                library()
                                        .multiGet(
                                                db, columnFamily, reads, keys, from, count, values))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
