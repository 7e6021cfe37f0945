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

import io.stateaccel.rocksdb.batch.BatchAccess;
import io.stateaccel.rocksdb.batch.ReadAhead;
import io.stateaccel.rocksdb.batch.WriteBuffer;
import io.stateaccel.rocksdb.blob.AutomaticSeparation;
import io.stateaccel.rocksdb.blob.BlobGarbage;
import io.stateaccel.rocksdb.cache.CachedStates;
import io.stateaccel.rocksdb.cache.CurrentKey;
import io.stateaccel.rocksdb.cache.StateCacheStatistics;
import io.stateaccel.rocksdb.cache.SubTaskCache;
import io.stateaccel.rocksdb.compaction.SmallFiles;
import io.stateaccel.rocksdb.metrics.BackendMetrics;
import io.stateaccel.views.batch.ReadsAhead;
import java.io.File;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Stream;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.query.TaskKvStateRegistry;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.InternalKeyContext;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.PriorityQueueSetFactory;
import org.apache.flink.runtime.state.SavepointResources;
import org.apache.flink.runtime.state.SerializedCompositeKeyBuilder;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.StreamCompressionDecorator;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSnapshotRestoreWrapper;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.metrics.LatencyTrackingStateConfig;
import org.apache.flink.runtime.state.metrics.SizeTrackingStateConfig;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;
import org.apache.flink.state.rocksdb.RocksDBNativeMetricMonitor;
import org.apache.flink.state.rocksdb.RocksDBResourceContainer;
import org.apache.flink.state.rocksdb.RocksDBWriteBatchWrapper;
import org.apache.flink.state.rocksdb.snapshot.RocksDBSnapshotStrategyBase;
import org.apache.flink.state.rocksdb.sstmerge.RocksDBManualCompactionManager;
import org.apache.flink.state.rocksdb.ttl.RocksDbTtlCompactFiltersManager;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.ResourceGuard;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.FlushOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * Flink's RocksDB backend, which here notes the kind of each state just before Flink creates the
 * state's column family, puts a write-back cache in front of states with one value per key, and
 * gathers what is appended to lists.
 *
 * <p>Whatever reads RocksDB past these (snapshots, savepoints, scans over keys, migration) first
 * has them written back, in the task thread. Everything else, snapshots and state formats included,
 * is {@link RocksDBKeyedStateBackend}'s. Threading and errors are as there.
 *
 * @param <K> the type of the keys
 */
final class StateAccelKeyedStateBackend<K> extends RocksDBKeyedStateBackend<K>
        implements ReadsAhead<K> {

    private final ColumnFamilyOptionsSource columnFamilyOptions;
    private final StateKinds kinds;
    private final Map<String, RocksDbKvStateInfo> states;
    private final CurrentKey<K> currentKey;
    private final BackendMetrics metrics;
    private final BatchAccess batchAccess;

    /** To lists, which RocksDB does not have yet. */
    private final WriteBuffer appends;

    private final Map<String, BatchedListState<K, ?, ?>> lists = new HashMap<>();

    /** Both null when nothing is to be cached. */
    @Nullable private final SubTaskCache cache;

    @Nullable private final CachedStates<K> cachedStates;

    /** Null when no state decides on it for itself. */
    @Nullable private final AutomaticSeparation automaticSeparation;

    /** Null when no values are separated. */
    @Nullable private final BlobGarbage blobGarbage;

    /** Null when RocksDB is to compact level 0 by itself. */
    @Nullable private final SmallFiles smallFiles;

    StateAccelKeyedStateBackend(
            ClassLoader userCodeClassLoader,
            File instanceBasePath,
            RocksDBResourceContainer optionsContainer,
            ColumnFamilyOptionsSource columnFamilyOptions,
            TaskKvStateRegistry kvStateRegistry,
            TypeSerializer<K> keySerializer,
            ExecutionConfig executionConfig,
            TtlTimeProvider ttlTimeProvider,
            LatencyTrackingStateConfig latencyTrackingStateConfig,
            SizeTrackingStateConfig sizeTrackingStateConfig,
            RocksDB db,
            LinkedHashMap<String, RocksDbKvStateInfo> kvStateInformation,
            Map<String, HeapPriorityQueueSnapshotRestoreWrapper<?>> registeredPQStates,
            int keyGroupPrefixBytes,
            CloseableRegistry cancelStreamRegistry,
            StreamCompressionDecorator keyGroupCompressionDecorator,
            ResourceGuard rocksDBResourceGuard,
            RocksDBSnapshotStrategyBase<K, ?> checkpointSnapshotStrategy,
            RocksDBWriteBatchWrapper writeBatchWrapper,
            ColumnFamilyHandle defaultColumnFamilyHandle,
            RocksDBNativeMetricMonitor nativeMetricMonitor,
            SerializedCompositeKeyBuilder<K> sharedRocksKeyBuilder,
            PriorityQueueSetFactory priorityQueueFactory,
            RocksDbTtlCompactFiltersManager ttlCompactFiltersManager,
            InternalKeyContext<K> keyContext,
            long writeBatchSize,
            @Nullable CompletableFuture<Void> asyncCompactFuture,
            RocksDBManualCompactionManager manualCompactionManager,
            StateKinds kinds,
            BackendMetrics metrics,
            BatchAccess batchAccess,
            @Nullable SubTaskCache cache,
            @Nullable AutomaticSeparation automaticSeparation,
            @Nullable BlobGarbage blobGarbage,
            @Nullable SmallFiles smallFiles) {
        super(
                userCodeClassLoader,
                instanceBasePath,
                optionsContainer,
                columnFamilyOptions,
                kvStateRegistry,
                keySerializer,
                executionConfig,
                ttlTimeProvider,
                latencyTrackingStateConfig,
                sizeTrackingStateConfig,
                db,
                kvStateInformation,
                registeredPQStates,
                keyGroupPrefixBytes,
                cancelStreamRegistry,
                keyGroupCompressionDecorator,
                rocksDBResourceGuard,
                checkpointSnapshotStrategy,
                writeBatchWrapper,
                defaultColumnFamilyHandle,
                nativeMetricMonitor,
                sharedRocksKeyBuilder,
                priorityQueueFactory,
                ttlCompactFiltersManager,
                keyContext,
                writeBatchSize,
                asyncCompactFuture,
                manualCompactionManager);
        this.columnFamilyOptions = columnFamilyOptions;
        this.kinds = kinds;
        this.states = kvStateInformation;
        this.metrics = metrics;
        this.batchAccess = batchAccess;
        this.appends = new WriteBuffer(batchAccess, db, optionsContainer.getWriteOptions());
        this.cache = cache;
        this.automaticSeparation = automaticSeparation;
        this.blobGarbage = blobGarbage;
        this.smallFiles = smallFiles;
        this.currentKey = new CurrentKey<>(sharedRocksKeyBuilder);
        this.cachedStates = cache == null ? null : new CachedStates<>(this, currentKey, cache);
    }

    @Nonnull
    @Override
    public <N, SV, SEV, S extends State, IS extends S> IS createOrUpdateInternalState(
            @Nonnull TypeSerializer<N> namespaceSerializer,
            @Nonnull StateDescriptor<S, SV> stateDesc,
            @Nonnull StateSnapshotTransformFactory<SEV> snapshotTransformFactory,
            boolean allowFutureMetadataUpdates)
            throws Exception {
        String name = stateDesc.getName();
        kinds.add(
                name,
                StateKind.of(stateDesc.getType()),
                getKeyGroupPrefixBytes(),
                keySerializer,
                namespaceSerializer);
        // Flink may migrate the stored values to another serializer.
        appends.write();
        if (cache != null) {
            cache.forget(name);
        }
        IS state =
                super.createOrUpdateInternalState(
                        namespaceSerializer,
                        stateDesc,
                        snapshotTransformFactory,
                        allowFutureMetadataUpdates);
        ColumnFamilyHandle columnFamily = show(name);
        boolean cached = cache != null && CachedStates.canCache(stateDesc);
        boolean list = stateDesc.getType() == StateDescriptor.Type.LIST;
        if (automaticSeparation != null) {
            automaticSeparation.add(name, columnFamily, cached || list);
        }
        if (cached) {
            return cachedStates.standInFor(
                    stateDesc,
                    state,
                    columnFamily,
                    columnFamilyOptions.prefixLayout(name).orElse(null),
                    metrics.access(name));
        }
        return list ? batched(name, state, columnFamily) : state;
    }

    private ColumnFamilyHandle show(String stateName) {
        ColumnFamilyHandle columnFamily = states.get(stateName).columnFamilyHandle;
        metrics.show(stateName, columnFamily, columnFamilyOptions.choice(stateName));
        return columnFamily;
    }

    /** The state to hand out instead of Flink's; the one of an earlier call if there was one. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private <IS> IS batched(String stateName, IS plain, ColumnFamilyHandle columnFamily) {
        BatchedListState state =
                lists.computeIfAbsent(
                        stateName,
                        name ->
                                new BatchedListState<>(
                                        this,
                                        currentKey,
                                        db,
                                        appends,
                                        new ReadAhead(batchAccess, metrics.access(name)),
                                        metrics.access(name)));
        state.standInFor((InternalListState) plain, columnFamily);
        return (IS) state;
    }

    @Override
    public void setCurrentKey(K newKey) {
        try {
            super.setCurrentKey(newKey);
        } finally {
            currentKey.changed();
        }
    }

    @Override
    public void setCurrentKeyAndKeyGroup(K newKey, int newKeyGroupIndex) {
        try {
            super.setCurrentKeyAndKeyGroup(newKey, newKeyGroupIndex);
        } finally {
            currentKey.changed();
        }
    }

    @Override
    public void readAhead(String stateName, List<? extends K> keys) throws RocksDBException {
        BatchedListState<K, ?, ?> list = lists.get(stateName);
        if (list != null) {
            list.readAhead(keys);
        } else if (cachedStates != null) {
            cachedStates.readAhead(stateName, keys);
        }
    }

    /** What the cache of a state has done; empty when the state is not cached. */
    public Optional<StateCacheStatistics> cacheStatistics(String stateName) {
        return cache == null ? Optional.empty() : cache.statistics(stateName);
    }

    @Nonnull
    @Override
    public RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot(
            long checkpointId,
            long timestamp,
            @Nonnull CheckpointStreamFactory streamFactory,
            @Nonnull CheckpointOptions checkpointOptions)
            throws Exception {
        writeBack();
        if (automaticSeparation != null) {
            automaticSeparation.review();
        }
        if (blobGarbage != null) {
            blobGarbage.bound(states);
        }
        if (smallFiles != null) {
            smallFiles.gather(states);
        }
        return super.snapshot(checkpointId, timestamp, streamFactory, checkpointOptions);
    }

    @Nonnull
    @Override
    public SavepointResources<K> savepoint() throws Exception {
        writeBack();
        flushHashMemtables();
        return super.savepoint();
    }

    /**
     * The iterators of canonical savepoints see nothing of them, see {@link ColumnFamilyPolicy}.
     */
    private void flushHashMemtables() throws RocksDBException {
        List<ColumnFamilyHandle> columnFamilies =
                states.entrySet().stream()
                        .filter(state -> columnFamilyOptions.hasHashMemtable(state.getKey()))
                        .map(state -> state.getValue().columnFamilyHandle)
                        .toList();
        if (!columnFamilies.isEmpty()) {
            try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
                db.flush(flush, columnFamilies);
            }
        }
    }

    @Override
    public <N> Stream<K> getKeys(String state, N namespace) {
        writeBackBeforeScan();
        return super.getKeys(state, namespace);
    }

    @Override
    public <N> Stream<K> getKeys(List<String> states, N namespace) {
        writeBackBeforeScan();
        return super.getKeys(states, namespace);
    }

    @Override
    public <N> Stream<Tuple2<K, N>> getKeysAndNamespaces(String state) {
        writeBackBeforeScan();
        return super.getKeysAndNamespaces(state);
    }

    @Override
    public int numKeyValueStateEntries() {
        writeBackBeforeScan();
        return super.numKeyValueStateEntries();
    }

    @Override
    public void compactState(StateDescriptor<?, ?> stateDesc) throws RocksDBException {
        writeBackBeforeScan();
        super.compactState(stateDesc);
    }

    @Override
    public void dispose() {
        if (cache != null) {
            cache.close();
        }
        metrics.close();
        super.dispose();
    }

    private void writeBack() throws IOException {
        try {
            appends.write();
        } catch (RocksDBException e) {
            throw new IOException("Could not append to lists in RocksDB.", e);
        }
        if (cache != null) {
            cache.writeBack();
        }
    }

    private void writeBackBeforeScan() {
        try {
            writeBack();
        } catch (IOException e) {
            throw new FlinkRuntimeException(e);
        }
    }

    @Override
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> create(
                    @Nonnull String stateName,
                    @Nonnull TypeSerializer<T> byteOrderedElementSerializer,
                    boolean allowFutureMetadataUpdates) {
        kinds.add(stateName, StateKind.TIMER);
        KeyGroupedInternalPriorityQueue<T> timers =
                super.create(stateName, byteOrderedElementSerializer, allowFutureMetadataUpdates);
        // Timers on the heap have no column family.
        if (states.containsKey(stateName)) {
            show(stateName);
        }
        return timers;
    }
}
