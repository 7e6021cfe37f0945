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
package io.stateaccel.rocksdb.blob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.flink.rocksdb.BlobFileOptions;
import io.stateaccel.rocksdb.testing.BackendHarness;
import io.stateaccel.rocksdb.testing.CheckpointDirectory;
import io.stateaccel.rocksdb.testing.LogCollector;
import io.stateaccel.rocksdb.testing.SeparatedValues;
import io.stateaccel.rocksdb.testing.UnchangedOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
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
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.LocalSnapshotDirectoryProviderImpl;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.TestTaskStateManager;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.state.rocksdb.RocksDBConfigurableOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;

/**
 * Long values in blob files: what incremental checkpoints upload and leave behind, the space that
 * garbage takes, and restores that need more than {@code SnapshotExchangeTest} has.
 */
class ValueSeparationTest extends SeparatedValues {

    @ParameterizedTest
    @EnumSource
    void fiftyCheckpointsUploadNoMoreThanWithoutAndLeaveNothingBehind(Separation separation)
            throws Exception {
        long separated = uploadedByFiftyCheckpoints(backend(separation.options()), "separated");
        long together = uploadedByFiftyCheckpoints(backend(Map.of()), "together");
        System.out.printf(
                "ValueSeparationTest: 50 checkpoints of %d updated bytes each, %d bytes of state:"
                        + " %d bytes uploaded with blob files (%s), %d without%n",
                UPDATED_BYTES, LIVE_BYTES, separated, separation, together);
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

    /** What the second of two checkpoints uploads again is deleted as the first one had it. */
    @Test
    void whatALaterCheckpointUploadedAgainIsNotReferredTo() throws Exception {
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("checkpoints"));
        AbstractKeyedStateBackend<Integer> backend = open(backend(separating()), List.of());
        try {
            writeAll(backend);
            checkpoints.completeTwo(backend, CHECKPOINT);
            update(backend);
            assertThat(checkpoints.complete(backend, CHECKPOINT)).isGreaterThan(LIVE_BYTES);
            assertThat(checkpoints.files()).isEqualTo(checkpoints.filesOfLast());
        } finally {
            backend.dispose();
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

    @ParameterizedTest
    @EnumSource
    void garbageStaysBelowHalfOfWhatIsLive(Separation separation) throws Exception {
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("checkpoints"));
        AbstractKeyedStateBackend<Integer> backend = open(backend(separation.options()), List.of());
        try {
            writeAll(backend);
            assertThat(shareOfFilesToCollect())
                    .isEqualTo(separation == Separation.FORCED ? 0.25 : 0);
            double largestShare = 0;
            for (int i = 1; i <= 120; i++) {
                update(backend);
                checkpoints.complete(backend, CHECKPOINT);
                // The first checkpoint makes the first blob files.
                if (i == 2) {
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
    void aKindMayBeAnException() throws Exception {
        Map<String, String> options = new HashMap<>(separating());
        options.put(
                StateAccelOptions.ROCKSDB_OVERRIDES.key(),
                "value.value-separation.min-size:0,list.value-separation.min-size:1kb");
        assertThat(blobFilesOfACheckpoint(options)).isEmpty();
        options.put(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE_PER_STATE.key(), "wide:1kb");
        assertThat(blobFilesOfACheckpoint(options)).hasSize(1);
        options.clear();
        options.put(
                StateAccelOptions.ROCKSDB_OVERRIDES.key(), "value.value-separation.min-size:1kb");
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
        LogCollector log = new LogCollector(BackendHarness.logger("ColumnFamilyOptionsSource"));
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
        List<KeyedStateHandle> halves =
                List.of(
                        part(separating(), KeyGroupRange.of(0, 63)),
                        part(separating(), KeyGroupRange.of(64, 127)));
        Map<String, String> ingest =
                Map.of(RocksDBConfigurableOptions.USE_INGEST_DB_RESTORE_MODE.key(), "true");
        assertThat(BlobFiles.areIn(halves)).isTrue();
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

        LogCollector log =
                new LogCollector(BackendHarness.logger("StateAccelKeyedStateBackendBuilder"));
        AbstractKeyedStateBackend<Integer> restored = open(backend(ingest), halves);
        try {
            assertContent(restored);
        } finally {
            restored.dispose();
            log.close();
        }
        assertThat(log.lines()).anyMatch(line -> line.contains("restoring without it"));
    }

    /** A compaction of what is to be exported would separate values. */
    @ParameterizedTest
    @EnumSource
    void filesThatMayGetSeparatedValuesAreNotIngested(Separation separation) throws Exception {
        List<KeyedStateHandle> halves =
                List.of(
                        part(Map.of(), KeyGroupRange.of(0, 63)),
                        part(Map.of(), KeyGroupRange.of(64, 127)));
        Map<String, String> options = new HashMap<>(separation.options());
        options.put(RocksDBConfigurableOptions.USE_INGEST_DB_RESTORE_MODE.key(), "true");
        LogCollector log =
                new LogCollector(BackendHarness.logger("StateAccelKeyedStateBackendBuilder"));
        AbstractKeyedStateBackend<Integer> restored = open(backend(options), halves);
        try {
            assertContent(restored);
            compact(restored);
            assertContent(restored);
        } finally {
            restored.dispose();
            log.close();
        }
        assertThat(log.lines().stream().anyMatch(line -> line.contains("restoring without it")))
                .isEqualTo(separation == Separation.FORCED);
    }

    @ParameterizedTest
    @EnumSource
    void rescalingMayDropFilesAndCompact(Separation separation) throws Exception {
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("checkpoints"));
        AbstractKeyedStateBackend<Integer> backend = open(backend(separation.options()), List.of());
        try {
            writeAll(backend);
            compact(backend);
            update(backend);
            checkpoints.complete(backend, CHECKPOINT);
        } finally {
            backend.dispose();
        }
        Map<String, String> options = new HashMap<>(separation.options());
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

    /** Has long values separated by other means than our options. */
    static final class UsersBlobFiles extends UnchangedOptions {

        private static final long serialVersionUID = 1L;

        @Override
        public ColumnFamilyOptions createColumnOptions(
                ColumnFamilyOptions currentOptions, Collection<AutoCloseable> handlesToClose) {
            BlobFileOptions.set(
                    currentOptions, true, 1_000, 64 << 20, CompressionType.NO_COMPRESSION, 0.25);
            return currentOptions;
        }
    }
}
