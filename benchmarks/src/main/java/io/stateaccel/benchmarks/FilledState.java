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

import io.stateaccel.views.batch.ReadsAhead;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStreamFactory;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.util.FileUtils;
import org.apache.flink.util.InstantiationUtil;

/**
 * One keyed state with rows of 100 bytes, half of which compresses away, on a backend of its own.
 * Keys are scattered over the order of RocksDB, and absent ones lie between those that are there.
 *
 * <p>It comes from a native savepoint, so its files are as compactions have left them and nothing
 * is in a memtable or a cache. The savepoint is kept in {@code target/filled-state} for the
 * processes that the same process starts next, as JMH does, until one wants another: in all forks
 * the files are the same. Used by one thread.
 */
final class FilledState implements AutoCloseable {

    /** A row with its key, as a block holds it uncompressed, give or take 10. */
    static final int STORED_ROW_BYTES = 128;

    private static final Path KEPT = Path.of("target", "filled-state").toAbsolutePath();

    private static final int ROW_BYTES = 100;
    private static final int DISTINCT_ROWS = 1_024;
    private static final int KEY_GROUPS = 128;
    private static final int QUIET_MILLIS = 500;
    private static final int SNAPSHOT_BUFFER_BYTES = 1 << 20;

    private static final ValueStateDescriptor<byte[]> VALUE =
            new ValueStateDescriptor<>("value", BytePrimitiveArraySerializer.INSTANCE);
    private static final ListStateDescriptor<byte[]> LIST =
            new ListStateDescriptor<>("list", BytePrimitiveArraySerializer.INSTANCE);
    private static final MapStateDescriptor<Long, byte[]> MAP =
            new MapStateDescriptor<>(
                    "map", LongSerializer.INSTANCE, BytePrimitiveArraySerializer.INSTANCE);

    private final SplittableRandom random = new SplittableRandom(1);
    private final byte[][] rows = new byte[DISTINCT_ROWS][ROW_BYTES];
    private final Path directory = Files.createTempDirectory("state-accel-benchmark");
    private final MockEnvironment environment = new MockEnvironmentBuilder().build();
    private final StateLayout layout;
    private final long keys;

    /** What was read ahead and not used yet. */
    private final Queue<Long> readAhead = new ArrayDeque<>();

    private boolean chosenIsPresent;
    private final AbstractKeyedStateBackend<Long> backend;

    private FilledState(
            StateLayout layout,
            long bytes,
            Backend backend,
            MemorySize memory,
            Collection<KeyedStateHandle> restored)
            throws Exception {
        this.layout = layout;
        this.keys = Math.max(1, bytes / STORED_ROW_BYTES / layout.rows);
        for (byte[] row : rows) {
            for (int i = 0; i < ROW_BYTES / 2; i++) {
                row[i] = (byte) random.nextInt();
            }
        }
        this.backend =
                (AbstractKeyedStateBackend<Long>)
                        backend.create(directory, memory)
                                .createKeyedStateBackend(
                                        new KeyedStateBackendParametersImpl<>(
                                                environment,
                                                new JobID(),
                                                "operator",
                                                LongSerializer.INSTANCE,
                                                KEY_GROUPS,
                                                KeyGroupRange.of(0, KEY_GROUPS - 1),
                                                environment.getTaskKvStateRegistry(),
                                                TtlTimeProvider.DEFAULT,
                                                new UnregisteredMetricsGroup(),
                                                (name, value) -> {},
                                                restored,
                                                new CloseableRegistry(),
                                                1.0));
    }

    /**
     * @param bytes of rows and keys, uncompressed, about
     * @param memory block cache and write buffers of RocksDB together
     */
    static FilledState open(StateLayout layout, long bytes, Backend backend, MemorySize memory)
            throws Exception {
        String name =
                String.join(
                        "-",
                        run(),
                        backend.name(),
                        layout.name(),
                        String.valueOf(bytes),
                        String.valueOf(memory.getBytes()));
        Path savepoint = KEPT.resolve(name);
        Path handle = savepoint.resolve("handle");
        if (!Files.exists(handle)) {
            FileUtils.deleteDirectory(KEPT.toFile());
            try (FilledState filled = new FilledState(layout, bytes, backend, memory, List.of())) {
                filled.fill();
                filled.awaitCompactions();
                byte[] taken = InstantiationUtil.serializeObject(filled.takeSavepoint(savepoint));
                // Last, as it says that all else is there.
                Files.write(handle, taken);
            }
        }
        KeyedStateHandle restored =
                InstantiationUtil.deserializeObject(
                        Files.readAllBytes(handle), FilledState.class.getClassLoader());
        FilledState state = new FilledState(layout, bytes, backend, memory, List.of(restored));
        // The flush of the savepoint may have been the one that a compaction waits for.
        state.awaitCompactions();
        return state;
    }

    /** Names the process that started this one. */
    private static String run() {
        return ProcessHandle.current()
                .parent()
                .map(
                        parent ->
                                parent.pid()
                                        + "-"
                                        + parent.info()
                                                .startInstant()
                                                .orElse(Instant.EPOCH)
                                                .toEpochMilli())
                .orElse("alone");
    }

    private void fill() throws Exception {
        for (long number = 0; number < keys; number++) {
            chooseKey(number, true);
            switch (layout) {
                case VALUE -> putValue();
                case LIST -> append();
                case MAP_OF_1, MAP_OF_10, MAP_OF_1000 -> {
                    for (long row = 0; row < layout.rows; row++) {
                        state(MAP).put(row, anyRow());
                    }
                }
            }
        }
    }

    private KeyedStateHandle takeSavepoint(Path target) throws Exception {
        org.apache.flink.core.fs.Path path = new org.apache.flink.core.fs.Path(target.toUri());
        RunnableFuture<SnapshotResult<KeyedStateHandle>> savepoint =
                backend.snapshot(
                        1,
                        1,
                        new FsCheckpointStreamFactory(
                                LocalFileSystem.getSharedInstance(),
                                path,
                                path,
                                0,
                                SNAPSHOT_BUFFER_BYTES),
                        CheckpointOptions.alignedNoTimeout(
                                SavepointType.savepoint(SavepointFormatType.NATIVE),
                                CheckpointStorageLocationReference.getDefault()));
        savepoint.run();
        return savepoint.get().getJobManagerOwnedSnapshot();
    }

    /** Waits until the files have not changed for a while. */
    private void awaitCompactions() throws InterruptedException {
        long before = -1;
        long now = sstBytes(directory.toFile());
        while (now != before) {
            Thread.sleep(QUIET_MILLIS);
            before = now;
            now = sstBytes(directory.toFile());
        }
    }

    /** Of a file, or of all below a directory. What is deleted meanwhile counts nothing. */
    private static long sstBytes(File file) {
        File[] content = file.listFiles();
        if (content == null) {
            return file.getName().endsWith(".sst") ? file.length() : 0;
        }
        return Arrays.stream(content).mapToLong(FilledState::sstBytes).sum();
    }

    /** Makes a random key the current one, among those that are there or those that are not. */
    void chooseKey(boolean present) {
        chosenIsPresent = present;
        chooseKey(random.nextLong(keys), present);
    }

    private void chooseKey(long number, boolean present) {
        backend.setCurrentKey(key(number, present));
    }

    private static long key(long number, boolean present) {
        long even = 2 * number;
        return (present ? even : even + 1) * 0x9E3779B97F4A7C15L;
    }

    /** Makes one of many random keys the current one, which a bundle would read ahead. */
    private void chooseKeyReadAhead(String stateName) throws Exception {
        if (readAhead.isEmpty()) {
            List<Long> some =
                    random.longs(ReadsAhead.KEYS, 0, keys)
                            .distinct()
                            .mapToObj(number -> key(number, chosenIsPresent))
                            .toList();
            ReadsAhead.of(backend).readAhead(stateName, some);
            readAhead.addAll(some);
        }
        backend.setCurrentKey(readAhead.remove());
    }

    /** Returns how many rows of the current key it has found; so do those below. */
    int getValue() throws Exception {
        return state(VALUE).value() == null ? 0 : 1;
    }

    int getValueAhead() throws Exception {
        chooseKeyReadAhead(VALUE.getName());
        return getValue();
    }

    int getList() throws Exception {
        int found = 0;
        for (byte[] row : state(LIST).get()) {
            found += row.length / ROW_BYTES;
        }
        return found;
    }

    int getListAhead() throws Exception {
        chooseKeyReadAhead(LIST.getName());
        return getList();
    }

    int getMapEntry() throws Exception {
        return state(MAP).get(random.nextLong(layout.rows)) == null ? 0 : 1;
    }

    int scanMap() throws Exception {
        int found = 0;
        for (byte[] row : state(MAP).values()) {
            found += row.length / ROW_BYTES;
        }
        return found;
    }

    /** Returns how many rows of the current key it has written. */
    int putValue() throws Exception {
        state(VALUE).update(anyRow());
        return 1;
    }

    /** Returns how many rows it has added to those of the current key. */
    int append() throws Exception {
        state(LIST).add(anyRow());
        return 1;
    }

    private byte[] anyRow() {
        return rows[random.nextInt(DISTINCT_ROWS)];
    }

    private <S extends State> S state(StateDescriptor<S, ?> descriptor) throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }

    @Override
    public void close() throws Exception {
        backend.dispose();
        environment.close();
        FileUtils.deleteDirectory(directory.toFile());
    }
}
