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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.rocksdb.BackendHarness.Make;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.IncrementalLocalKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.LocalSnapshotDirectoryProviderImpl;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.TestTaskStateManager;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.state.rocksdb.RocksDBConfigurableOptions;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;
import org.apache.flink.state.rocksdb.RocksDBOptionsFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;

/**
 * Long values in blob files: what incremental checkpoints upload and leave behind, the space that
 * garbage takes, and restores that need more than {@link SnapshotExchangeTest} has.
 */
class ValueSeparationTest {

    private static final SnapshotType CHECKPOINT = CheckpointType.CHECKPOINT;
    private static final int KEYS = 2_000;
    private static final int VALUE_BYTES = 2_000;
    private static final int UPDATES_PER_CHECKPOINT = 100;
    private static final long LIVE_BYTES = (long) KEYS * VALUE_BYTES;
    private static final long UPDATED_BYTES = (long) UPDATES_PER_CHECKPOINT * VALUE_BYTES;
    private static final int MAX_PARALLELISM = 128;
    private static final KeyGroupRange ALL_KEY_GROUPS = KeyGroupRange.of(0, MAX_PARALLELISM - 1);
    private static final ValueStateDescriptor<byte[]> DESCRIPTOR =
            new ValueStateDescriptor<>("wide", BytePrimitiveArraySerializer.INSTANCE);

    @TempDir private Path directory;

    private final Random random = new Random(20261122);
    private final Map<Integer, byte[]> expected = new HashMap<>();

    @Test
    void fiftyCheckpointsUploadNoMoreThanWithoutAndLeaveNothingBehind() throws Exception {
        long separated = uploadedByFiftyCheckpoints(backend(separating()), "separated");
        long together = uploadedByFiftyCheckpoints(backend(Map.of()), "together");
        System.out.printf(
                "ValueSeparationTest: 50 checkpoints of %d updated bytes each, %d bytes of state:"
                        + " %d bytes uploaded with blob files, %d without%n",
                UPDATED_BYTES, LIVE_BYTES, separated, together);
        assertThat(separated).isLessThanOrEqualTo(together);
    }

    private long uploadedByFiftyCheckpoints(StateBackend makes, String name) throws Exception {
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve(name));
        AbstractKeyedStateBackend<Integer> backend = open(makes, List.of());
        long uploaded = 0;
        try {
            writeAll(backend);
            for (int i = 1; i <= 50; i++) {
                update(backend);
                uploaded += checkpoints.complete(backend, CHECKPOINT);
                if (i % 3 == 0) {
                    compact(backend);
                }
            }
        } finally {
            backend.dispose();
        }
        assertThat(checkpoints.files()).isEqualTo(checkpoints.filesOfLast());
        return uploaded;
    }

    @Test
    void flinksOwnStrategyUploadsAllBlobFilesWithEachCheckpoint() throws Exception {
        EmbeddedRocksDBStateBackend stock = (EmbeddedRocksDBStateBackend) stock(Map.of());
        stock.setRocksDBOptions(new UsersBlobFiles());
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("checkpoints"));
        AbstractKeyedStateBackend<Integer> backend = open(stock, List.of());
        try {
            writeAll(backend);
            for (int i = 0; i < 3; i++) {
                update(backend);
                assertThat(checkpoints.complete(backend, CHECKPOINT)).isGreaterThan(LIVE_BYTES);
            }
        } finally {
            backend.dispose();
        }
    }

    @Test
    void blobFilesOfTheUsersOptionsFactoryAreSharedToo() throws Exception {
        EmbeddedRocksDBStateBackend accelerated = (EmbeddedRocksDBStateBackend) backend(Map.of());
        accelerated.setRocksDBOptions(new UsersBlobFiles());
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("checkpoints"));
        AbstractKeyedStateBackend<Integer> backend = open(accelerated, List.of());
        try {
            writeAll(backend);
            checkpoints.complete(backend, CHECKPOINT);
            update(backend);
            assertThat(checkpoints.complete(backend, CHECKPOINT)).isLessThan(2 * UPDATED_BYTES);
            assertThat(checkpoints.sharedBlobFilesOfLast()).hasSize(2);
        } finally {
            backend.dispose();
        }
    }

    @Test
    void onlyConfirmedFilesAreReferredTo() throws Exception {
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("checkpoints"));
        AbstractKeyedStateBackend<Integer> backend = open(backend(separating()), List.of());
        try {
            writeAll(backend);
            // What an aborted checkpoint uploaded is gone.
            assertThat(checkpoints.abort(backend, CHECKPOINT)).isGreaterThan(LIVE_BYTES);
            assertThat(checkpoints.complete(backend, CHECKPOINT)).isGreaterThan(LIVE_BYTES);
            update(backend);
            assertThat(checkpoints.abort(backend, CHECKPOINT)).isLessThan(2 * UPDATED_BYTES);
            assertThat(checkpoints.complete(backend, CHECKPOINT)).isLessThan(2 * UPDATED_BYTES);
            // A savepoint has everything, and the checkpoint after it goes on from the one before.
            update(backend);
            SnapshotType savepoint = SavepointType.savepoint(SavepointFormatType.NATIVE);
            assertThat(checkpoints.complete(backend, savepoint)).isGreaterThan(LIVE_BYTES);
            assertThat(checkpoints.complete(backend, CHECKPOINT)).isLessThan(2 * UPDATED_BYTES);
            // So has a full checkpoint, which later ones share.
            assertThat(checkpoints.complete(backend, CheckpointType.FULL_CHECKPOINT))
                    .isGreaterThan(LIVE_BYTES);
            update(backend);
            assertThat(checkpoints.complete(backend, CHECKPOINT)).isLessThan(2 * UPDATED_BYTES);
        } finally {
            backend.dispose();
        }
        AbstractKeyedStateBackend<Integer> restored =
                open(backend(separating()), List.of(checkpoints.last()));
        try {
            assertContent(restored);
        } finally {
            restored.dispose();
        }
    }

    @Test
    void aFailedUploadLeavesNothingBehind() throws Exception {
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("checkpoints"));
        AbstractKeyedStateBackend<Integer> backend = open(backend(separating()), List.of());
        try {
            writeAll(backend);
            checkpoints.complete(backend, CHECKPOINT);
            Set<String> before = checkpoints.files();
            for (int streams = 0; streams < 8; streams++) {
                int streamsToOpen = streams % 4;
                update(backend);
                assertThatThrownBy(() -> checkpoints.fail(backend, streamsToOpen))
                        .hasStackTraceContaining("no more streams");
                // Uploads that were under way in other threads end, and delete what they wrote.
                for (int i = 0; i < 1_000 && !checkpoints.files().equals(before); i++) {
                    Thread.sleep(10);
                }
                assertThat(checkpoints.files()).isEqualTo(before);
            }
            checkpoints.complete(backend, CHECKPOINT);
            assertThat(checkpoints.files()).isEqualTo(checkpoints.filesOfLast());
        } finally {
            backend.dispose();
        }
    }

    @Test
    void localRecoveryGoesOnSharing() throws Exception {
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("checkpoints"));
        AbstractKeyedStateBackend<Integer> backend = openWithLocalRecovery(List.of());
        try {
            writeAll(backend);
            checkpoints.complete(backend, CHECKPOINT);
            update(backend);
            checkpoints.complete(backend, CHECKPOINT);
        } finally {
            backend.dispose();
        }
        Set<String> before = checkpoints.sharedBlobFilesOfLast();
        assertThat(before).hasSize(2);
        assertThat(checkpoints.lastLocal()).isInstanceOf(IncrementalLocalKeyedStateHandle.class);

        AbstractKeyedStateBackend<Integer> restored =
                openWithLocalRecovery(List.of(checkpoints.lastLocal()));
        try {
            assertContent(restored);
            update(restored);
            assertThat(checkpoints.complete(restored, CHECKPOINT)).isLessThan(2 * UPDATED_BYTES);
            assertThat(checkpoints.sharedBlobFilesOfLast()).hasSize(3).containsAll(before);
            assertContent(restored);
        } finally {
            restored.dispose();
        }
    }

    @Test
    void garbageStaysBelowHalfOfWhatIsLive() throws Exception {
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("checkpoints"));
        AbstractKeyedStateBackend<Integer> backend = open(backend(separating()), List.of());
        try {
            writeAll(backend);
            assertThat(shareOfFilesToCollect()).isEqualTo(0.25);
            double largestShare = 0;
            for (int i = 1; i <= 120; i++) {
                update(backend);
                checkpoints.complete(backend, CHECKPOINT);
                if (i == 1) {
                    assertThat(shareOfFilesToCollect()).isZero();
                }
                largestShare = Math.max(largestShare, shareOfFilesToCollect());
                if (i % 3 == 0) {
                    compact(backend);
                    assertThat(databaseBytes())
                            .as("after checkpoint %s", i)
                            .isLessThan(LIVE_BYTES * 3 / 2);
                }
            }
            // Not because there were no blob files, and not because all are rewritten every time.
            assertThat(checkpoints.sharedBlobFilesOfLast()).hasSizeGreaterThan(5);
            assertThat(largestShare).isPositive();
            assertContent(backend);
        } finally {
            backend.dispose();
        }
    }

    @Test
    void compactionsTakeValuesBackWhenItIsTurnedOff() throws Exception {
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("checkpoints"));
        AbstractKeyedStateBackend<Integer> separated = open(backend(separating()), List.of());
        try {
            writeAll(separated);
            checkpoints.complete(separated, CHECKPOINT);
        } finally {
            separated.dispose();
        }
        AbstractKeyedStateBackend<Integer> together =
                open(backend(Map.of()), List.of(checkpoints.last()));
        try {
            update(together);
            // Still in blob files, and still shared.
            assertThat(checkpoints.complete(together, CHECKPOINT)).isLessThan(2 * UPDATED_BYTES);
            assertThat(checkpoints.sharedBlobFilesOfLast()).hasSize(1);
            compact(together);
            checkpoints.complete(together, CHECKPOINT);
            assertThat(checkpoints.sharedBlobFilesOfLast()).isEmpty();
            assertThat(checkpoints.files()).isEqualTo(checkpoints.filesOfLast());
            assertContent(together);
        } finally {
            together.dispose();
        }
    }

    @Test
    void aStateMayBeAnException() throws Exception {
        Map<String, String> options = new HashMap<>(separating());
        options.put(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE_PER_STATE.key(), "wide:0");
        assertThat(blobFilesOfACheckpoint(options)).isEmpty();
        options.put(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE_PER_STATE.key(), "wide:3kb");
        assertThat(blobFilesOfACheckpoint(options)).isEmpty();
        options.put(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE.key(), "0");
        options.put(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE_PER_STATE.key(), "wide:1kb");
        assertThat(blobFilesOfACheckpoint(options)).hasSize(1);
    }

    @Test
    void refusesWhatIsNotASize() {
        Map<String, String> options =
                Map.of(
                        StateAccelOptions.VALUE_SEPARATION_MIN_SIZE_PER_STATE.key(),
                        "wide:much,narrow:0");
        assertThatThrownBy(() -> backend(options))
                .hasMessageContaining("min-size-per-state")
                .hasMessageContaining("wide:much");
    }

    @Test
    void theLogSaysSo() throws Exception {
        LogCollector log = new LogCollector(ColumnFamilyOptionsSource.class.getName());
        AbstractKeyedStateBackend<Integer> backend = open(backend(separating()), List.of());
        try {
            writeAll(backend);
        } finally {
            backend.dispose();
            log.close();
        }
        assertThat(log.lines())
                .singleElement()
                .asString()
                .startsWith("[state-accel] state 'wide' (VALUE): ")
                .endsWith(", values from 1024 bytes on in blob files");
    }

    /** Merging what two sub-tasks have separated, where stock Flink is to import their files. */
    @Test
    void stockFlinkDoesNotIngestBlobFiles() throws Exception {
        List<KeyedStateHandle> halves = List.of(half(0, 63), half(64, 127));
        Map<String, String> ingest =
                Map.of(RocksDBConfigurableOptions.USE_INGEST_DB_RESTORE_MODE.key(), "true");
        AbstractKeyedStateBackend<Integer> ingested = open(stock(ingest), halves);
        try {
            // Loud, if late: the keys are there and their values are not.
            assertThatThrownBy(() -> assertContent(ingested))
                    .hasStackTraceContaining("RocksDBException");
            try (Stream<Integer> keys = ingested.getKeys("wide", VoidNamespace.INSTANCE)) {
                assertThatThrownBy(keys::count).hasStackTraceContaining("RocksDBException");
            }
        } finally {
            ingested.dispose();
        }

        LogCollector log = new LogCollector(StateAccelKeyedStateBackendBuilder.class.getName());
        AbstractKeyedStateBackend<Integer> restored = open(backend(ingest), halves);
        try {
            assertContent(restored);
        } finally {
            restored.dispose();
            log.close();
        }
        assertThat(log.lines()).anyMatch(line -> line.contains("restoring without it"));
    }

    @Test
    void rescalingMayDropFilesAndCompact() throws Exception {
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("checkpoints"));
        AbstractKeyedStateBackend<Integer> backend = open(backend(separating()), List.of());
        try {
            writeAll(backend);
            compact(backend);
            update(backend);
            checkpoints.complete(backend, CHECKPOINT);
        } finally {
            backend.dispose();
        }
        Map<String, String> options = new HashMap<>(separating());
        options.put(
                RocksDBConfigurableOptions.USE_DELETE_FILES_IN_RANGE_DURING_RESCALING.key(),
                "true");
        options.put(
                RocksDBConfigurableOptions.INCREMENTAL_RESTORE_ASYNC_COMPACT_AFTER_RESCALE.key(),
                "true");
        List<KeyedStateHandle> halves = new ArrayList<>();
        for (KeyGroupRange range : List.of(KeyGroupRange.of(0, 63), KeyGroupRange.of(64, 127))) {
            CheckpointDirectory own = new CheckpointDirectory(directory.resolve("of" + range));
            AbstractKeyedStateBackend<Integer> half =
                    open(
                            backend(options),
                            range,
                            BackendHarness.assign(List.of(checkpoints.last()), range));
            try {
                assertContent(half);
                update(half);
                own.complete(half, CHECKPOINT);
                compact(half);
                update(half);
                own.complete(half, CHECKPOINT);
                assertContent(half);
                assertThat(own.files()).isEqualTo(own.filesOfLast());
            } finally {
                half.dispose();
            }
            halves.add(own.last());
        }
        AbstractKeyedStateBackend<Integer> whole = open(backend(options), halves);
        try {
            assertContent(whole);
        } finally {
            whole.dispose();
        }
    }

    private KeyedStateHandle half(int firstKeyGroup, int lastKeyGroup) throws Exception {
        CheckpointDirectory checkpoints =
                new CheckpointDirectory(directory.resolve("half" + firstKeyGroup));
        AbstractKeyedStateBackend<Integer> backend =
                open(
                        backend(separating()),
                        KeyGroupRange.of(firstKeyGroup, lastKeyGroup),
                        List.of());
        try {
            writeAll(backend);
            checkpoints.complete(backend, CHECKPOINT);
        } finally {
            backend.dispose();
        }
        assertThat(checkpoints.sharedBlobFilesOfLast()).hasSize(1);
        return checkpoints.last();
    }

    private Set<String> blobFilesOfACheckpoint(Map<String, String> options) throws Exception {
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("checkpoints"));
        AbstractKeyedStateBackend<Integer> backend = open(backend(options), List.of());
        try {
            writeAll(backend);
            checkpoints.complete(backend, CHECKPOINT);
            return new HashSet<>(checkpoints.sharedBlobFilesOfLast());
        } finally {
            backend.dispose();
        }
    }

    private void writeAll(AbstractKeyedStateBackend<Integer> backend) throws Exception {
        for (int key = 0; key < KEYS; key++) {
            write(backend, key);
        }
    }

    private void update(AbstractKeyedStateBackend<Integer> backend) throws Exception {
        for (int i = 0; i < UPDATES_PER_CHECKPOINT; i++) {
            write(backend, random.nextInt(KEYS));
        }
    }

    private void write(AbstractKeyedStateBackend<Integer> backend, int key) throws Exception {
        if (!isIn(backend, key)) {
            return;
        }
        byte[] value = new byte[VALUE_BYTES];
        random.nextBytes(value);
        backend.setCurrentKey(key);
        state(backend).update(value);
        expected.put(key, value);
    }

    private void assertContent(AbstractKeyedStateBackend<Integer> backend) throws Exception {
        for (Map.Entry<Integer, byte[]> entry : expected.entrySet()) {
            if (isIn(backend, entry.getKey())) {
                backend.setCurrentKey(entry.getKey());
                assertThat(state(backend).value()).isEqualTo(entry.getValue());
            }
        }
    }

    private static boolean isIn(AbstractKeyedStateBackend<Integer> backend, int key) {
        return backend.getKeyGroupRange()
                .contains(KeyGroupRangeAssignment.assignToKeyGroup(key, MAX_PARALLELISM));
    }

    private static ValueState<byte[]> state(AbstractKeyedStateBackend<Integer> backend)
            throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, DESCRIPTOR);
    }

    /** Often enough that RocksDB sees no reason to compact at a time of its own choice. */
    private static void compact(AbstractKeyedStateBackend<Integer> backend) throws Exception {
        ((RocksDBKeyedStateBackend<Integer>) backend).compactState(DESCRIPTOR);
    }

    private static Map<String, String> separating() {
        return Map.of(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE.key(), "1kb");
    }

    private StateBackend backend(Map<String, String> options) {
        return Make.ACCELERATED.create(config(options));
    }

    private StateBackend stock(Map<String, String> options) {
        return Make.STOCK.create(config(options));
    }

    private Configuration config(Map<String, String> options) {
        return BackendHarness.incremental(
                BackendHarness.config(directory.resolve("local"), options), true);
    }

    private static AbstractKeyedStateBackend<Integer> open(
            StateBackend backend, Collection<KeyedStateHandle> handles) throws IOException {
        return open(backend, ALL_KEY_GROUPS, handles);
    }

    private static AbstractKeyedStateBackend<Integer> open(
            StateBackend backend, KeyGroupRange range, Collection<KeyedStateHandle> handles)
            throws IOException {
        return BackendHarness.open(
                backend, IntSerializer.INSTANCE, MAX_PARALLELISM, range, handles);
    }

    private AbstractKeyedStateBackend<Integer> openWithLocalRecovery(
            Collection<KeyedStateHandle> handles) throws IOException {
        return BackendHarness.open(
                new MockEnvironmentBuilder()
                        .setManagedMemorySize(BackendHarness.MANAGED_MEMORY_BYTES)
                        .setTaskStateManager(
                                new TestTaskStateManager(
                                        LocalRecoveryConfig.backupAndRecoveryEnabled(
                                                new LocalSnapshotDirectoryProviderImpl(
                                                        directory.resolve("recovery").toFile(),
                                                        new JobID(),
                                                        new JobVertexID(),
                                                        0))))
                        .build(),
                backend(separating()),
                IntSerializer.INSTANCE,
                MAX_PARALLELISM,
                ALL_KEY_GROUPS,
                handles,
                TtlTimeProvider.DEFAULT,
                new UnregisteredMetricsGroup());
    }

    private double shareOfFilesToCollect() throws IOException {
        return Double.parseDouble(
                OptionsFile.below(directory.resolve("local"))
                        .columnFamily("wide", "blob_garbage_collection_age_cutoff"));
    }

    /** What the only open database takes on disk. */
    private long databaseBytes() {
        return BackendHarness.databaseFiles(directory.resolve("local")).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    private static final class UsersBlobFiles implements RocksDBOptionsFactory {

        private static final long serialVersionUID = 1L;

        @Override
        public DBOptions createDBOptions(
                DBOptions currentOptions, Collection<AutoCloseable> handlesToClose) {
            return currentOptions;
        }

        @Override
        public ColumnFamilyOptions createColumnOptions(
                ColumnFamilyOptions currentOptions, Collection<AutoCloseable> handlesToClose) {
            return currentOptions.setEnableBlobFiles(true).setMinBlobSize(1_000);
        }
    }
}
