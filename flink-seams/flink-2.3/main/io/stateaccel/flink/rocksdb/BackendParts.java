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
package io.stateaccel.flink.rocksdb;

import io.stateaccel.flink.rocksdb.FlinkStateBackend.StateTracking;
import java.io.File;
import java.util.LinkedHashMap;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.CompositeKeySerializationUtils;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;
import org.apache.flink.runtime.state.StateSerializerProvider;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSnapshotRestoreWrapper;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend.RocksDbKvStateInfo;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackendBuilder;
import org.apache.flink.state.rocksdb.RocksDBResourceContainer;
import org.apache.flink.state.rocksdb.ttl.RocksDbTtlCompactFiltersManager;
import org.apache.flink.util.MdcUtils;
import org.apache.flink.util.ResourceGuard;
import org.rocksdb.ColumnFamilyOptions;

/**
 * What a keyed backend is made of before there is a database: what its restore operation gets, and
 * then the backend itself. Used by the task thread only.
 *
 * @param parameters what Flink asks for
 * @param tracking metrics of the accesses to states
 * @param resources RocksDB's options and the memory that it shares
 * @param columnFamilyOptions by the name of the state
 * @param instanceBasePath of this backend alone
 * @param settings from Flink's options
 * @param keySerializerProvider of the serializer in use, which restoring may reconfigure
 * @param ioExecutor for what need not be done in the task thread
 * @param states by name; filled by the restore operation and by the backend
 * @param heapTimers by name, where timers are on the heap; filled as {@code states} is
 * @param cancellation of what the backend does; closed with it
 * @param resourceGuard keeps the database open while it is used
 * @param ttlFilters drop expired state in compactions
 * @param <K> the type of the keys
 */
public record BackendParts<K>(
        KeyedStateBackendParameters<K> parameters,
        StateTracking tracking,
        RocksDBResourceContainer resources,
        Function<String, ColumnFamilyOptions> columnFamilyOptions,
        File instanceBasePath,
        StockSettings settings,
        StateSerializerProvider<K> keySerializerProvider,
        ExecutorService ioExecutor,
        LinkedHashMap<String, RocksDbKvStateInfo> states,
        LinkedHashMap<String, HeapPriorityQueueSnapshotRestoreWrapper<?>> heapTimers,
        CloseableRegistry cancellation,
        ResourceGuard resourceGuard,
        RocksDbTtlCompactFiltersManager ttlFilters) {

    /** The parts of a backend without states. */
    public static <K> BackendParts<K> of(
            KeyedStateBackendParameters<K> parameters,
            StateTracking tracking,
            RocksDBResourceContainer resources,
            Function<String, ColumnFamilyOptions> columnFamilyOptions,
            File instanceBasePath,
            StockSettings settings) {
        Environment env = parameters.getEnv();
        return new BackendParts<>(
                parameters,
                tracking,
                resources,
                columnFamilyOptions,
                instanceBasePath,
                settings,
                StateSerializerProvider.fromNewRegisteredSerializer(parameters.getKeySerializer()),
                MdcUtils.scopeToJob(env.getJobID(), env.getIOManager().getExecutorService()),
                new LinkedHashMap<>(),
                new LinkedHashMap<>(),
                new CloseableRegistry(),
                new ResourceGuard(),
                RestoreOperations.ttlFilters(parameters.getTtlTimeProvider(), resources));
    }

    /** Where the database is, below the base path. */
    public File databasePath() {
        return RocksDBKeyedStateBackendBuilder.getInstanceRocksDBPath(instanceBasePath);
    }

    /** The length of the key group in RocksDB's keys. */
    public int keyGroupPrefixBytes() {
        return CompositeKeySerializationUtils.computeRequiredBytesInKeyGroupPrefix(
                parameters.getNumberOfKeyGroups());
    }

    public ClassLoader userCodeClassLoader() {
        return parameters.getEnv().getUserCodeClassLoader().asClassLoader();
    }
}
