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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.rocksdb.jni.NativeTesting;
import io.stateaccel.rocksdb.testing.BackendHarness;
import io.stateaccel.rocksdb.testing.BackendHarness.Make;
import io.stateaccel.rocksdb.testing.BackendHarness.Snapshot;
import io.stateaccel.rocksdb.testing.OptionsFile;
import io.stateaccel.rocksdb.testing.RandomStates.Keys;
import io.stateaccel.rocksdb.testing.UnchangedOptions;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.View;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;
import org.apache.flink.state.rocksdb.RocksDBMemoryControllerUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.IndexType;

/** The options that RocksDB has in effect for each kind of state. */
class ColumnFamilyPolicyTest extends StatesOfEveryKind {

    @Test
    void partitionsAndFiltersUnderManagedMemory() throws Exception {
        OptionsFile options = optionsInEffect(Map.of());
        for (String state : READ_BY_KEY) {
            assertThat(options.table(state, "filter_policy"))
                    .as(state)
                    .startsWith("bloomfilter:10");
            assertThat(options.table(state, "whole_key_filtering")).as(state).isEqualTo("true");
            assertThat(options.table(state, "partition_filters")).as(state).isEqualTo("true");
            assertThat(options.columnFamily(state, "memtable_whole_key_filtering"))
                    .as(state)
                    .isEqualTo("true");
            assertPartitionedIndex(options, state);
            assertSafeToIterate(options, state);
        }
        assertThat(options.table("timers", "filter_policy")).isEqualTo("nullptr");
        assertThat(options.columnFamily("timers", "memtable_whole_key_filtering"))
                .isEqualTo("false");
        assertPartitionedIndex(options, "timers");
        assertSafeToIterate(options, "timers");
    }

    @Test
    void partitionsUnderFixedMemoryPerSlot() throws Exception {
        OptionsFile options =
                optionsInEffect(Map.of("state.backend.rocksdb.memory.fixed-per-slot", "16mb"));
        for (String state : READ_BY_KEY) {
            assertPartitionedIndex(options, state);
        }
    }

    @Test
    void leavesTheIndexWholeWhereMemoryIsNotBounded() throws Exception {
        OptionsFile options =
                optionsInEffect(Map.of("state.backend.rocksdb.memory.managed", "false"));
        for (String state : READ_BY_KEY) {
            assertThat(options.table(state, "index_type")).as(state).isEqualTo("kBinarySearch");
            assertThat(options.table(state, "partition_filters")).as(state).isEqualTo("false");
            assertThat(options.table(state, "filter_policy"))
                    .as(state)
                    .startsWith("bloomfilter:10");
        }
    }

    @Test
    void everyStateUsesTheSharedBlockCache() throws Exception {
        GaugeCollector metrics = new GaugeCollector();
        long expected =
                RocksDBMemoryControllerUtils.calculateActualCacheCapacity(
                        BackendHarness.MANAGED_MEMORY_BYTES, 0.5);
        AbstractKeyedStateBackend<String> backend =
                open(
                        Map.of("state.backend.rocksdb.metrics.block-cache-capacity", "true"),
                        List.of(),
                        metrics);
        try {
            useEveryKind(backend);
            assertThat(metrics.gauges).hasSize(READ_BY_KEY.size() + 1);
            metrics.gauges.forEach(GaugeReading::notifyOnce);
            assertThat(metrics.gauges)
                    .allSatisfy(
                            gauge -> assertThat(gauge.value().toString()).isEqualTo("" + expected));
        } finally {
            backend.dispose();
        }
    }

    @ParameterizedTest
    @EnumSource(Snapshot.class)
    void knowsTheKindsOfRestoredStates(Snapshot snapshot) throws Exception {
        Map<String, String> options =
                Map.of(
                        "execution.checkpointing.incremental",
                        "" + (snapshot == Snapshot.INCREMENTAL_CHECKPOINT));
        AbstractKeyedStateBackend<String> stock =
                BackendHarness.open(
                        Make.STOCK.create(BackendHarness.config(directory, options)),
                        Keys.VARIABLE_LENGTH.serializer(),
                        MAX_PARALLELISM,
                        ALL_KEY_GROUPS,
                        List.of());
        KeyedStateHandle handle;
        try {
            useEveryKind(stock);
            handle = BackendHarness.take(snapshot, 1, stock, new SharedStateRegistryImpl());
        } finally {
            stock.dispose();
        }
        AbstractKeyedStateBackend<String> restored =
                open(options, List.of(handle), new UnregisteredMetricsGroup());
        try {
            // Not one state has been registered by an operator yet.
            OptionsFile inEffect = OptionsFile.below(directory);
            for (String state : READ_BY_KEY) {
                assertPartitionedIndex(inEffect, state);
                assertThat(inEffect.table(state, "filter_policy"))
                        .as(state)
                        .startsWith("bloomfilter:10");
            }
            assertPartitionedIndex(inEffect, "timers");
            assertThat(inEffect.table("timers", "filter_policy")).isEqualTo("nullptr");
            // The rest is about the native library, which a build without a C compiler lacks.
            NativeTesting.library(directory);
            assertKeyPrefix(inEffect, "map");
        } finally {
            restored.dispose();
        }
    }

    @Test
    void mapsAreFilteredByKeyToo() throws Exception {
        NativeTesting.library(directory);
        assertKeyPrefix(optionsInEffect(Map.of()), "map");
    }

    @ParameterizedTest
    @CsvSource({
        "native.enabled, false",
        "rocksdb.bloom-filter.bits-per-key, 0",
        "cache.size, 0",
    })
    void nothingIsFilteredByKeyWithout(String option, String value) throws Exception {
        assertNoKeyPrefix(
                optionsInEffect(Map.of(StateAccelOptions.BACKEND_PREFIX + option, value)), "map");
    }

    @Test
    void takesItsOwnOptions() throws Exception {
        OptionsFile options =
                optionsInEffect(
                        Map.of(
                                StateAccelOptions.ROCKSDB_PARTITIONED_INDEX_FILTERS.key(), "false",
                                StateAccelOptions.ROCKSDB_BLOOM_FILTER_BITS_PER_KEY.key(), "0",
                                StateAccelOptions.ROCKSDB_COMPRESSION_PER_LEVEL.key(),
                                        "none;LZ4; zstd"));
        for (String state : READ_BY_KEY) {
            assertThat(options.table(state, "index_type")).isEqualTo("kBinarySearch");
            assertThat(options.table(state, "filter_policy")).isEqualTo("nullptr");
            assertThat(options.columnFamily(state, "compression_per_level"))
                    .isEqualTo("kNoCompression:kLZ4Compression:kZSTD");
        }
    }

    @Test
    void overridesReplaceWhatHoldsForAllKinds() throws Exception {
        OptionsFile options =
                optionsInEffect(
                        Map.of(
                                StateAccelOptions.ROCKSDB_OVERRIDES.key(),
                                "value.bloom-filter.bits-per-key:5,"
                                        + "list.bloom-filter.bits-per-key:0,"
                                        + "map.key-prefix:false,map.block-size:16kb,"
                                        + "reducing.compression-per-level:none;zstd,"
                                        + "aggregating.value-separation.min-size:2kb,"
                                        + "timer.block-size:8kb,timer.compression-per-level:none",
                                "state.backend.rocksdb.use-bloom-filter",
                                "true",
                                "state.backend.rocksdb.compression.per.level",
                                "SNAPPY_COMPRESSION",
                                "state.backend.rocksdb.block.blocksize",
                                "32kb"));
        // Flink's filter has these bits for all.
        assertThat(options.table("map", "filter_policy")).startsWith("bloomfilter:10");
        assertThat(options.table("value", "filter_policy")).startsWith("bloomfilter:5");
        assertThat(options.columnFamily("value", "memtable_whole_key_filtering")).isEqualTo("true");
        assertThat(options.table("list", "filter_policy")).isEqualTo("nullptr");
        assertThat(options.columnFamily("list", "memtable_whole_key_filtering")).isEqualTo("false");
        assertThat(options.columnFamily("reducing", "compression_per_level"))
                .isEqualTo("kNoCompression:kZSTD");
        assertThat(options.columnFamily("timers", "compression_per_level"))
                .isEqualTo("kNoCompression");
        assertThat(options.columnFamily("value", "compression_per_level"))
                .isEqualTo("kSnappyCompression");
        assertThat(options.columnFamily("aggregating", "enable_blob_files")).isEqualTo("true");
        assertThat(options.columnFamily("aggregating", "min_blob_size")).isEqualTo("2048");
        assertThat(options.columnFamily("value", "enable_blob_files")).isEqualTo("false");
        for (String state : List.of("value", "list", "map", "reducing", "aggregating", "timers")) {
            assertThat(options.table(state, "block_size"))
                    .as(state)
                    .isEqualTo(
                            state.equals("map")
                                    ? "16384"
                                    : state.equals("timers") ? "8192" : "32768");
        }
    }

    @Test
    void mapsNeedNotBeFilteredByKey() throws Exception {
        assertNoKeyPrefix(
                optionsInEffect(
                        Map.of(StateAccelOptions.ROCKSDB_OVERRIDES.key(), "map.key-prefix:false")),
                "map");
    }

    @Test
    void stockOptionsThatAreSetKeepTheirMeaning() throws Exception {
        OptionsFile options =
                optionsInEffect(
                        Map.of(
                                "state.backend.rocksdb.memory.partitioned-index-filters", "false",
                                "state.backend.rocksdb.use-bloom-filter", "false",
                                "state.backend.rocksdb.compression.per.level", "SNAPPY_COMPRESSION",
                                "state.backend.rocksdb.block.blocksize", "8kb",
                                "state.backend.rocksdb.writebuffer.size", "3mb"));
        for (String state : READ_BY_KEY) {
            assertThat(options.table(state, "index_type")).isEqualTo("kBinarySearch");
            assertThat(options.table(state, "filter_policy")).isEqualTo("nullptr");
            assertThat(options.table(state, "block_size")).isEqualTo("8192");
            assertThat(options.columnFamily(state, "compression_per_level"))
                    .isEqualTo("kSnappyCompression");
            assertThat(options.columnFamily(state, "write_buffer_size")).isEqualTo("" + (3 << 20));
        }
    }

    @Test
    void aUsersOptionsFactoryHasTheLastWord() throws Exception {
        OptionsFile options =
                optionsInEffect(
                        Map.of(
                                "state.backend.rocksdb.options-factory",
                                ConflictingFactory.class.getName()));
        for (String state : READ_BY_KEY) {
            assertThat(options.table(state, "filter_policy")).startsWith("bloomfilter:3");
            assertThat(options.table(state, "index_type")).isEqualTo("kBinarySearch");
            assertThat(options.table(state, "block_size")).isEqualTo("12345");
            // Flink's own part, which comes after every factory.
            assertThat(options.table(state, "cache_index_and_filter_blocks")).isEqualTo("true");
            assertThat(options.columnFamily(state, "compression_per_level"))
                    .isEqualTo("kNoCompression");
        }
        // It may set an extractor of its own, which we would read by.
        assertNoKeyPrefix(options, "map");
    }

    @Test
    void iteratesInTotalOrderByDefault() throws Exception {
        RocksDBKeyedStateBackend<String> backend =
                (RocksDBKeyedStateBackend<String>)
                        open(Map.of(), List.of(), new UnregisteredMetricsGroup());
        try {
            assertThat(backend.getReadOptions().totalOrderSeek()).isTrue();
        } finally {
            backend.dispose();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "rocksdb.bloom-filter.bits-per-key, -1, between 0",
        "rocksdb.bloom-filter.bits-per-key, 101, 100",
        "rocksdb.bloom-filter.bits-per-key, many, many",
        "rocksdb.partitioned-index-filters, perhaps, perhaps",
        "native.enabled, perhaps, perhaps",
        "rocksdb.compression-per-level, gzip, 'none, snappy, lz4, zstd'",
        "rocksdb.compression-per-level, lz4;gzip, 'gzip'",
        "rocksdb.overrides, timer.memtable:hash-skip-list, 'timer.memtable'"
    })
    void refusesBadOptionsByName(String option, String value, String hint) {
        String key = StateAccelOptions.BACKEND_PREFIX + option;
        Configuration config = BackendHarness.config(directory, Map.of(key, value));
        assertThatThrownBy(() -> Make.ACCELERATED.create(config))
                .hasStackTraceContaining(key)
                .hasStackTraceContaining(hint);
    }

    @Test
    void namesALocalDirectoryThatCannotBeUsed() throws Exception {
        File file = directory.resolve("a-file").toFile();
        assertThat(file.createNewFile()).isTrue();
        Configuration config = new Configuration();
        config.setString("state.backend.rocksdb.localdir", file.getAbsolutePath());
        assertThatThrownBy(
                        () ->
                                BackendHarness.open(
                                        Make.ACCELERATED.create(config),
                                        Keys.VARIABLE_LENGTH.serializer(),
                                        MAX_PARALLELISM,
                                        ALL_KEY_GROUPS,
                                        List.of()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("state.backend.rocksdb.localdir")
                .hasMessageContaining(file.getAbsolutePath());
    }

    private static void assertPartitionedIndex(OptionsFile options, String state) {
        assertThat(options.table(state, "index_type")).as(state).isEqualTo("kTwoLevelIndexSearch");
        assertThat(options.table(state, "pin_top_level_index_and_filter"))
                .as(state)
                .isEqualTo("true");
        assertThat(options.table(state, "cache_index_and_filter_blocks"))
                .as(state)
                .isEqualTo("true");
        assertThat(options.table(state, "cache_index_and_filter_blocks_with_high_priority"))
                .as(state)
                .isEqualTo("true");
    }

    /** Keeps the gauges of RocksDB's properties, which are views. */
    private static final class GaugeCollector extends UnregisteredMetricsGroup {

        private final List<GaugeReading> gauges = new ArrayList<>();

        @Override
        public MetricGroup addGroup(String name) {
            return this;
        }

        @Override
        public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
            if (gauge instanceof View) {
                gauges.add(new GaugeReading(gauge));
            }
            return gauge;
        }
    }

    private record GaugeReading(Gauge<?> gauge) {
        /** Flink fills these gauges when a view update asks it to. */
        void notifyOnce() {
            if (gauge instanceof View view) {
                view.update();
            }
        }

        Object value() {
            return gauge.getValue();
        }
    }

    /** Wants the opposite of the policy. */
    public static final class ConflictingFactory extends UnchangedOptions {

        private static final long serialVersionUID = 1L;

        @Override
        public ColumnFamilyOptions createColumnOptions(
                ColumnFamilyOptions currentOptions, Collection<AutoCloseable> handlesToClose) {
            BloomFilter filter = new BloomFilter(3, false);
            handlesToClose.add(filter);
            BlockBasedTableConfig table =
                    (BlockBasedTableConfig) currentOptions.tableFormatConfig();
            table.setFilterPolicy(filter);
            table.setPartitionFilters(false);
            table.setIndexType(IndexType.kBinarySearch);
            table.setBlockSize(12_345);
            return currentOptions
                    .setTableFormatConfig(table)
                    .setCompressionPerLevel(List.of(CompressionType.NO_COMPRESSION));
        }
    }
}
