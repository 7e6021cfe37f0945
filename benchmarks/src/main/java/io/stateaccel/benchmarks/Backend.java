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
package io.stateaccel.benchmarks;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.rocksdb.StateAccelRocksDBStateBackend;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.state.rocksdb.RocksDBOptions;

/** Where an operator keeps its state. */
public enum Backend {
    /** Flink's RocksDB backend as it is shipped. */
    STOCK_ROCKSDB(EmbeddedRocksDBStateBackend::new, Map.of()),

    /** Flink's, with partitioned index and filters. */
    STOCK_PARTITIONED(
            EmbeddedRocksDBStateBackend::new,
            Map.of(RocksDBOptions.USE_PARTITIONED_INDEX_FILTERS.key(), "true")),

    /** Ours, with default options. */
    ACCELERATED_ROCKSDB(StateAccelRocksDBStateBackend::new, Map.of()),

    /**
     * RocksDB as we set it up and read it: ours with a state cache that holds next to nothing and
     * steps aside. Not {@link #UNCACHED}, whose states are Flink's own.
     */
    LAYER(StateAccelRocksDBStateBackend::new, barelyCached(Map.of())),

    /** As {@link #LAYER}, without the native library. */
    LAYER_JAVA(
            StateAccelRocksDBStateBackend::new,
            barelyCached(Map.of(StateAccelOptions.NATIVE_ENABLED.key(), "false"))),

    /** As {@link #LAYER}, with one index and one filter for each file. */
    LAYER_WHOLE_INDEXES(
            StateAccelRocksDBStateBackend::new,
            barelyCached(
                    Map.of(StateAccelOptions.ROCKSDB_PARTITIONED_INDEX_FILTERS.key(), "false"))),

    /** As {@link #LAYER}, without the bloom filter. */
    LAYER_UNFILTERED(
            StateAccelRocksDBStateBackend::new,
            barelyCached(Map.of(StateAccelOptions.ROCKSDB_BLOOM_FILTER_BITS_PER_KEY.key(), "0"))),

    /** As {@link #LAYER}, with Flink's compression. */
    LAYER_SNAPPY(
            StateAccelRocksDBStateBackend::new,
            barelyCached(Map.of(StateAccelOptions.ROCKSDB_COMPRESSION_PER_LEVEL.key(), "snappy"))),

    /** As {@link #LAYER}, without compression. */
    LAYER_UNCOMPRESSED(
            StateAccelRocksDBStateBackend::new,
            barelyCached(Map.of(StateAccelOptions.ROCKSDB_COMPRESSION_PER_LEVEL.key(), "none"))),

    /** As {@link #LAYER}, with blocks half as long. */
    LAYER_BLOCKS_OF_2K(
            StateAccelRocksDBStateBackend::new, barelyCached(ofEachKind("block-size:2kb"))),

    /** As {@link #LAYER}, with blocks four times as long. */
    LAYER_BLOCKS_OF_16K(
            StateAccelRocksDBStateBackend::new, barelyCached(ofEachKind("block-size:16kb"))),

    /** As {@link #LAYER}, with memtables of hashed linked lists. */
    LAYER_HASH_LINKED_LISTS(
            StateAccelRocksDBStateBackend::new,
            barelyCached(ofEachKind("memtable:hash-linked-list"))),

    /** As {@link #LAYER}, with memtables of hashed skip lists. */
    LAYER_HASH_SKIP_LISTS(
            StateAccelRocksDBStateBackend::new,
            barelyCached(ofEachKind("memtable:hash-skip-list"))),

    /** Ours with the state cache switched off, so that states are Flink's own. */
    UNCACHED(StateAccelRocksDBStateBackend::new, Map.of(StateAccelOptions.CACHE_SIZE.key(), "0")),

    /**
     * Objects on the heap: what an operator costs without serialisation, native calls and files.
     */
    HEAP(HashMapStateBackend::new, Map.of());

    private final Supplier<ConfigurableStateBackend> type;
    private final Map<String, String> options;

    Backend(Supplier<ConfigurableStateBackend> type, Map<String, String> options) {
        this.type = type;
        this.options = options;
    }

    private static Map<String, String> barelyCached(Map<String, String> options) {
        Map<String, String> all = new HashMap<>(options);
        all.put(StateAccelOptions.CACHE_SIZE.key(), "64kb");
        return all;
    }

    private static Map<String, String> ofEachKind(String override) {
        return Map.of(
                StateAccelOptions.ROCKSDB_OVERRIDES.key(),
                Stream.of("value", "list", "map")
                        .map(kind -> kind + "." + override)
                        .collect(Collectors.joining(",")));
    }

    /**
     * @param directory for the files of RocksDB
     * @param memory block cache and write buffers of RocksDB together
     */
    StateBackend create(Path directory, MemorySize memory) {
        return create(directory, memory, Map.of());
    }

    /**
     * @param directory for the files of RocksDB
     * @param memory block cache and write buffers of RocksDB together
     * @param others options beside those of this backend
     */
    StateBackend create(Path directory, MemorySize memory, Map<String, String> others) {
        Configuration config = Configuration.fromMap(options);
        others.forEach(config::setString);
        config.set(RocksDBOptions.LOCAL_DIRECTORIES, directory.toString());
        config.set(RocksDBOptions.FIX_PER_SLOT_MEMORY_SIZE, memory);
        return type.get().configure(config, Backend.class.getClassLoader());
    }
}
