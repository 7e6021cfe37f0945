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
package io.stateaccel.rocksdb;

import io.stateaccel.config.KindOverrides;
import io.stateaccel.config.KindOverrides.Memtable;
import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.flink.rocksdb.BlobFileOptions;
import io.stateaccel.flink.rocksdb.MemtableFilter;
import io.stateaccel.rocksdb.blob.ValueSeparation;
import io.stateaccel.rocksdb.jni.NativeLibrary;
import io.stateaccel.rocksdb.metrics.ColumnFamilyChoice;
import io.stateaccel.rocksdb.prefix.KeyLayout;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.state.rocksdb.RocksDBConfigurableOptions;
import org.apache.flink.state.rocksdb.RocksDBOptions;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.HashLinkedListMemTableConfig;
import org.rocksdb.HashSkipListMemTableConfig;
import org.rocksdb.IndexType;
import org.rocksdb.MemTableConfig;
import org.rocksdb.ReadOptions;

/**
 * Decides how RocksDB stores a state, from the state's kind and the {@link KindOverrides} for it.
 *
 * <table>
 *   <caption>What changes against stock Flink</caption>
 *   <tr><th>kind</th><th>memtable</th><th>filter in SST files</th><th>index</th><th>compression</th></tr>
 *   <tr><td>VALUE, LIST, REDUCING, AGGREGATING</td><td>skip list with a filter over whole keys</td><td>whole keys</td><td>partitioned</td><td>LZ4</td></tr>
 *   <tr><td>MAP</td><td>skip list with a filter over whole keys and key prefixes</td><td>whole keys, for {@code get} and {@code contains}; key prefixes, for passes, {@code isEmpty} and {@code clear}</td><td>partitioned</td><td>LZ4</td></tr>
 *   <tr><td>TIMER</td><td>skip list</td><td>none</td><td>partitioned</td><td>LZ4</td></tr>
 *   <tr><td>OTHER</td><td>skip list</td><td>none</td><td>stock</td><td>stock</td></tr>
 * </table>
 *
 * <ul>
 *   <li><b>Partitioned index and filter</b>, with the top level pinned. Flink's bounded memory puts
 *       indexes and filters into the block cache. Whole ones (hundreds of KiB per file) evict each
 *       other once the state outgrows the cache, partitions of {@code metadata-blocksize} do not.
 *       Where memory is not bounded RocksDB keeps indexes outside of the cache and a small cache
 *       per column family, so there the index stays whole.
 *   <li><b>Filters over whole keys</b>, in SST files and in the memtable, answer reads of absent
 *       keys: 1 us of CPU instead of 7 from files ({@code StateAccessBenchmark}), 0.3 us instead of
 *       1.5 from the memtable. They leave iterators alone.
 *   <li><b>LZ4 on every level</b> reads cheaper than Snappy at the same size.
 *   <li><b>Key prefixes</b> ({@code KeyLayout}), for maps and only with the native library, as Java
 *       has no extractor for keys of any length. An iterator without {@code total_order_seek} asks
 *       the prefix filters, so that what it finds beyond one prefix is undefined. The backend's
 *       iterators are therefore in total order ({@link #applyTo(ReadOptions)}) but for our own
 *       reads of one map. Two kinds that Flink opens are out of reach of options: for canonical
 *       savepoints ({@code RocksDBFullSnapshotResources}) and for rescaling ({@code
 *       RestoredDBInstance}). They go to the first entry, or to a key group, which is shorter than
 *       any prefix; for neither does RocksDB ask a filter.
 *   <li><b>No hash memtable</b>, unless it is asked for: a pass over one in total order sorts all
 *       of it. It needs key prefixes, for every kind that it is asked for; where there can be none
 *       the skip list stays. Those two kinds of iterators see nothing of a hash memtable. Rescaling
 *       opens databases that have nothing in memory yet; before canonical savepoints {@code
 *       StateAccelKeyedStateBackend} flushes.
 *   <li><b>Blob files</b> for long values, of all kinds but timers, where the configuration asks
 *       for them ({@link ValueSeparation}); they may come later, too ({@code AutomaticSeparation}).
 * </ul>
 *
 * <p>These are defaults. A {@code state.backend.rocksdb.*} option that is set keeps its meaning for
 * the property it names, a predefined options profile keeps the filter it sets, and a user's {@code
 * RocksDBOptionsFactory} runs after this class and has the last word. An override replaces all of
 * these but the factory. One stock rule stays as well: with {@code
 * state.backend.rocksdb.memory.partitioned-index-filters} set to true, Flink replaces every filter
 * by one of 10 bits per key.
 *
 * <p>Immutable; builds on frocksdb's option classes only.
 */
final class ColumnFamilyPolicy {

    /**
     * Share of the write buffer that the memtable's filter takes: some 8 bits per row when a buffer
     * fills up with rows of 100 bytes, and room to spare when it is flushed early.
     */
    private static final double MEMTABLE_FILTER_RATIO = 0.01;

    /**
     * Write buffer per bucket of a hash memtable, whose array then is a 128th of the buffer: it
     * counts as written, so one for many more rows than there is room for has the buffer flushed
     * early.
     */
    private static final long WRITE_BUFFER_BYTES_PER_BUCKET = 1 << 10;

    private static final Map<String, CompressionType> COMPRESSIONS =
            Map.of(
                    "none", CompressionType.NO_COMPRESSION,
                    "snappy", CompressionType.SNAPPY_COMPRESSION,
                    "lz4", CompressionType.LZ4_COMPRESSION,
                    "zstd", CompressionType.ZSTD_COMPRESSION);

    private final boolean partitionIndexAndFilters;
    private final int filterBitsPerKey;
    private final List<CompressionType> compressionPerLevel;
    private final ValueSeparation valueSeparation;
    private final KindOverrides overrides;

    @Nullable private final NativeLibrary nativeLibrary;

    private ColumnFamilyPolicy(
            boolean partitionIndexAndFilters,
            int filterBitsPerKey,
            List<CompressionType> compressionPerLevel,
            ValueSeparation valueSeparation,
            KindOverrides overrides,
            @Nullable NativeLibrary nativeLibrary) {
        this.partitionIndexAndFilters = partitionIndexAndFilters;
        this.filterBitsPerKey = filterBitsPerKey;
        this.compressionPerLevel = compressionPerLevel;
        this.valueSeparation = valueSeparation;
        this.overrides = overrides;
        this.nativeLibrary = nativeLibrary;
    }

    /**
     * Reads the policy from a configuration that {@code BackendOptionsValidator} has let through.
     *
     * @param memoryIsBounded whether index and filter blocks live in a shared block cache of
     *     limited size (managed memory, or fixed per slot or task manager)
     * @param valueSeparation from the same configuration
     * @param nativeLibrary null without it
     */
    static ColumnFamilyPolicy from(
            ReadableConfig config,
            boolean memoryIsBounded,
            ValueSeparation valueSeparation,
            @Nullable NativeLibrary nativeLibrary) {
        boolean partition =
                memoryIsBounded
                        && config.getOptional(RocksDBOptions.USE_PARTITIONED_INDEX_FILTERS)
                                .orElseGet(
                                        () ->
                                                config.get(
                                                        StateAccelOptions
                                                                .ROCKSDB_PARTITIONED_INDEX_FILTERS));
        return new ColumnFamilyPolicy(
                partition,
                isSet(config, RocksDBConfigurableOptions.USE_BLOOM_FILTER)
                        ? 0
                        : config.get(StateAccelOptions.ROCKSDB_BLOOM_FILTER_BITS_PER_KEY),
                isSet(config, RocksDBConfigurableOptions.COMPRESSION_PER_LEVEL)
                        ? List.of()
                        : compressions(config.get(StateAccelOptions.ROCKSDB_COMPRESSION_PER_LEVEL)),
                valueSeparation,
                KindOverrides.from(config),
                nativeLibrary);
    }

    private static List<CompressionType> compressions(List<String> names) {
        return names.stream()
                .map(name -> COMPRESSIONS.get(name.trim().toLowerCase(Locale.ROOT)))
                .toList();
    }

    /**
     * Changes the options of a column family.
     *
     * @param options what the stock configuration made; changed in place
     * @param state the name of the state
     * @param prefixLayout for which a prefix extractor is to be set, or null
     * @param handlesToClose takes the native objects created here, to be closed with the backend
     * @return the options to go on with, not necessarily those given
     */
    ColumnFamilyOptions applyTo(
            ColumnFamilyOptions options,
            String state,
            StateKind kind,
            @Nullable KeyLayout prefixLayout,
            Collection<AutoCloseable> handlesToClose) {
        if (kind == StateKind.OTHER) {
            return options;
        }
        ReadableConfig override = overrides.of(kind.optionName());
        List<CompressionType> compressions =
                override.getOptional(KindOverrides.COMPRESSION_PER_LEVEL)
                        .map(ColumnFamilyPolicy::compressions)
                        .orElse(compressionPerLevel);
        if (!compressions.isEmpty()) {
            options.setCompressionPerLevel(compressions);
        }
        if (kind.isReadByKey()) {
            valueSeparation.applyTo(options, state);
        }
        // Flink sets a block-based table before it calls any options factory.
        BlockBasedTableConfig table = (BlockBasedTableConfig) options.tableFormatConfig();
        override.getOptional(KindOverrides.BLOCK_SIZE)
                .ifPresent(size -> table.setBlockSize(size.getBytes()));
        if (isSet(override, KindOverrides.BLOOM_FILTER_BITS_PER_KEY)) {
            table.setFilterPolicy(null);
        }
        int bits = filterBitsPerKey(kind);
        if (kind.isReadByKey() && bits > 0 && table.filterPolicy() == null) {
            BloomFilter filter = new BloomFilter(bits, false);
            handlesToClose.add(filter);
            table.setFilterPolicy(filter);
            table.setWholeKeyFiltering(true);
            MemtableFilter.set(options, MEMTABLE_FILTER_RATIO);
        }
        if (partitionIndexAndFilters) {
            table.setIndexType(IndexType.kTwoLevelIndexSearch);
            table.setPartitionFilters(table.filterPolicy() != null);
            table.setPinTopLevelIndexAndFilter(true);
        }
        ColumnFamilyOptions applied = options;
        if (prefixLayout != null) {
            applied =
                    nativeLibrary.withKeyPrefix(
                            options, prefixLayout.program(), prefixLayout.name());
            handlesToClose.add(applied);
            if (memtable(kind).isHash()) {
                applied.setMemTableConfig(
                        hashMemtable(
                                memtable(kind),
                                Math.max(
                                        1,
                                        options.writeBufferSize()
                                                / WRITE_BUFFER_BYTES_PER_BUCKET)));
            }
        }
        applied.setTableFormatConfig(table);
        return applied;
    }

    private static MemTableConfig hashMemtable(Memtable memtable, long buckets) {
        return memtable == Memtable.HASH_SKIP_LIST
                ? new HashSkipListMemTableConfig().setBucketCount(buckets)
                : new HashLinkedListMemTableConfig()
                        .setBucketCount(buckets)
                        // With each flush and each pass, else.
                        .setIfLogBucketDistWhenFlush(false);
    }

    private int filterBitsPerKey(StateKind kind) {
        return overrides
                .of(kind.optionName())
                .getOptional(KindOverrides.BLOOM_FILTER_BITS_PER_KEY)
                .orElse(filterBitsPerKey);
    }

    /** The memtable that states of a kind are to have, if they have a prefix extractor. */
    Memtable memtable(StateKind kind) {
        return overrides
                .of(kind.optionName())
                .getOptional(KindOverrides.MEMTABLE)
                .orElse(Memtable.SKIP_LIST);
    }

    /**
     * Lets RocksDB open databases with the memtables that are asked for, of which some cannot be
     * written to by several threads, and Flink writes with one; and has several threads write
     * memtables to the disk.
     */
    void applyTo(DBOptions options) {
        FlushThreads.applyTo(options);
        if (nativeLibrary != null && overrides.askForHashMemtables()) {
            options.setAllowConcurrentMemtableWrite(false);
        }
    }

    /** See {@link ValueSeparation#takeBackUnlessOn}. */
    void takeBackSeparated(ColumnFamilyOptions options, String state) {
        valueSeparation.takeBackUnlessOn(options, state);
    }

    /**
     * The layout for which a state's column family gets a prefix extractor: for maps, so that
     * filters hold the prefixes too, as only they are read by prefix; and for hash memtables.
     */
    Optional<KeyLayout> prefixLayout(StateKind kind, Optional<KeyLayout> layout) {
        return nativeLibrary != null
                        && (memtable(kind).isHash()
                                || kind == StateKind.MAP && filtersKeyPrefixes())
                ? layout
                : Optional.empty();
    }

    private boolean filtersKeyPrefixes() {
        return filterBitsPerKey(StateKind.MAP) > 0
                && overrides
                        .of(StateKind.MAP.optionName())
                        .getOptional(KindOverrides.KEY_PREFIX)
                        .orElse(true);
    }

    boolean hasNativeLibrary() {
        return nativeLibrary != null;
    }

    /** Whether iterators that are not in total order do not see the entries in memory. */
    static boolean hasHashMemtable(ColumnFamilyOptions options) {
        return options.memTableFactoryName().startsWith("Hash");
    }

    /** Makes the backend's iterators run in total order, whatever a memtable or prefix would do. */
    void applyTo(ReadOptions options) {
        options.setTotalOrderSeek(true);
    }

    /**
     * Options that are in effect, in words.
     *
     * @param hasKeyPrefix whether there is an extractor of prefixes that are shorter than keys,
     *     which options do not tell
     */
    static ColumnFamilyChoice describe(ColumnFamilyOptions options, boolean hasKeyPrefix) {
        String memtable =
                options.memTableFactoryName()
                        + (MemtableFilter.isSet(options)
                                ? (hasKeyPrefix
                                        ? "+whole-key and key-prefix filter"
                                        : "+whole-key filter")
                                : "");
        String filter = "unknown";
        String index = "unknown";
        boolean hasPrefixFilter = false;
        long blockBytes = 0;
        if (options.tableFormatConfig() instanceof BlockBasedTableConfig table) {
            index =
                    table.indexType() == IndexType.kTwoLevelIndexSearch
                            ? "partitioned"
                            : table.indexType().name();
            filter =
                    table.filterPolicy() == null
                            ? "none"
                            : (table.wholeKeyFiltering() ? "whole-key" : "prefix")
                                    + (hasKeyPrefix ? " and key-prefix" : "")
                                    + (table.partitionFilters() ? ", partitioned" : "");
            hasPrefixFilter = hasKeyPrefix && table.filterPolicy() != null;
            blockBytes = table.blockSize();
        }
        String compression =
                options.compressionPerLevel().isEmpty()
                        ? options.compressionType().name()
                        : options.compressionPerLevel().stream()
                                .map(CompressionType::getLibraryName)
                                .map(name -> name == null ? "none" : name)
                                .collect(Collectors.joining(","));
        return new ColumnFamilyChoice(
                memtable,
                filter,
                index,
                compression,
                blockBytes,
                hasPrefixFilter,
                options.numLevels(),
                BlobFileOptions.minBytes(options));
    }

    private static boolean isSet(ReadableConfig config, ConfigOption<?> option) {
        return config.getOptional(option).isPresent();
    }
}
