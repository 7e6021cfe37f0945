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

import java.util.concurrent.CompletableFuture;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSetFactory;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.state.rocksdb.RocksDBResourceContainer;
import org.apache.flink.state.rocksdb.restore.RocksDBFullRestoreOperation;
import org.apache.flink.state.rocksdb.restore.RocksDBHeapTimersFullRestoreOperation;
import org.apache.flink.state.rocksdb.restore.RocksDBIncrementalRestoreOperation;
import org.apache.flink.state.rocksdb.restore.RocksDBRestoreOperation;
import org.apache.flink.state.rocksdb.restore.RocksDBRestoreResult;
import org.apache.flink.state.rocksdb.ttl.RocksDbTtlCompactFiltersManager;
import org.apache.flink.util.CollectionUtil;

/** Flink's operations that restore a database, as this line of Flink has them. */
public final class RestoreOperations {

    private RestoreOperations() {}

    static RocksDbTtlCompactFiltersManager ttlFilters(
            TtlTimeProvider clock, RocksDBResourceContainer resources) {
        return new RocksDbTtlCompactFiltersManager(clock);
    }

    /**
     * Restores files of RocksDB.
     *
     * @param useIngestDbRestoreMode whether merging restores import SST files
     */
    public static <K> RocksDBRestoreOperation ofFiles(
            BackendParts<K> parts, boolean useIngestDbRestoreMode) {
        KeyedStateBackendParameters<K> parameters = parts.parameters();
        return new RocksDBIncrementalRestoreOperation<>(
                parameters.getOperatorIdentifier(),
                parameters.getKeyGroupRange(),
                parts.keyGroupPrefixBytes(),
                parts.settings().transferThreads(),
                parameters.getCancelStreamRegistry(),
                parts.userCodeClassLoader(),
                parts.states(),
                parts.keySerializerProvider(),
                parts.instanceBasePath(),
                parts.databasePath(),
                parts.resources().getDbOptions(),
                parts.columnFamilyOptions(),
                parts.settings().metrics(),
                parameters.getMetricGroup(),
                parameters.getCustomInitializationMetrics(),
                CollectionUtil.checkedSubTypeCast(
                        parameters.getStateHandles(), IncrementalKeyedStateHandle.class),
                parts.ttlFilters(),
                parts.settings().writeBatchSize(),
                parts.resources().getWriteBufferManagerCapacity(),
                parts.settings().overlapFractionThreshold(),
                useIngestDbRestoreMode,
                parts.settings().asyncCompactAfterRescale(),
                parts.settings().useDeleteFilesInRange(),
                parts.ioExecutor());
    }

    /** Restores keys and values, and timers with them. */
    public static <K> RocksDBRestoreOperation ofEntries(BackendParts<K> parts) {
        KeyedStateBackendParameters<K> parameters = parts.parameters();
        return new RocksDBFullRestoreOperation<>(
                parameters.getKeyGroupRange(),
                parts.userCodeClassLoader(),
                parts.states(),
                parts.keySerializerProvider(),
                parts.databasePath(),
                parts.resources().getDbOptions(),
                parts.columnFamilyOptions(),
                parts.settings().metrics(),
                parameters.getMetricGroup(),
                parameters.getStateHandles(),
                parts.ttlFilters(),
                parts.settings().writeBatchSize(),
                parts.resources().getWriteBufferManagerCapacity());
    }

    /** Restores keys and values, and timers to the heap. */
    public static <K> RocksDBRestoreOperation ofEntries(
            BackendParts<K> parts, HeapPriorityQueueSetFactory heapTimers) {
        KeyedStateBackendParameters<K> parameters = parts.parameters();
        return new RocksDBHeapTimersFullRestoreOperation<>(
                parameters.getKeyGroupRange(),
                parameters.getNumberOfKeyGroups(),
                parts.userCodeClassLoader(),
                parts.states(),
                parts.heapTimers(),
                heapTimers,
                parts.keySerializerProvider(),
                parts.databasePath(),
                parts.resources().getDbOptions(),
                parts.columnFamilyOptions(),
                parts.settings().metrics(),
                parameters.getMetricGroup(),
                parameters.getStateHandles(),
                parts.ttlFilters(),
                parts.settings().writeBatchSize(),
                parts.resources().getWriteBufferManagerCapacity());
    }

    /** The compaction that follows a restore, which is begun here; null where there is none. */
    @Nullable
    public static CompletableFuture<Void> compactionAfter(
            RocksDBRestoreResult restored, BackendParts<?> parts) {
        return restored.getAsyncCompactAfterRestoreFuture().orElse(null);
    }
}
