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

import io.stateaccel.config.BackendOptionsValidator;
import io.stateaccel.config.KindOverrides;
import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.flink.rocksdb.FlinkStateBackend;
import io.stateaccel.flink.rocksdb.StockSettings;
import io.stateaccel.rocksdb.blob.ValueSeparation;
import io.stateaccel.rocksdb.cache.CacheSize;
import io.stateaccel.rocksdb.compaction.SmallFiles;
import io.stateaccel.rocksdb.jni.NativeLibrary;
import java.io.File;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.state.rocksdb.RocksDBConfigurableOptions;
import org.apache.flink.state.rocksdb.RocksDBMemoryControllerUtils.RocksDBMemoryFactory;
import org.apache.flink.state.rocksdb.RocksDBNativeMetricOptions;
import org.apache.flink.state.rocksdb.RocksDBOperationUtils;
import org.apache.flink.state.rocksdb.RocksDBOptions;
import org.apache.flink.state.rocksdb.RocksDBPriorityQueueConfig;
import org.apache.flink.state.rocksdb.RocksDBResourceContainer;
import org.apache.flink.state.rocksdb.StateAccelRocksDBAccess;
import org.apache.flink.state.rocksdb.sstmerge.RocksDBManualCompactionConfig;
import org.rocksdb.CompactionStyle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flink's {@link EmbeddedRocksDBStateBackend} with RocksDB options chosen per kind of state (see
 * {@code ColumnFamilyPolicy} for the choices).
 *
 * <p>Data, snapshots and savepoints have the stock layout: only options of RocksDB differ, so each
 * of the two backends restores what the other wrote, in every format and at any parallelism; there
 * is one exception, in {@code docs/internals.md} below "Value separation". All {@code
 * state.backend.rocksdb.*} options work as in stock.
 *
 * <p>Why not an options factory alone: {@code RocksDBOptionsFactory} is not told which state it
 * makes options for. Flink's builder of the keyed backend is, but can neither be configured nor
 * return a subclass from outside of its package. This class therefore builds the keyed backend
 * itself, from Flink's own public parts ({@link StateAccelKeyedStateBackendBuilder}).
 *
 * <p>Serializable; used by one task at a time, like the stock backend.
 */
public final class StateAccelRocksDBStateBackend extends FlinkStateBackend {

    private static final long serialVersionUID = 1L;

    private static final Logger LOG = LoggerFactory.getLogger(StateAccelRocksDBStateBackend.class);

    /** The options below this are the ones that a keyed backend is built from. */
    private static final String BACKEND_OPTIONS_PREFIX = "state.backend.";

    private final Configuration settings;
    private RocksDBMemoryFactory memoryFactory = RocksDBMemoryFactory.DEFAULT;

    private transient LocalDirectories localDirectories;

    /** Creates a backend with default settings; {@link #configure} gives it others. */
    public StateAccelRocksDBStateBackend() {
        this.settings = new Configuration();
    }

    private StateAccelRocksDBStateBackend(
            StateAccelRocksDBStateBackend original,
            ReadableConfig config,
            ClassLoader classLoader) {
        super(original, config, classLoader);
        this.settings = new Configuration(original.settings);
        this.settings.addAll(
                Configuration.fromMap(
                        config.toMap().entrySet().stream()
                                .filter(e -> e.getKey().startsWith(BACKEND_OPTIONS_PREFIX))
                                .collect(
                                        Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue))));
        this.memoryFactory = original.memoryFactory;
        // Bad values should fail where the job is submitted, not where its state is opened.
        BackendOptionsValidator.validate(settings);
    }

    @Override
    public StateAccelRocksDBStateBackend configure(ReadableConfig config, ClassLoader classLoader) {
        return new StateAccelRocksDBStateBackend(this, config, classLoader);
    }

    @Override
    public void setRocksDBMemoryFactory(RocksDBMemoryFactory rocksDBMemoryFactory) {
        super.setRocksDBMemoryFactory(rocksDBMemoryFactory);
        this.memoryFactory = rocksDBMemoryFactory;
    }

    @Override
    public <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
            KeyedStateBackendParameters<K> parameters) throws IOException {
        Environment env = parameters.getEnv();
        File taskManagerDirectory = env.getTaskManagerInfo().getTmpWorkingDirectory();
        StateAccelRocksDBAccess.ensureRocksDBIsLoaded(taskManagerDirectory.getAbsolutePath());

        if (localDirectories == null) {
            localDirectories =
                    LocalDirectories.of(configured().getDbStoragePaths(), taskManagerDirectory);
        }
        File localDirectory = localDirectories.next();
        DiskCheck.from(settings)
                .check(localDirectory.toPath(), configured().getDbStoragePaths() != null);
        File instanceBasePath =
                new File(
                        localDirectory,
                        "job_"
                                + env.getJobID()
                                + "_op_"
                                + parameters
                                        .getOperatorIdentifier()
                                        .replaceAll("[^a-zA-Z0-9\\-]", "_")
                                + "_uuid_"
                                + UUID.randomUUID());

        RocksDBNativeMetricOptions metrics = RocksDBNativeMetricOptions.fromConfig(settings);
        var sharedMemory =
                RocksDBOperationUtils.allocateSharedCachesIfConfigured(
                        configured().getMemoryConfiguration(),
                        env,
                        parameters.getManagedMemoryFraction(),
                        LOG,
                        memoryFactory);
        CacheSize cacheSize = CacheSize.from(settings, env.getTaskManagerInfo().getConfiguration());
        NativeLibrary nativeLibrary =
                settings.get(StateAccelOptions.NATIVE_ENABLED)
                        ? NativeLibrary.load(taskManagerDirectory).orElse(null)
                        : null;
        StateKinds kinds = new StateKinds();
        ValueSeparation valueSeparation =
                ValueSeparation.from(settings, state -> kinds.get(state).optionName());
        ColumnFamilyOptionsSource columnFamilyOptions =
                new ColumnFamilyOptionsSource(
                        ColumnFamilyPolicy.from(
                                settings,
                                sharedMemory != null,
                                valueSeparation,
                                readsByPrefix(cacheSize) ? nativeLibrary : null),
                        kinds,
                        configured().getRocksDBOptions());
        RocksDBResourceContainer resources =
                new RocksDBResourceContainer(
                        settings,
                        configured().getPredefinedOptions(),
                        columnFamilyOptions.optionsFactory(),
                        sharedMemory,
                        instanceBasePath,
                        metrics.isStatisticsEnabled());
        columnFamilyOptions.connect(resources);

        return new StateAccelKeyedStateBackendBuilder<>(
                        parameters,
                        tracking(parameters.getMetricGroup()),
                        instanceBasePath,
                        resources,
                        columnFamilyOptions,
                        kinds,
                        nativeLibrary,
                        settings(
                                columnFamilyOptions
                                        .optionsFactory()
                                        .createNativeMetricsOptions(metrics),
                                valueSeparation,
                                cacheSize))
                .build();
    }

    /** Only cached map state does, but hash memtables need prefixes whatever the kind. */
    private boolean readsByPrefix(CacheSize cacheSize) {
        return cacheSize.taskManagerBytes() > 0
                || KindOverrides.from(settings).askForHashMemtables();
    }

    private RocksDBSettings settings(
            RocksDBNativeMetricOptions metrics,
            ValueSeparation valueSeparation,
            CacheSize cacheSize) {
        EmbeddedRocksDBStateBackend configured = configured();
        return new RocksDBSettings(
                new StockSettings(
                        configured.isIncrementalCheckpointsEnabled(),
                        configured.getNumberOfTransferThreads(),
                        configured.getWriteBatchSize(),
                        StateAccelRocksDBAccess.overlapFractionThreshold(configured),
                        StateAccelRocksDBAccess.useIngestDbRestoreMode(configured),
                        StateAccelRocksDBAccess.asyncCompactAfterRescale(configured),
                        StateAccelRocksDBAccess.useDeleteFilesInRange(configured),
                        new RocksDBPriorityQueueConfig(
                                configured.getPriorityQueueStateType(),
                                settings.get(
                                        RocksDBOptions.ROCKSDB_TIMER_SERVICE_FACTORY_CACHE_SIZE)),
                        RocksDBManualCompactionConfig.from(settings),
                        metrics),
                level0MaxFiles(),
                valueSeparation,
                settings.get(StateAccelOptions.RESTORE_MANIFEST_CHECK_ENABLED),
                settings.get(StateAccelOptions.RESTORE_KEY_GROUP_CHECK_ENABLED),
                settings.get(StateAccelOptions.METRICS_ENABLED),
                settings.get(StateAccelOptions.METRICS_SAMPLE_INTERVAL),
                cacheSize,
                settings.get(StateAccelOptions.CACHE_BYPASS_HIT_RATIO));
    }

    /** In other styles the number means something else. */
    private int level0MaxFiles() {
        return settings.get(RocksDBConfigurableOptions.COMPACTION_STYLE) == CompactionStyle.LEVEL
                ? settings.get(StateAccelOptions.ROCKSDB_LEVEL0_MAX_FILES)
                : SmallFiles.STOCK_TRIGGER;
    }
}
