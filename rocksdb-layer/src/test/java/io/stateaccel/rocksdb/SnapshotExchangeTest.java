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

import static io.stateaccel.rocksdb.testing.BackendHarness.Make.ACCELERATED;
import static io.stateaccel.rocksdb.testing.BackendHarness.Make.ACCELERATED_BLOBS;
import static io.stateaccel.rocksdb.testing.BackendHarness.Make.ACCELERATED_HASH_LINKED_LIST;
import static io.stateaccel.rocksdb.testing.BackendHarness.Make.ACCELERATED_HASH_SKIP_LIST;
import static io.stateaccel.rocksdb.testing.BackendHarness.Make.ACCELERATED_JAVA;
import static io.stateaccel.rocksdb.testing.BackendHarness.Make.HASHMAP;
import static io.stateaccel.rocksdb.testing.BackendHarness.Make.STOCK;
import static io.stateaccel.rocksdb.testing.BackendHarness.Snapshot.CANONICAL_SAVEPOINT;
import static io.stateaccel.rocksdb.testing.BackendHarness.Snapshot.INCREMENTAL_CHECKPOINT;
import static io.stateaccel.rocksdb.testing.BackendHarness.Snapshot.NATIVE_SAVEPOINT;
import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.rocksdb.testing.BackendHarness;
import io.stateaccel.rocksdb.testing.BackendHarness.Make;
import io.stateaccel.rocksdb.testing.BackendHarness.Snapshot;
import io.stateaccel.rocksdb.testing.RandomStates;
import io.stateaccel.rocksdb.testing.RandomStates.Keys;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.StateAssignmentOperation;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Snapshots of the accelerated and the stock backend restored by one another, over changes of
 * parallelism, with more changes to the state after each restore.
 */
class SnapshotExchangeTest {

    private static final int OPERATIONS = 1_000;

    @TempDir private Path directory;

    private final long seed = System.nanoTime();
    private final SharedStateRegistry registry = new SharedStateRegistryImpl();
    private long checkpointId;

    static Stream<Arguments> exchanges() {
        List<Arguments> all = new ArrayList<>();
        for (Snapshot snapshot : Snapshot.values()) {
            for (boolean ingest : new boolean[] {false, true}) {
                if (ingest && snapshot == CANONICAL_SAVEPOINT) {
                    continue; // Entries are written one by one: there are no files to ingest.
                }
                if (!ingest && snapshot == NATIVE_SAVEPOINT) {
                    continue; // Restored like a full checkpoint.
                }
                all.add(
                        Arguments.of(
                                snapshot,
                                ingest,
                                128,
                                Keys.VARIABLE_LENGTH,
                                List.of(STOCK, ACCELERATED, STOCK, ACCELERATED, STOCK)));
                all.add(
                        Arguments.of(
                                snapshot,
                                ingest,
                                300,
                                Keys.FIXED_LENGTH,
                                List.of(ACCELERATED, STOCK, ACCELERATED, STOCK, ACCELERATED)));
            }
        }
        all.add(
                Arguments.of(
                        INCREMENTAL_CHECKPOINT,
                        false,
                        300,
                        Keys.VARIABLE_LENGTH,
                        Collections.nCopies(5, ACCELERATED)));
        for (Snapshot snapshot : Snapshot.values()) {
            all.add(
                    Arguments.of(
                            snapshot,
                            false,
                            128,
                            Keys.VARIABLE_LENGTH,
                            List.of(
                                    ACCELERATED_JAVA,
                                    ACCELERATED,
                                    ACCELERATED_JAVA,
                                    ACCELERATED,
                                    ACCELERATED_JAVA)));
        }
        for (Snapshot snapshot : Snapshot.values()) {
            for (boolean ingest : new boolean[] {false, true}) {
                // Memtables come and go: what they hold is never in a snapshot as such.
                all.add(
                        Arguments.of(
                                snapshot,
                                ingest,
                                128,
                                Keys.VARIABLE_LENGTH,
                                List.of(
                                        ACCELERATED_HASH_SKIP_LIST,
                                        ACCELERATED,
                                        ACCELERATED_HASH_LINKED_LIST,
                                        ACCELERATED_HASH_SKIP_LIST,
                                        ACCELERATED_HASH_LINKED_LIST)));
                all.add(
                        Arguments.of(
                                snapshot,
                                ingest,
                                300,
                                Keys.FIXED_LENGTH,
                                List.of(
                                        STOCK,
                                        ACCELERATED_HASH_LINKED_LIST,
                                        ACCELERATED_HASH_SKIP_LIST,
                                        STOCK,
                                        ACCELERATED_HASH_SKIP_LIST)));
            }
        }
        all.add(
                Arguments.of(
                        CANONICAL_SAVEPOINT,
                        false,
                        128,
                        Keys.VARIABLE_LENGTH,
                        List.of(ACCELERATED, HASHMAP, ACCELERATED, HASHMAP, ACCELERATED)));
        for (Snapshot snapshot : Snapshot.values()) {
            for (boolean ingest : new boolean[] {false, true}) {
                // Separated values come and go, and in the end four sub-tasks become one.
                all.add(
                        Arguments.of(
                                snapshot,
                                ingest,
                                128,
                                Keys.VARIABLE_LENGTH,
                                List.of(
                                        ACCELERATED_BLOBS,
                                        ACCELERATED,
                                        ACCELERATED_BLOBS,
                                        ACCELERATED_BLOBS,
                                        ACCELERATED)));
                all.add(
                        Arguments.of(
                                snapshot,
                                ingest,
                                300,
                                Keys.FIXED_LENGTH,
                                List.of(
                                        STOCK,
                                        ACCELERATED_BLOBS,
                                        STOCK,
                                        ACCELERATED_BLOBS,
                                        ACCELERATED_BLOBS)));
            }
            all.add(
                    Arguments.of(
                            snapshot,
                            false,
                            128,
                            Keys.VARIABLE_LENGTH,
                            List.of(ACCELERATED_BLOBS, STOCK, STOCK, ACCELERATED_BLOBS, STOCK)));
        }
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("exchanges")
    <K> void survivesRestoresAndRescaling(
            Snapshot snapshot, boolean ingest, int maxParallelism, Keys<K> keys, List<Make> makes)
            throws Exception {
        System.out.println("SnapshotExchangeTest seed " + seed);
        Configuration config =
                BackendHarness.incremental(
                        BackendHarness.config(
                                directory,
                                Map.of(
                                        "state.backend.rocksdb.writebuffer.size",
                                        "64kb",
                                        "state.backend.rocksdb.use-ingest-db-restore-mode",
                                        "" + ingest,
                                        StateAccelOptions.CACHE_SIZE.key(),
                                        keys == Keys.FIXED_LENGTH ? "4kb" : "16mb")),
                        snapshot == INCREMENTAL_CHECKPOINT);
        AbstractKeyedStateBackend<K> referenceBackend =
                BackendHarness.open(
                        HASHMAP.create(config),
                        keys.serializer(),
                        maxParallelism,
                        KeyGroupRange.of(0, maxParallelism - 1),
                        List.of());
        RandomStates<K> reference = new RandomStates<>(List.of(referenceBackend), keys);

        int[] parallelism = {1, 1, 2, 4, 1};
        List<KeyedStateHandle> handles = List.of();
        for (int step = 0; step < parallelism.length; step++) {
            String as = makes.get(step) + " at step " + step + ", seed " + seed;
            List<AbstractKeyedStateBackend<K>> backends =
                    open(makes.get(step), config, keys, maxParallelism, parallelism[step], handles);
            try {
                RandomStates<K> states = new RandomStates<>(backends, keys);
                if (step > 0) {
                    assertThat(RandomStates.differences(states.dump(), reference.dump()))
                            .as("restored by " + as)
                            .isEmpty();
                }
                mutateBoth(states, reference);
                if (snapshot == INCREMENTAL_CHECKPOINT) {
                    // The one that counts is the second: it refers to files of the first.
                    take(snapshot, backends);
                    for (AbstractKeyedStateBackend<K> backend : backends) {
                        backend.notifyCheckpointComplete(checkpointId);
                    }
                    mutateBoth(states, reference);
                }
                assertThat(RandomStates.differences(states.dump(), reference.dump()))
                        .as("written by " + as)
                        .isEmpty();
                handles = take(snapshot, backends);
            } finally {
                backends.forEach(AbstractKeyedStateBackend::dispose);
            }
        }
        referenceBackend.dispose();
    }

    private <K> void mutateBoth(RandomStates<K> states, RandomStates<K> reference)
            throws Exception {
        long roundSeed = seed + checkpointId;
        states.mutate(new Random(roundSeed), OPERATIONS);
        reference.mutate(new Random(roundSeed), OPERATIONS);
    }

    private <K> List<AbstractKeyedStateBackend<K>> open(
            Make make,
            Configuration config,
            Keys<K> keys,
            int maxParallelism,
            int parallelism,
            List<KeyedStateHandle> handles)
            throws Exception {
        List<AbstractKeyedStateBackend<K>> backends = new ArrayList<>();
        for (KeyGroupRange range :
                StateAssignmentOperation.createKeyGroupPartitions(maxParallelism, parallelism)) {
            backends.add(
                    BackendHarness.open(
                            make.create(config),
                            keys.serializer(),
                            maxParallelism,
                            range,
                            BackendHarness.assign(handles, range)));
        }
        return backends;
    }

    private <K> List<KeyedStateHandle> take(
            Snapshot snapshot, List<AbstractKeyedStateBackend<K>> backends) throws Exception {
        checkpointId++;
        List<KeyedStateHandle> handles = new ArrayList<>();
        for (AbstractKeyedStateBackend<K> backend : backends) {
            handles.add(BackendHarness.take(snapshot, checkpointId, backend, registry));
        }
        return handles;
    }
}
