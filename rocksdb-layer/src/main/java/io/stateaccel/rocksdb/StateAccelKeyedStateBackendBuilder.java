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
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import javax.annotation.Nullable;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.AbstractKeyedStateBackendBuilder;
import org.apache.flink.runtime.state.AbstractStateBackend;
import org.apache.flink.runtime.state.BackendBuildingException;
import org.apache.flink.runtime.state.CompositeKeySerializationUtils;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.InternalKeyContextImpl;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.PriorityQueueSetFactory;
import org.apache.flink.runtime.state.SerializedCompositeKeyBuilder;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSetFactory;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSnapshotRestoreWrapper;
import org.apache.flink.runtime.state.metrics.LatencyTrackingStateConfig;
import org.apache.flink.runtime.state.metrics.SizeTrackingStateConfig;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend.PriorityQueueStateType;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend.RocksDbKvStateInfo;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackendBuilder;
import org.apache.flink.state.rocksdb.RocksDBNativeMetricMonitor;
import org.apache.flink.state.rocksdb.RocksDBOperationUtils;
import org.apache.flink.state.rocksdb.RocksDBResourceContainer;
import org.apache.flink.state.rocksdb.RocksDBStateDataTransferHelper;
import org.apache.flink.state.rocksdb.RocksDBStateUploader;
import org.apache.flink.state.rocksdb.RocksDBWriteBatchWrapper;
import org.apache.flink.state.rocksdb.StateAccelRocksDBAccess;
import org.apache.flink.state.rocksdb.restore.RocksDBFullRestoreOperation;
import org.apache.flink.state.rocksdb.restore.RocksDBHeapTimersFullRestoreOperation;
import org.apache.flink.state.rocksdb.restore.RocksDBIncrementalRestoreOperation;
import org.apache.flink.state.rocksdb.restore.RocksDBNoneRestoreOperation;
import org.apache.flink.state.rocksdb.restore.RocksDBRestoreOperation;
import org.apache.flink.state.rocksdb.restore.RocksDBRestoreResult;
import org.apache.flink.state.rocksdb.snapshot.RocksDBSnapshotStrategyBase;
import org.apache.flink.state.rocksdb.snapshot.RocksIncrementalSnapshotStrategy;
import org.apache.flink.state.rocksdb.snapshot.RocksNativeFullSnapshotStrategy;
import org.apache.flink.state.rocksdb.sstmerge.RocksDBManualCompactionManager;
import org.apache.flink.state.rocksdb.ttl.RocksDbTtlCompactFiltersManager;
import org.apache.flink.util.CollectionUtil;
import org.apache.flink.util.FileUtils;
import org.apache.flink.util.IOUtils;
import org.apache.flink.util.MdcUtils;
import org.apache.flink.util.ResourceGuard;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;

/**
 * Opens or restores RocksDB and wires Flink's restore operation, snapshot strategy, timers and
 * metrics into a {@link StateAccelKeyedStateBackend}.
 *
 * <p>This follows the steps of {@code RocksDBKeyedStateBackendBuilder} in Flink 2.3.0, which cannot
 * be reused: its settings are package-private and it always returns the stock backend. The parts it
 * wires are Flink's own and unchanged, but for the incremental checkpoints of a database with blob
 * files ({@link BlobSharingSnapshotStrategy}). On any failure all native objects are closed and the
 * instance's directory is deleted. Not thread-safe; builds once.
 *
 * @param <K> the type of the keys
 */
final class StateAccelKeyedStateBackendBuilder<K> extends AbstractKeyedStateBackendBuilder<K> {

    private static final int HEAP_TIMERS_MINIMUM_CAPACITY = 128;
    private static final int INITIAL_KEY_BUFFER_BYTES = 32;

    private final KeyedStateBackendParameters<K> parameters;
    private final File instanceBasePath;
    private final File databasePath;
    private final RocksDBResourceContainer resources;
    private final ColumnFamilyOptionsSource columnFamilyOptions;
    private final StateKinds kinds;
    @Nullable private final NativeLibrary nativeLibrary;
    private final RocksDBSettings settings;
    private final LocalRecoveryConfig localRecoveryConfig;
    private final ExecutorService ioExecutor;
    private final int keyGroupPrefixBytes;

    // Filled by the restore operation and by the backend; closed here if building fails.
    private final LinkedHashMap<String, RocksDbKvStateInfo> states = new LinkedHashMap<>();
    private final LinkedHashMap<String, HeapPriorityQueueSnapshotRestoreWrapper<?>> heapTimers =
            new LinkedHashMap<>();
    private final CloseableRegistry backendCancellation = new CloseableRegistry();
    private final ResourceGuard resourceGuard = new ResourceGuard();
    private final RocksDbTtlCompactFiltersManager ttlCompactFilters;

    StateAccelKeyedStateBackendBuilder(
            KeyedStateBackendParameters<K> parameters,
            LatencyTrackingStateConfig latencyTracking,
            SizeTrackingStateConfig sizeTracking,
            File instanceBasePath,
            RocksDBResourceContainer resources,
            ColumnFamilyOptionsSource columnFamilyOptions,
            StateKinds kinds,
            @Nullable NativeLibrary nativeLibrary,
            RocksDBSettings settings) {
        super(
                parameters.getKvStateRegistry(),
                parameters.getKeySerializer(),
                parameters.getEnv().getUserCodeClassLoader().asClassLoader(),
                parameters.getNumberOfKeyGroups(),
                parameters.getKeyGroupRange(),
                parameters.getEnv().getExecutionConfig(),
                parameters.getTtlTimeProvider(),
                latencyTracking,
                sizeTracking,
                parameters.getStateHandles(),
                AbstractStateBackend.getCompressionDecorator(
                        parameters.getEnv().getExecutionConfig()),
                parameters.getCancelStreamRegistry());
        Environment env = parameters.getEnv();
        this.parameters = parameters;
        this.instanceBasePath = instanceBasePath;
        this.databasePath =
                RocksDBKeyedStateBackendBuilder.getInstanceRocksDBPath(instanceBasePath);
        this.resources = resources;
        this.columnFamilyOptions = columnFamilyOptions;
        this.kinds = kinds;
        this.nativeLibrary = nativeLibrary;
        this.settings = settings;
        this.localRecoveryConfig = env.getTaskStateManager().createLocalRecoveryConfig();
        this.ioExecutor =
                MdcUtils.scopeToJob(env.getJobID(), env.getIOManager().getExecutorService());
        this.keyGroupPrefixBytes =
                CompositeKeySerializationUtils.computeRequiredBytesInKeyGroupPrefix(
                        numberOfKeyGroups);
        this.ttlCompactFilters =
                new RocksDbTtlCompactFiltersManager(
                        ttlTimeProvider,
                        resources.getQueryTimeAfterNumEntries(),
                        resources.getPeriodicCompactionTime());
    }

    @Override
    public StateAccelKeyedStateBackend<K> build() throws BackendBuildingException {
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
                    cancelStreamRegistry);
            prepareDirectories();
            kinds.addRestored(
                    keyGroupPrefixBytes,
                    nonNullHandles(),
                    userCodeClassLoader,
                    cancelStreamRegistry);
            boolean restoresBlobFiles = BlobFiles.areIn(nonNullHandles());
            if (restoresBlobFiles) {
                columnFamilyOptions.expectBlobFiles();
            }
            restoreOperation = restoreOperation(restoresBlobFiles);
            restored = restoreOperation.restore();
            RocksDB db = restored.getDb();
            CompletableFuture<Void> asyncCompaction =
                    restored.getAsyncCompactTaskAfterRestore()
                            .map(task -> CompletableFuture.runAsync(task, ioExecutor))
                            .orElse(null);

            writeBatch =
                    new RocksDBWriteBatchWrapper(
                            db, resources.getWriteOptions(), settings.writeBatchSize());
            // Only now: restoring may have reconfigured the key serializer.
            SerializedCompositeKeyBuilder<K> keyBuilder =
                    new SerializedCompositeKeyBuilder<>(
                            keySerializerProvider.currentSchemaSerializer(),
                            keyGroupPrefixBytes,
                            INITIAL_KEY_BUFFER_BYTES);
            snapshotStrategy =
                    snapshotStrategy(
                            restored,
                            restoreOperation instanceof RocksDBIncrementalRestoreOperation,
                            restoresBlobFiles);
            RocksDBManualCompactionManager manualCompaction =
                    RocksDBManualCompactionManager.create(
                            db, settings.manualCompaction(), ioExecutor);
            PriorityQueueSetFactory timers = timers(restored, writeBatch, manualCompaction);

            metrics =
                    new BackendMetrics(
                            operatorMetrics(),
                            db,
                            resourceGuard,
                            instanceBasePath.toPath(),
                            nativeLibrary != null,
                            settings.acceleratorMetrics() ? settings.sampleInterval() : 0);

            BatchAccess batchAccess =
                    BatchAccesses.create(
                            nativeLibrary,
                            db,
                            resources.getReadOptions(),
                            resources.getWriteOptions());
            StateAccelKeyedStateBackend<K> backend =
                    new StateAccelKeyedStateBackend<>(
                            userCodeClassLoader,
                            instanceBasePath,
                            resources,
                            columnFamilyOptions,
                            kvStateRegistry,
                            keySerializerProvider.currentSchemaSerializer(),
                            executionConfig,
                            ttlTimeProvider,
                            latencyTrackingStateConfig,
                            sizeTrackingStateConfig,
                            db,
                            states,
                            heapTimers,
                            keyGroupPrefixBytes,
                            backendCancellation,
                            keyGroupCompressionDecorator,
                            resourceGuard,
                            snapshotStrategy,
                            writeBatch,
                            restored.getDefaultColumnFamilyHandle(),
                            restored.getNativeMetricMonitor(),
                            keyBuilder,
                            timers,
                            ttlCompactFilters,
                            new InternalKeyContextImpl<>(keyGroupRange, numberOfKeyGroups),
                            settings.writeBatchSize(),
                            asyncCompaction,
                            manualCompaction,
                            kinds,
                            metrics,
                            batchAccess,
                            cache(db, batchAccess),
                            automaticSeparation(db, metrics),
                            blobGarbage(db),
                            smallFiles(db));
            logger.info("[state-accel] RocksDB keyed state backend built at {}", instanceBasePath);
            return backend;
        } catch (Throwable failure) {
            boolean cancelled = cancelStreamRegistry.isClosed();
            // Logged before closing, which may block or fail in its turn.
            if (cancelled) {
                logger.info("[state-accel] building the RocksDB state backend was cancelled");
            } else {
                logger.warn("[state-accel] building the RocksDB state backend failed", failure);
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

    /** Nothing is taken from the slot's budget before the first state is cached. */
    @Nullable
    private SubTaskCache cache(RocksDB db, BatchAccess batchAccess) {
        Environment env = parameters.getEnv();
        return settings.cacheSize().taskManagerBytes() == 0
                ? null
                : new SubTaskCache(
                        parameters.getOperatorIdentifier(),
                        SlotCacheBudget.of(env.getMemoryManager(), settings.cacheSize()),
                        settings.cacheBypassHitRatio(),
                        db,
                        resources.getWriteOptions(),
                        PrefixReaders.create(nativeLibrary, db, resources.getReadOptions()),
                        batchAccess,
                        operatorMetrics());
    }

    private MetricGroup operatorMetrics() {
        return AcceleratorMetrics.ofOperator(
                parameters.getMetricGroup(), settings.acceleratorMetrics());
    }

    private void prepareDirectories() throws IOException {
        if (databasePath.exists()) {
            // Left by a backend that crashed before it could clean up.
            FileUtils.deleteDirectory(instanceBasePath);
        }
        if (!instanceBasePath.isDirectory() && !instanceBasePath.mkdirs()) {
            throw new IOException(
                    "Could not create the RocksDB data directory " + instanceBasePath);
        }
    }

    private List<KeyedStateHandle> nonNullHandles() {
        return restoreStateHandles.stream().filter(handle -> handle != null).toList();
    }

    @Nullable
    private AutomaticSeparation automaticSeparation(RocksDB db, BackendMetrics metrics) {
        if (!settings.valueSeparation().isAutomatic()) {
            return null;
        }
        if (columnFamilyOptions.userMayChangeOptions()) {
            logger.info(
                    "[state-accel] no automatic value separation: it is up to the"
                            + " RocksDBOptionsFactory");
            return null;
        }
        return new AutomaticSeparation(db, settings.valueSeparation(), metrics);
    }

    /** With a factory of the user's RocksDB goes by the options that this one sets. */
    @Nullable
    private BlobGarbage blobGarbage(RocksDB db) {
        return settings.valueSeparation().mayBeOn() && !columnFamilyOptions.userMayChangeOptions()
                ? new BlobGarbage(db, settings.valueSeparation())
                : null;
    }

    /** Garbage in blob files goes when files of keys are compacted. */
    @Nullable
    private SmallFiles smallFiles(RocksDB db) {
        ValueSeparation separation = settings.valueSeparation();
        return settings.level0MaxFiles() > SmallFiles.STOCK_TRIGGER
                        && !columnFamilyOptions.userMayChangeOptions()
                ? new SmallFiles(
                        db,
                        settings.level0MaxFiles(),
                        name ->
                                kinds.get(name) != StateKind.LIST
                                        && (separation.isForcedFor(name)
                                                || separation.isAutomaticFor(name)))
                : null;
    }

    private RocksDBRestoreOperation restoreOperation(boolean restoresBlobFiles) {
        DBOptions dbOptions = resources.getDbOptions();
        if (CollectionUtil.isEmptyOrAllElementsNull(restoreStateHandles)) {
            return new RocksDBNoneRestoreOperation<>(
                    states,
                    databasePath,
                    dbOptions,
                    columnFamilyOptions,
                    settings.metrics(),
                    parameters.getMetricGroup(),
                    ttlCompactFilters,
                    resources.getWriteBufferManagerCapacity());
        }
        if (restoreStateHandles.iterator().next() instanceof IncrementalKeyedStateHandle) {
            return new RocksDBIncrementalRestoreOperation<>(
                    parameters.getOperatorIdentifier(),
                    keyGroupRange,
                    keyGroupPrefixBytes,
                    settings.transferThreads(),
                    resourceGuard,
                    cancelStreamRegistry,
                    backendCancellation,
                    userCodeClassLoader,
                    states,
                    keySerializerProvider,
                    instanceBasePath,
                    databasePath,
                    dbOptions,
                    columnFamilyOptions,
                    settings.metrics(),
                    parameters.getMetricGroup(),
                    parameters.getCustomInitializationMetrics(),
                    CollectionUtil.checkedSubTypeCast(
                            restoreStateHandles, IncrementalKeyedStateHandle.class),
                    ttlCompactFilters,
                    settings.writeBatchSize(),
                    resources.getWriteBufferManagerCapacity(),
                    settings.overlapFractionThreshold(),
                    useIngestDbRestoreMode(restoresBlobFiles),
                    settings.asyncCompactAfterRescale(),
                    settings.useDeleteFilesInRange(),
                    ioExecutor,
                    (message, failure) -> parameters.getEnv().failExternally(failure));
        }
        if (timersAreOnHeap()) {
            return new RocksDBHeapTimersFullRestoreOperation<>(
                    keyGroupRange,
                    numberOfKeyGroups,
                    userCodeClassLoader,
                    states,
                    heapTimers,
                    heapTimersFactory(),
                    keySerializerProvider,
                    databasePath,
                    dbOptions,
                    columnFamilyOptions,
                    settings.metrics(),
                    parameters.getMetricGroup(),
                    restoreStateHandles,
                    ttlCompactFilters,
                    settings.writeBatchSize(),
                    resources.getWriteBufferManagerCapacity(),
                    cancelStreamRegistry);
        }
        return new RocksDBFullRestoreOperation<>(
                keyGroupRange,
                userCodeClassLoader,
                states,
                keySerializerProvider,
                databasePath,
                dbOptions,
                columnFamilyOptions,
                settings.metrics(),
                parameters.getMetricGroup(),
                restoreStateHandles,
                ttlCompactFilters,
                settings.writeBatchSize(),
                resources.getWriteBufferManagerCapacity(),
                cancelStreamRegistry);
    }

    private RocksDBSnapshotStrategyBase<K, ?> snapshotStrategy(
            RocksDBRestoreResult restored,
            boolean restoredIncrementally,
            boolean restoresBlobFiles) {
        // Continuing the restored checkpoint's line lets the next one share its files.
        UUID backendId = restoredIncrementally ? restored.getBackendUID() : UUID.randomUUID();
        RocksDBStateUploader uploader =
                new RocksDBStateUploader(
                        RocksDBStateDataTransferHelper.forThreadNumIfSpecified(
                                settings.transferThreads(), ioExecutor));
        if (!settings.incrementalCheckpoints()) {
            return new RocksNativeFullSnapshotStrategy<>(
                    restored.getDb(),
                    resourceGuard,
                    keySerializerProvider.currentSchemaSerializer(),
                    states,
                    keyGroupRange,
                    keyGroupPrefixBytes,
                    localRecoveryConfig,
                    instanceBasePath,
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
                    resourceGuard,
                    keySerializerProvider.currentSchemaSerializer(),
                    states,
                    keyGroupRange,
                    keyGroupPrefixBytes,
                    localRecoveryConfig,
                    instanceBasePath,
                    backendId,
                    uploadedFiles,
                    uploader,
                    lastCompletedCheckpointId);
        }
        return new RocksIncrementalSnapshotStrategy<>(
                restored.getDb(),
                resourceGuard,
                keySerializerProvider.currentSchemaSerializer(),
                states,
                keyGroupRange,
                keyGroupPrefixBytes,
                localRecoveryConfig,
                instanceBasePath,
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
        if (settings.useIngestDbRestoreMode()
                && (restoresBlobFiles || settings.valueSeparation().isForced())) {
            logger.info(
                    "[state-accel] {} blob files, which"
                            + " state.backend.rocksdb.use-ingest-db-restore-mode does not carry"
                            + " over: restoring without it",
                    restoresBlobFiles ? "the snapshot has" : "the restore may make");
            return false;
        }
        return settings.useIngestDbRestoreMode();
    }

    private PriorityQueueSetFactory timers(
            RocksDBRestoreResult restored,
            RocksDBWriteBatchWrapper writeBatch,
            RocksDBManualCompactionManager manualCompaction) {
        return timersAreOnHeap()
                ? heapTimersFactory()
                : StateAccelRocksDBAccess.createPriorityQueueSetFactory(
                        keyGroupRange,
                        keyGroupPrefixBytes,
                        numberOfKeyGroups,
                        states,
                        restored.getDb(),
                        resources,
                        writeBatch,
                        restored.getNativeMetricMonitor(),
                        columnFamilyOptions,
                        settings.timers().getRocksDBPriorityQueueSetCacheSize(),
                        manualCompaction);
    }

    private boolean timersAreOnHeap() {
        return settings.timers().getPriorityQueueStateType() == PriorityQueueStateType.HEAP;
    }

    private HeapPriorityQueueSetFactory heapTimersFactory() {
        return new HeapPriorityQueueSetFactory(
                keyGroupRange, numberOfKeyGroups, HEAP_TIMERS_MINIMUM_CAPACITY);
    }

    /** Column family handles go before the database, their options and shared memory after it. */
    private void closeAll(
            RocksDBRestoreOperation restoreOperation,
            RocksDBRestoreResult restored,
            RocksDBWriteBatchWrapper writeBatch,
            RocksDBSnapshotStrategyBase<K, ?> snapshotStrategy) {
        List<ColumnFamilyOptions> options = new ArrayList<>();
        IOUtils.closeQuietly(backendCancellation);
        IOUtils.closeQuietly(writeBatch);
        IOUtils.closeQuietly(resourceGuard);
        if (restored != null) {
            ColumnFamilyHandle defaultHandle = restored.getDefaultColumnFamilyHandle();
            RocksDBOperationUtils.addColumnFamilyOptionsToCloseLater(options, defaultHandle);
            IOUtils.closeQuietly(defaultHandle);
            RocksDBNativeMetricMonitor metricMonitor = restored.getNativeMetricMonitor();
            IOUtils.closeQuietly(metricMonitor);
        }
        for (RocksDbKvStateInfo state : states.values()) {
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
        ttlCompactFilters.disposeAndClearRegisteredCompactionFactories();
        states.clear();
        IOUtils.closeQuietly(snapshotStrategy);
        try {
            FileUtils.deleteDirectory(instanceBasePath);
        } catch (IOException e) {
            logger.warn("[state-accel] could not delete {}", instanceBasePath, e);
        }
    }
}
