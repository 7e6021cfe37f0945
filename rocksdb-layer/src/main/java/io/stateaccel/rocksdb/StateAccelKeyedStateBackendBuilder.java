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

import io.stateaccel.flink.rocksdb.BackendParts;
import io.stateaccel.flink.rocksdb.FlinkStateBackend.StateTracking;
import io.stateaccel.flink.rocksdb.OpenDatabase;
import io.stateaccel.flink.rocksdb.RestoreOperations;
import io.stateaccel.metrics.AcceleratorMetrics;
import io.stateaccel.rocksdb.batch.BatchAccess;
import io.stateaccel.rocksdb.batch.BatchAccesses;
import io.stateaccel.rocksdb.blob.AutomaticSeparation;
import io.stateaccel.rocksdb.blob.BlobFiles;
import io.stateaccel.rocksdb.blob.BlobGarbage;
import io.stateaccel.rocksdb.blob.BlobSharingSnapshotStrategy;
import io.stateaccel.rocksdb.blob.ValueSeparation;
import io.stateaccel.rocksdb.cache.SlotCacheBudget;
import io.stateaccel.rocksdb.cache.SubTaskCache;
import io.stateaccel.rocksdb.compaction.SmallFiles;
import io.stateaccel.rocksdb.jni.NativeLibrary;
import io.stateaccel.rocksdb.metrics.BackendMetrics;
import io.stateaccel.rocksdb.prefix.PrefixReaders;
import io.stateaccel.rocksdb.store.RocksDBStores;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.runtime.state.BackendBuildingException;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.PriorityQueueSetFactory;
import org.apache.flink.runtime.state.SerializedCompositeKeyBuilder;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSetFactory;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend.PriorityQueueStateType;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend.RocksDbKvStateInfo;
import org.apache.flink.state.rocksdb.RocksDBNativeMetricMonitor;
import org.apache.flink.state.rocksdb.RocksDBOperationUtils;
import org.apache.flink.state.rocksdb.RocksDBResourceContainer;
import org.apache.flink.state.rocksdb.RocksDBStateDataTransferHelper;
import org.apache.flink.state.rocksdb.RocksDBStateUploader;
import org.apache.flink.state.rocksdb.RocksDBWriteBatchWrapper;
import org.apache.flink.state.rocksdb.StateAccelRocksDBAccess;
import org.apache.flink.state.rocksdb.restore.RocksDBIncrementalRestoreOperation;
import org.apache.flink.state.rocksdb.restore.RocksDBNoneRestoreOperation;
import org.apache.flink.state.rocksdb.restore.RocksDBRestoreOperation;
import org.apache.flink.state.rocksdb.restore.RocksDBRestoreResult;
import org.apache.flink.state.rocksdb.snapshot.RocksDBSnapshotStrategyBase;
import org.apache.flink.state.rocksdb.snapshot.RocksIncrementalSnapshotStrategy;
import org.apache.flink.state.rocksdb.snapshot.RocksNativeFullSnapshotStrategy;
import org.apache.flink.state.rocksdb.sstmerge.RocksDBManualCompactionManager;
import org.apache.flink.util.CollectionUtil;
import org.apache.flink.util.FileUtils;
import org.apache.flink.util.IOUtils;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.RocksDB;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens or restores RocksDB and wires Flink's restore operation, snapshot strategy, timers and
 * metrics into a {@link StateAccelKeyedStateBackend}.
 *
 * <p>This follows the steps of Flink's {@code RocksDBKeyedStateBackendBuilder}, which cannot be
 * reused: its settings are package-private and it always returns the stock backend. The parts it
 * wires are Flink's own and unchanged, but for the incremental checkpoints of a database with blob
 * files ({@link BlobSharingSnapshotStrategy}). On any failure all native objects are closed and the
 * instance's directory is deleted. Not thread-safe; builds once.
 *
 * @param <K> the type of the keys
 */
final class StateAccelKeyedStateBackendBuilder<K> {

    private static final Logger LOG =
            LoggerFactory.getLogger(StateAccelKeyedStateBackendBuilder.class);

    private static final int HEAP_TIMERS_MINIMUM_CAPACITY = 128;
    private static final int INITIAL_KEY_BUFFER_BYTES = 32;

    private final KeyedStateBackendParameters<K> parameters;
    private final ColumnFamilyOptionsSource columnFamilyOptions;
    private final StateKinds kinds;
    @Nullable private final NativeLibrary nativeLibrary;
    private final RocksDBSettings settings;
    private final RocksDBResourceContainer resources;

    /** Closed here if building fails. */
    private final BackendParts<K> parts;

    /**
     * @param columnFamilyOptions asked for those of {@code resources}
     */
    StateAccelKeyedStateBackendBuilder(
            KeyedStateBackendParameters<K> parameters,
            StateTracking tracking,
            File instanceBasePath,
            RocksDBResourceContainer resources,
            ColumnFamilyOptionsSource columnFamilyOptions,
            StateKinds kinds,
            @Nullable NativeLibrary nativeLibrary,
            RocksDBSettings settings) {
        this.parameters = parameters;
        this.columnFamilyOptions = columnFamilyOptions;
        this.kinds = kinds;
        this.nativeLibrary = nativeLibrary;
        this.settings = settings;
        this.resources = resources;
        this.parts =
                BackendParts.of(
                        parameters,
                        tracking,
                        resources,
                        columnFamilyOptions,
                        instanceBasePath,
                        settings.stock());
    }

    StateAccelKeyedStateBackend<K> build() throws BackendBuildingException {
        RocksDBRestoreOperation restoreOperation = null;
        RocksDBRestoreResult restored = null;
        RocksDBWriteBatchWrapper writeBatch = null;
        RocksDBSnapshotStrategyBase<K, ?> snapshotStrategy = null;
        BackendMetrics metrics = null;
        try {
            RestoredRanges.check(
                    parameters.getOperatorIdentifier(), nonNullHandles(), settings.keyGroupCheck());
            ManifestCheck.check(
                    parameters.getOperatorIdentifier(),
                    nonNullHandles(),
                    settings.manifestCheck(),
                    parameters.getCancelStreamRegistry());
            prepareDirectories();
            kinds.addRestored(
                    parts.keyGroupPrefixBytes(),
                    nonNullHandles(),
                    parts.userCodeClassLoader(),
                    parameters.getCancelStreamRegistry());
            boolean restoresBlobFiles = BlobFiles.areIn(nonNullHandles());
            if (restoresBlobFiles) {
                columnFamilyOptions.expectBlobFiles();
            }
            FlushThreads.haveOnePerCore();
            restoreOperation = restoreOperation(restoresBlobFiles);
            restored = restoreOperation.restore();
            RocksDB db = restored.getDb();
            CompletableFuture<Void> asyncCompaction =
                    RestoreOperations.compactionAfter(restored, parts);

            writeBatch =
                    new RocksDBWriteBatchWrapper(
                            db, resources.getWriteOptions(), parts.settings().writeBatchSize());
            // Only now: restoring may have reconfigured the key serializer.
            SerializedCompositeKeyBuilder<K> keyBuilder =
                    new SerializedCompositeKeyBuilder<>(
                            parts.keySerializerProvider().currentSchemaSerializer(),
                            parts.keyGroupPrefixBytes(),
                            INITIAL_KEY_BUFFER_BYTES);
            snapshotStrategy =
                    snapshotStrategy(
                            restored,
                            restoreOperation instanceof RocksDBIncrementalRestoreOperation,
                            restoresBlobFiles);
            RocksDBManualCompactionManager manualCompaction =
                    RocksDBManualCompactionManager.create(
                            db, parts.settings().manualCompaction(), parts.ioExecutor());
            PriorityQueueSetFactory timers = timers(restored, writeBatch, manualCompaction);

            metrics =
                    new BackendMetrics(
                            operatorMetrics(),
                            db,
                            parts.resourceGuard(),
                            parts.instanceBasePath().toPath(),
                            nativeLibrary != null,
                            settings.acceleratorMetrics() ? settings.sampleInterval() : 0);

            StateAccelKeyedStateBackend<K> backend =
                    new StateAccelKeyedStateBackend<>(
                            parts,
                            new OpenDatabase<>(
                                    restored,
                                    snapshotStrategy,
                                    writeBatch,
                                    keyBuilder,
                                    timers,
                                    manualCompaction,
                                    asyncCompaction),
                            additions(db, metrics));
            LOG.info(
                    "[state-accel] RocksDB keyed state backend built at {}",
                    parts.instanceBasePath());
            return backend;
        } catch (Throwable failure) {
            boolean cancelled = parameters.getCancelStreamRegistry().isClosed();
            // Logged before closing, which may block or fail in its turn.
            if (cancelled) {
                LOG.info("[state-accel] building the RocksDB state backend was cancelled");
            } else {
                LOG.warn("[state-accel] building the RocksDB state backend failed", failure);
            }
            IOUtils.closeQuietly(metrics);
            closeAll(restoreOperation, restored, writeBatch, snapshotStrategy);
            if (failure instanceof BackendBuildingException buildingFailure) {
                throw buildingFailure;
            }
            throw cancelled
                    ? new BackendBuildingException(
                            "Task was cancelled", new CancelTaskException(failure))
                    : new BackendBuildingException(
                            "Could not build the RocksDB state backend: " + failure.getMessage(),
                            failure);
        }
    }

    private Additions additions(RocksDB db, BackendMetrics metrics) {
        BatchAccess batchAccess =
                BatchAccesses.create(
                        nativeLibrary, db, resources.getReadOptions(), resources.getWriteOptions());
        RocksDBStores stores =
                new RocksDBStores(
                        db,
                        resources.getWriteOptions(),
                        batchAccess,
                        PrefixReaders.create(nativeLibrary, db, resources.getReadOptions()));
        List<BeforeSnapshot> beforeSnapshot = new ArrayList<>();
        AutomaticSeparation automaticSeparation = automaticSeparation(db, metrics);
        if (automaticSeparation != null) {
            beforeSnapshot.add(states -> automaticSeparation.review());
        }
        if (boundsBlobGarbage()) {
            beforeSnapshot.add(new BlobGarbage(db, settings.valueSeparation())::bound);
        }
        if (gathersSmallFiles()) {
            beforeSnapshot.add(smallFiles(db)::gather);
        }
        beforeSnapshot.add(new FlushAhead(db)::start);
        return new Additions(
                kinds,
                columnFamilyOptions,
                metrics,
                stores,
                settings.cacheSize().taskManagerBytes() == 0 ? null : cache(stores),
                automaticSeparation,
                beforeSnapshot);
    }

    /** Nothing is taken from the slot's budget before the first state is cached. */
    private SubTaskCache cache(RocksDBStores stores) {
        return new SubTaskCache(
                parameters.getOperatorIdentifier(),
                SlotCacheBudget.of(parameters.getEnv().getMemoryManager(), settings.cacheSize()),
                settings.cacheBypassHitRatio(),
                stores,
                operatorMetrics());
    }

    private MetricGroup operatorMetrics() {
        return AcceleratorMetrics.ofOperator(
                parameters.getMetricGroup(), settings.acceleratorMetrics());
    }

    private void prepareDirectories() throws IOException {
        File instanceBasePath = parts.instanceBasePath();
        if (parts.databasePath().exists()) {
            // Left by a backend that crashed before it could clean up.
            FileUtils.deleteDirectory(instanceBasePath);
        }
        if (!instanceBasePath.isDirectory() && !instanceBasePath.mkdirs()) {
            throw new IOException(
                    "Could not create the RocksDB data directory " + instanceBasePath);
        }
    }

    private List<KeyedStateHandle> nonNullHandles() {
        return parameters.getStateHandles().stream().filter(handle -> handle != null).toList();
    }

    @Nullable
    private AutomaticSeparation automaticSeparation(RocksDB db, BackendMetrics metrics) {
        if (!settings.valueSeparation().isAutomatic()) {
            return null;
        }
        if (columnFamilyOptions.userMayChangeOptions()) {
            LOG.info(
                    "[state-accel] no automatic value separation: it is up to the"
                            + " RocksDBOptionsFactory");
            return null;
        }
        return new AutomaticSeparation(db, settings.valueSeparation(), metrics);
    }

    /** With a factory of the user's RocksDB goes by the options that this one sets. */
    private boolean boundsBlobGarbage() {
        return settings.valueSeparation().mayBeOn() && !columnFamilyOptions.userMayChangeOptions();
    }

    private boolean gathersSmallFiles() {
        return settings.level0MaxFiles() > SmallFiles.STOCK_TRIGGER
                && !columnFamilyOptions.userMayChangeOptions();
    }

    /** Garbage in blob files goes when files of keys are compacted. */
    private SmallFiles smallFiles(RocksDB db) {
        ValueSeparation separation = settings.valueSeparation();
        return new SmallFiles(
                db,
                settings.level0MaxFiles(),
                name ->
                        kinds.get(name) != StateKind.LIST
                                && (separation.isForcedFor(name)
                                        || separation.isAutomaticFor(name)));
    }

    private RocksDBRestoreOperation restoreOperation(boolean restoresBlobFiles) {
        Collection<KeyedStateHandle> handles = parameters.getStateHandles();
        if (CollectionUtil.isEmptyOrAllElementsNull(handles)) {
            return new RocksDBNoneRestoreOperation<>(
                    parts.states(),
                    parts.databasePath(),
                    resources.getDbOptions(),
                    columnFamilyOptions,
                    parts.settings().metrics(),
                    parameters.getMetricGroup(),
                    parts.ttlFilters(),
                    resources.getWriteBufferManagerCapacity());
        }
        if (handles.iterator().next() instanceof IncrementalKeyedStateHandle) {
            return RestoreOperations.ofFiles(parts, useIngestDbRestoreMode(restoresBlobFiles));
        }
        return timersAreOnHeap()
                ? RestoreOperations.ofEntries(parts, heapTimersFactory())
                : RestoreOperations.ofEntries(parts);
    }

    private RocksDBSnapshotStrategyBase<K, ?> snapshotStrategy(
            RocksDBRestoreResult restored,
            boolean restoredIncrementally,
            boolean restoresBlobFiles) {
        // Continuing the restored checkpoint's line lets the next one share its files.
        UUID backendId = restoredIncrementally ? restored.getBackendUID() : UUID.randomUUID();
        TypeSerializer<K> keySerializer = parts.keySerializerProvider().currentSchemaSerializer();
        LocalRecoveryConfig localRecovery =
                parameters.getEnv().getTaskStateManager().createLocalRecoveryConfig();
        RocksDBStateUploader uploader =
                new RocksDBStateUploader(
                        RocksDBStateDataTransferHelper.forThreadNumIfSpecified(
                                parts.settings().transferThreads(), parts.ioExecutor()));
        if (!parts.settings().incrementalCheckpoints()) {
            return new RocksNativeFullSnapshotStrategy<>(
                    restored.getDb(),
                    parts.resourceGuard(),
                    keySerializer,
                    parts.states(),
                    parameters.getKeyGroupRange(),
                    parts.keyGroupPrefixBytes(),
                    localRecovery,
                    parts.instanceBasePath(),
                    backendId,
                    uploader);
        }
        SortedMap<Long, Collection<HandleAndLocalPath>> uploadedFiles =
                restoredIncrementally ? restored.getRestoredSstFiles() : new TreeMap<>();
        long lastCompletedCheckpointId =
                restoredIncrementally ? restored.getLastCompletedCheckpointId() : -1L;
        if (settings.valueSeparation().mayBeOn()
                || restoresBlobFiles
                || columnFamilyOptions.userMayChangeOptions()) {
            return new BlobSharingSnapshotStrategy<>(
                    restored.getDb(),
                    parts.resourceGuard(),
                    keySerializer,
                    parts.states(),
                    parameters.getKeyGroupRange(),
                    parts.keyGroupPrefixBytes(),
                    localRecovery,
                    parts.instanceBasePath(),
                    backendId,
                    uploadedFiles,
                    uploader,
                    lastCompletedCheckpointId);
        }
        return new RocksIncrementalSnapshotStrategy<>(
                restored.getDb(),
                parts.resourceGuard(),
                keySerializer,
                parts.states(),
                parameters.getKeyGroupRange(),
                parts.keyGroupPrefixBytes(),
                localRecovery,
                parts.instanceBasePath(),
                backendId,
                uploadedFiles,
                uploader,
                lastCompletedCheckpointId);
    }

    /**
     * RocksDB exports and imports SST files only, not the blob files that these refer to. Those may
     * be in the snapshot, or come from compactions of what is to be exported.
     */
    private boolean useIngestDbRestoreMode(boolean restoresBlobFiles) {
        if (parts.settings().useIngestDbRestoreMode()
                && (restoresBlobFiles || settings.valueSeparation().isForced())) {
            LOG.info(
                    "[state-accel] {} blob files, which"
                            + " state.backend.rocksdb.use-ingest-db-restore-mode does not carry"
                            + " over: restoring without it",
                    restoresBlobFiles ? "the snapshot has" : "the restore may make");
            return false;
        }
        return parts.settings().useIngestDbRestoreMode();
    }

    private PriorityQueueSetFactory timers(
            RocksDBRestoreResult restored,
            RocksDBWriteBatchWrapper writeBatch,
            RocksDBManualCompactionManager manualCompaction) {
        return timersAreOnHeap()
                ? heapTimersFactory()
                : StateAccelRocksDBAccess.createPriorityQueueSetFactory(
                        parameters.getKeyGroupRange(),
                        parts.keyGroupPrefixBytes(),
                        parameters.getNumberOfKeyGroups(),
                        parts.states(),
                        restored.getDb(),
                        resources,
                        writeBatch,
                        restored.getNativeMetricMonitor(),
                        columnFamilyOptions,
                        parts.settings().timers().getRocksDBPriorityQueueSetCacheSize(),
                        manualCompaction);
    }

    private boolean timersAreOnHeap() {
        return parts.settings().timers().getPriorityQueueStateType() == PriorityQueueStateType.HEAP;
    }

    private HeapPriorityQueueSetFactory heapTimersFactory() {
        return new HeapPriorityQueueSetFactory(
                parameters.getKeyGroupRange(),
                parameters.getNumberOfKeyGroups(),
                HEAP_TIMERS_MINIMUM_CAPACITY);
    }

    /** Column family handles go before the database, their options and shared memory after it. */
    private void closeAll(
            RocksDBRestoreOperation restoreOperation,
            RocksDBRestoreResult restored,
            RocksDBWriteBatchWrapper writeBatch,
            RocksDBSnapshotStrategyBase<K, ?> snapshotStrategy) {
        List<ColumnFamilyOptions> options = new ArrayList<>();
        IOUtils.closeQuietly(parts.cancellation());
        IOUtils.closeQuietly(writeBatch);
        IOUtils.closeQuietly(parts.resourceGuard());
        if (restored != null) {
            ColumnFamilyHandle defaultHandle = restored.getDefaultColumnFamilyHandle();
            RocksDBOperationUtils.addColumnFamilyOptionsToCloseLater(options, defaultHandle);
            IOUtils.closeQuietly(defaultHandle);
            RocksDBNativeMetricMonitor metricMonitor = restored.getNativeMetricMonitor();
            IOUtils.closeQuietly(metricMonitor);
        }
        for (RocksDbKvStateInfo state : parts.states().values()) {
            RocksDBOperationUtils.addColumnFamilyOptionsToCloseLater(
                    options, state.columnFamilyHandle);
            IOUtils.closeQuietly(state.columnFamilyHandle);
        }
        if (restored != null) {
            IOUtils.closeQuietly(restored.getDb());
        }
        IOUtils.closeQuietly(restoreOperation);
        IOUtils.closeAllQuietly(options);
        IOUtils.closeQuietly(resources);
        parts.ttlFilters().disposeAndClearRegisteredCompactionFactories();
        parts.states().clear();
        IOUtils.closeQuietly(snapshotStrategy);
        try {
            FileUtils.deleteDirectory(parts.instanceBasePath());
        } catch (IOException e) {
            LOG.warn("[state-accel] could not delete {}", parts.instanceBasePath(), e);
        }
    }
}
