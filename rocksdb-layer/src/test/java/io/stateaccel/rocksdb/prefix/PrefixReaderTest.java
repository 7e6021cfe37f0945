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
package io.stateaccel.rocksdb.prefix;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.flink.rocksdb.MemtableFilter;
import io.stateaccel.rocksdb.jni.NativeLibrary;
import io.stateaccel.rocksdb.jni.NativeTesting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.SerializedCompositeKeyBuilder;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.state.rocksdb.StateAccelRocksDBAccess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.HashLinkedListMemTableConfig;
import org.rocksdb.HashSkipListMemTableConfig;
import org.rocksdb.MemTableConfig;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.SkipListMemTableConfig;
import org.rocksdb.Statistics;
import org.rocksdb.TickerType;
import org.rocksdb.WriteOptions;

/**
 * Both readers of prefixes over column families with and without a prefix extractor, next to a
 * sorted map: random writes and removals, flushes and compactions, prefixes that exist and that do
 * not, pages of every size, entries larger than a page. The whole column family in order, too,
 * which no memtable or filter may disturb.
 */
class PrefixReaderTest {

    private static final int STEPS = 3_000;
    private static final int KEYS = 200;
    private static final int KEY_GROUP_BYTES = 1;

    private static final KeyLayout LAYOUT =
            KeyLayout.of(
                            KEY_GROUP_BYTES,
                            StringSerializer.INSTANCE,
                            VoidNamespaceSerializer.INSTANCE)
                    .orElseThrow();

    @TempDir private Path directory;
    @TempDir private static Path libraryDirectory;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private final List<AutoCloseable> toClose = new ArrayList<>();
    private final NavigableMap<byte[], byte[]> expected = new TreeMap<>(Arrays::compareUnsigned);

    private RocksDB db;
    private Statistics statistics;
    private WriteOptions writeOptions;
    private ReadOptions totalOrder;
    private ColumnFamilyHandle columnFamily;

    @BeforeAll
    static void loadRocksDB() throws IOException {
        StateAccelRocksDBAccess.ensureRocksDBIsLoaded(libraryDirectory.toString());
    }

    @BeforeEach
    void open() throws RocksDBException {
        statistics = new Statistics();
        // As it must be with memtables that are hash tables.
        Options options =
                new Options()
                        .setCreateIfMissing(true)
                        .setAllowConcurrentMemtableWrite(false)
                        .setStatistics(statistics);
        db = RocksDB.open(options, directory.toString());
        writeOptions = new WriteOptions().setDisableWAL(true);
        totalOrder = new ReadOptions().setTotalOrderSeek(true);
        toClose.addAll(List.of(options, writeOptions, totalOrder, statistics));
    }

    @AfterEach
    void close() throws Exception {
        if (columnFamily != null) {
            columnFamily.close();
        }
        db.close();
        for (AutoCloseable object : toClose) {
            object.close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "native, true, skip list", "native, false, skip list",
        "Java, true, skip list", "Java, false, skip list",
        "native, true, hash linked list", "Java, true, hash linked list",
        "native, true, hash skip list", "Java, true, hash skip list"
    })
    void readsWhatIsThere(String reader, boolean withExtractor, String memtable) throws Exception {
        System.out.println("PrefixReaderTest seed " + seed);
        createColumnFamily(withExtractor, memtable);
        try (PrefixReader read = create(reader)) {
            assertThat(read).hasToString(reader);
            for (int step = 0; step < STEPS; step++) {
                change();
                if (random.nextInt(3) == 0) {
                    byte[] prefix = prefix(random.nextInt(KEYS));
                    NavigableMap<byte[], byte[]> there = entriesOf(prefix);
                    boolean withValues = random.nextInt(4) > 0;
                    if (!withValues) {
                        there.replaceAll((key, value) -> new byte[0]);
                    }
                    assertThat(describe(readAll(read, withExtractor, prefix, withValues)))
                            .as("seed %s, step %s", seed, step)
                            .isEqualTo(describe(there));
                }
            }
        }
        assertThat(describe(everything())).as("seed %s", seed).isEqualTo(describe(expected));
    }

    private PrefixReader create(String reader) {
        return PrefixReaders.create(reader.equals("native") ? library() : null, db, totalOrder);
    }

    private static NativeLibrary library() {
        return NativeTesting.library(libraryDirectory);
    }

    private void createColumnFamily(boolean withExtractor, String memtable)
            throws RocksDBException {
        BloomFilter filter = new BloomFilter(10, false);
        MemTableConfig memtableConfig =
                switch (memtable) {
                    case "hash linked list" ->
                            new HashLinkedListMemTableConfig().setBucketCount(64);
                    case "hash skip list" -> new HashSkipListMemTableConfig().setBucketCount(64);
                    default -> new SkipListMemTableConfig();
                };
        ColumnFamilyOptions options =
                new ColumnFamilyOptions()
                        .setWriteBufferSize(32 << 10)
                        .setMemTableConfig(memtableConfig);
        MemtableFilter.set(options, 0.1);
        toClose.addAll(List.of(filter, options));
        ColumnFamilyOptions used = options;
        if (withExtractor) {
            used = library().withKeyPrefix(options, LAYOUT.program(), LAYOUT.name());
            toClose.add(used);
        }
        used.setTableFormatConfig(
                new BlockBasedTableConfig().setFilterPolicy(filter).setWholeKeyFiltering(true));
        columnFamily =
                db.createColumnFamily(new ColumnFamilyDescriptor("maps".getBytes(US_ASCII), used));
    }

    private void change() throws RocksDBException, IOException {
        int what = random.nextInt(200);
        if (what == 0) {
            try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
                db.flush(flush, columnFamily);
            }
        } else if (what == 1) {
            db.compactRange(columnFamily);
        }
        byte[] prefix = prefix(random.nextInt(KEYS) & ~1); // Odd ones stay absent.
        byte[] key = mapKey(prefix);
        if (random.nextInt(3) == 0) {
            NavigableMap<byte[], byte[]> there = entriesOf(prefix);
            if (!there.isEmpty()) {
                key = there.firstKey();
            }
            db.delete(columnFamily, writeOptions, key);
            expected.remove(key);
        } else {
            byte[] value = new byte[random.nextInt(500) == 0 ? 100_000 : random.nextInt(200)];
            random.nextBytes(value);
            db.put(columnFamily, writeOptions, key, value);
            expected.put(key, value);
        }
    }

    private byte[] mapKey(byte[] prefix) {
        int length = random.nextInt(200) == 0 ? 1_000 : random.nextInt(3);
        byte[] key = Arrays.copyOf(prefix, prefix.length + length);
        for (int i = prefix.length; i < key.length; i++) {
            key[i] = (byte) (random.nextInt(4) - 2);
        }
        return key;
    }

    /** Of very different lengths. */
    private static byte[] prefix(int number) throws IOException {
        SerializedCompositeKeyBuilder<String> builder =
                new SerializedCompositeKeyBuilder<>(StringSerializer.INSTANCE, KEY_GROUP_BYTES, 32);
        builder.setKeyAndKeyGroup("k".repeat(number % 7 * 40) + number, number % 3);
        return builder.buildCompositeKeyNamespace(
                VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE);
    }

    private NavigableMap<byte[], byte[]> entriesOf(byte[] prefix) {
        NavigableMap<byte[], byte[]> entries = new TreeMap<>(Arrays::compareUnsigned);
        for (Map.Entry<byte[], byte[]> entry : expected.tailMap(prefix).entrySet()) {
            if (!startsWith(entry.getKey(), prefix)) {
                break;
            }
            entries.put(entry.getKey(), entry.getValue());
        }
        return entries;
    }

    private static boolean startsWith(byte[] key, byte[] prefix) {
        return key.length >= prefix.length
                && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }

    private Map<byte[], byte[]> readAll(
            PrefixReader reader, boolean withExtractor, byte[] prefix, boolean withValues)
            throws RocksDBException {
        Map<byte[], byte[]> entries = new LinkedHashMap<>();
        int page = 1 + random.nextInt(10);
        byte[][] last = new byte[1][];
        boolean more = true;
        while (more) {
            int before = entries.size();
            more =
                    reader.read(
                            columnFamily,
                            withExtractor ? LAYOUT : null,
                            prefix,
                            last[0],
                            withValues,
                            page,
                            (key, value) -> {
                                entries.put(key, value);
                                last[0] = key;
                            });
            assertThat(entries.size() - before).isLessThanOrEqualTo(page);
        }
        return entries;
    }

    private Map<byte[], byte[]> everything() {
        Map<byte[], byte[]> entries = new LinkedHashMap<>();
        try (RocksIterator iterator = db.newIterator(columnFamily, totalOrder)) {
            for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
                entries.put(iterator.key(), iterator.value());
            }
        }
        return entries;
    }

    private static List<String> describe(Map<byte[], byte[]> entries) {
        return entries.entrySet().stream()
                .map(e -> Arrays.toString(e.getKey()) + "=" + Arrays.hashCode(e.getValue()))
                .toList();
    }

    /** Else all this would be for nothing. */
    @ParameterizedTest
    @CsvSource({"native, true", "Java, true", "native, false"})
    void filtersSpareTheReadsOfAbsentPrefixes(String reader, boolean withExtractor)
            throws Exception {
        createColumnFamily(withExtractor, "skip list");
        for (int number = 0; number < KEYS; number += 2) {
            db.put(columnFamily, writeOptions, prefix(number), new byte[10]);
        }
        try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
            db.flush(flush, columnFamily);
        }
        try (PrefixReader read = create(reader)) {
            for (int number = 1; number < KEYS; number += 2) {
                assertThat(readAll(read, withExtractor, prefix(number), true)).isEmpty();
            }
        }
        long dataBlocks =
                statistics.getTickerCount(TickerType.BLOCK_CACHE_DATA_HIT)
                        + statistics.getTickerCount(TickerType.BLOCK_CACHE_DATA_MISS);
        if (withExtractor) {
            // A filter of ten bits for each key lets about one in a hundred through.
            assertThat(dataBlocks).isLessThan(KEYS / 2 / 10);
        } else {
            assertThat(dataBlocks).isGreaterThanOrEqualTo(KEYS / 2);
        }
    }

    @Test
    void nativeScanRefusesWhatIsOutOfBounds() throws Exception {
        createColumnFamily(true, "skip list");
        ByteBuffer buffer = ByteBuffer.allocateDirect(64);
        byte[] key = new byte[4];
        assertRefused(key, 5, 1, buffer);
        assertRefused(key, -1, 1, buffer);
        assertRefused(key, 4, 0, buffer);
        assertRefused(key, 4, -1, buffer);
        assertRefused(key, 4, 1, ByteBuffer.allocate(64));
        assertRefused(key, 4, 1, ByteBuffer.allocateDirect(7));
        assertRefused(null, 0, 1, buffer);
        assertRefused(key, 4, 1, null);
        assertThat(library().scan(db, columnFamily, totalOrder, key, 4, false, true, 1, buffer))
                .isZero();
    }

    private void assertRefused(byte[] from, int prefixLength, int maxEntries, ByteBuffer buffer) {
        assertThatThrownBy(
                        () ->
                                library()
                                        .scan(
                                                db,
                                                columnFamily,
                                                totalOrder,
                                                from,
                                                prefixLength,
                                                false,
                                                true,
                                                maxEntries,
                                                buffer))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
