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

import io.stateaccel.rocksdb.StateAccelRocksDBStateBackend;
import java.nio.file.Path;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.state.rocksdb.RocksDBOptions;

/** Where an operator keeps its state. */
public enum Backend {
    /** Flink's RocksDB backend. */
    STOCK_ROCKSDB,

    /** Ours. */
    ACCELERATED_ROCKSDB,

    /**
     * Objects on the heap: what an operator costs without serialisation, native calls and files.
     */
    HEAP;

    /**
     * @param directory for the files of RocksDB
     * @param memory block cache and write buffers of RocksDB together
     * @param options what else is to be configured
     */
    StateBackend create(Path directory, MemorySize memory, Map<String, String> options) {
        Configuration config = Configuration.fromMap(options);
        config.set(RocksDBOptions.LOCAL_DIRECTORIES, directory.toString());
        config.set(RocksDBOptions.FIX_PER_SLOT_MEMORY_SIZE, memory);
        ClassLoader classLoader = Backend.class.getClassLoader();
        return switch (this) {
            case STOCK_ROCKSDB -> new EmbeddedRocksDBStateBackend().configure(config, classLoader);
            case ACCELERATED_ROCKSDB ->
                    new StateAccelRocksDBStateBackend().configure(config, classLoader);
            case HEAP -> new HashMapStateBackend();
        };
    }
}
