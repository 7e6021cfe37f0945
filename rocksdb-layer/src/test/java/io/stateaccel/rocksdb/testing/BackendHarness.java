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
package io.stateaccel.rocksdb.testing;

import io.stateaccel.config.KindOverrides.Memtable;
import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.rocksdb.StateAccelRocksDBStateBackend;
import io.stateaccel.rocksdb.StateAccelRocksDBStateBackendFactory;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackendFactory;
import org.apache.flink.state.rocksdb.RocksDBOptions;
import org.apache.flink.streaming.api.operators.StreamOperatorStateHandler;

/** Opens keyed backends of each make and takes snapshots of them. */
public final class BackendHarness {

    public static final long MANAGED_MEMORY_BYTES = 32L << 20;

    private static final int LARGEST_SNAPSHOT_STREAM = 64 << 20;

    private BackendHarness() {}

    public enum Make {
        ACCELERATED,
        /** Accelerated without the native library. */
        ACCELERATED_JAVA,
        /** Accelerated with every value in a blob file. */
        ACCELERATED_BLOBS,
        /** Accelerated with a hash table of skip lists as memtable of all kinds but timers. */
        ACCELERATED_HASH_SKIP_LIST,
        /** The same with a hash table of linked lists. */
        ACCELERATED_HASH_LINKED_LIST,
        STOCK,
        HASHMAP;

        public StateBackend create(Configuration config) {
            ClassLoader classLoader = BackendHarness.class.getClassLoader();
            return switch (this) {
                case ACCELERATED ->
                        new StateAccelRocksDBStateBackendFactory()
                                .createFromConfig(config, classLoader);
                case ACCELERATED_JAVA -> {
                    Configuration withoutNative = new Configuration(config);
                    withoutNative.set(StateAccelOptions.NATIVE_ENABLED, false);
                    yield ACCELERATED.create(withoutNative);
                }
                case ACCELERATED_BLOBS -> {
                    Configuration withBlobs = new Configuration(config);
                    withBlobs.set(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE, new MemorySize(1));
                    yield ACCELERATED.create(withBlobs);
                }
                case ACCELERATED_HASH_SKIP_LIST ->
                        ACCELERATED.create(with(Memtable.HASH_SKIP_LIST, config));
                case ACCELERATED_HASH_LINKED_LIST ->
                        ACCELERATED.create(with(Memtable.HASH_LINKED_LIST, config));
                case STOCK ->
                        new EmbeddedRocksDBStateBackendFactory()
                                .createFromConfig(config, classLoader);
                case HASHMAP -> new HashMapStateBackend().configure(config, classLoader);
            };
        }
    }

    private static Configuration with(Memtable memtable, Configuration config) {
        Configuration copy = new Configuration(config);
        copy.addAll(Configuration.fromMap(memtableOptions(memtable)));
        return copy;
    }

    /** The options, in the way of config.yaml, that give all kinds but timers a memtable. */
    public static Map<String, String> memtableOptions(Memtable memtable) {
        String prefix = StateAccelOptions.ROCKSDB_OVERRIDES.key() + '.';
        return Stream.of("value", "list", "map", "reducing", "aggregating")
                .collect(
                        Collectors.toMap(
                                kind -> prefix + kind + ".memtable", kind -> "" + memtable));
    }

    public enum Snapshot {
        INCREMENTAL_CHECKPOINT,
        FULL_CHECKPOINT,
        NATIVE_SAVEPOINT,
        CANONICAL_SAVEPOINT
    }

    /** The logger of a class beside the backend's, which need not be public. */
    public static String logger(String className) throws ClassNotFoundException {
        return Class.forName(StateAccelRocksDBStateBackend.class.getPackageName() + "." + className)
                .getName();
    }

    public static Configuration config(Path localDirectory, Map<String, String> options) {
        Configuration config = Configuration.fromMap(options);
        config.set(RocksDBOptions.LOCAL_DIRECTORIES, localDirectory.toString());
        return config;
    }

    public static Configuration incremental(Configuration config, boolean incremental) {
        Configuration copy = new Configuration(config);
        copy.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, incremental);
        return copy;
    }

    public static <K> AbstractKeyedStateBackend<K> open(
            StateBackend backend,
            TypeSerializer<K> keySerializer,
            int maxParallelism,
            KeyGroupRange range,
            Collection<KeyedStateHandle> handles)
            throws IOException {
        return open(
                backend,
                keySerializer,
                maxParallelism,
                range,
                handles,
                TtlTimeProvider.DEFAULT,
                new UnregisteredMetricsGroup());
    }

    public static <K> AbstractKeyedStateBackend<K> open(
            StateBackend backend,
            TypeSerializer<K> keySerializer,
            int maxParallelism,
            KeyGroupRange range,
            Collection<KeyedStateHandle> handles,
            TtlTimeProvider time,
            MetricGroup metrics)
            throws IOException {
        return open(
                backend,
                keySerializer,
                maxParallelism,
                range,
                handles,
                time,
                metrics,
                MANAGED_MEMORY_BYTES);
    }

    public static <K> AbstractKeyedStateBackend<K> open(
            StateBackend backend,
            TypeSerializer<K> keySerializer,
            int maxParallelism,
            KeyGroupRange range,
            Collection<KeyedStateHandle> handles,
            TtlTimeProvider time,
            MetricGroup metrics,
            long managedMemoryBytes)
            throws IOException {
        return open(
                new MockEnvironmentBuilder().setManagedMemorySize(managedMemoryBytes).build(),
                backend,
                keySerializer,
                maxParallelism,
                range,
                handles,
                time,
                metrics);
    }

    @SuppressWarnings("unchecked")
    public static <K> AbstractKeyedStateBackend<K> open(
            Environment env,
            StateBackend backend,
            TypeSerializer<K> keySerializer,
            int maxParallelism,
            KeyGroupRange range,
            Collection<KeyedStateHandle> handles,
            TtlTimeProvider time,
            MetricGroup metrics)
            throws IOException {
        try {
            return (AbstractKeyedStateBackend<K>)
                    backend.createKeyedStateBackend(
                            new KeyedStateBackendParametersImpl<>(
                                    env,
                                    new JobID(),
                                    "operator",
                                    keySerializer,
                                    maxParallelism,
                                    range,
                                    env.getTaskKvStateRegistry(),
                                    time,
                                    metrics,
                                    (name, value) -> {},
                                    handles,
                                    new CloseableRegistry(),
                                    1.0));
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    /**
     * Takes one snapshot; shared files are resolved through the registry, as a coordinator would.
     */
    public static KeyedStateHandle take(
            Snapshot kind,
            long checkpointId,
            CheckpointableKeyedStateBackend<?> backend,
            SharedStateRegistry registry)
            throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> future =
                start(kind, checkpointId, backend);
        future.run();
        KeyedStateHandle handle = future.get().getJobManagerOwnedSnapshot();
        if (handle != null) {
            handle.registerSharedStates(registry, checkpointId);
        }
        return handle;
    }

    /** Takes the synchronous part of a snapshot; running the future takes the rest. */
    public static RunnableFuture<SnapshotResult<KeyedStateHandle>> start(
            Snapshot kind, long checkpointId, CheckpointableKeyedStateBackend<?> backend)
            throws Exception {
        CheckpointStreamFactory streams = new MemCheckpointStreamFactory(LARGEST_SNAPSHOT_STREAM);
        return switch (kind) {
            case INCREMENTAL_CHECKPOINT, FULL_CHECKPOINT ->
                    backend.snapshot(
                            checkpointId,
                            checkpointId,
                            streams,
                            CheckpointOptions.forCheckpointWithDefaultLocation());
            case NATIVE_SAVEPOINT ->
                    backend.snapshot(checkpointId, checkpointId, streams, nativeSavepoint());
            case CANONICAL_SAVEPOINT ->
                    StreamOperatorStateHandler.prepareCanonicalSavepoint(
                                    backend, new CloseableRegistry())
                            .snapshot(
                                    checkpointId,
                                    checkpointId,
                                    streams,
                                    CheckpointOptions.forCheckpointWithDefaultLocation());
        };
    }

    /**
     * The SST and blob files of the databases below a local directory, with their sizes. Files that
     * RocksDB deletes meanwhile are left out.
     */
    public static SortedMap<String, Long> databaseFiles(Path localDirectory) {
        SortedMap<String, Long> files = new TreeMap<>();
        for (File backend : list(localDirectory.toFile())) {
            for (File file : list(new File(backend, "db"))) {
                if (file.getName().matches("\\d+\\.(sst|blob)") && file.length() > 0) {
                    files.put(file.getPath(), file.length());
                }
            }
        }
        return files;
    }

    private static File[] list(File directory) {
        File[] files = directory.listFiles();
        return files == null ? new File[0] : files;
    }

    /** The handles, or the parts of them, that a sub-task with this range restores from. */
    public static List<KeyedStateHandle> assign(
            List<KeyedStateHandle> handles, KeyGroupRange range) {
        return handles.stream()
                .filter(Objects::nonNull)
                .map(handle -> handle.getIntersection(range))
                .filter(Objects::nonNull)
                .toList();
    }

    private static CheckpointOptions nativeSavepoint() {
        return CheckpointOptions.alignedNoTimeout(
                SavepointType.savepoint(SavepointFormatType.NATIVE),
                CheckpointStorageLocationReference.getDefault());
    }
}
