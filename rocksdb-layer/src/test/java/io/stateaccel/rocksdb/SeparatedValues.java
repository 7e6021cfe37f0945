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

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.rocksdb.BackendHarness.Make;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;
import org.junit.jupiter.api.io.TempDir;

/**
 * A value state whose values are of any length, what it is to hold, and the backends and
 * checkpoints it is in, for tests of blob files.
 */
abstract class SeparatedValues {

    static final SnapshotType CHECKPOINT = CheckpointType.CHECKPOINT;
    static final int KEYS = 2_000;
    static final int VALUE_BYTES = 2_000;
    static final int UPDATES_PER_CHECKPOINT = 100;
    static final long LIVE_BYTES = (long) KEYS * VALUE_BYTES;
    static final long UPDATED_BYTES = (long) UPDATES_PER_CHECKPOINT * VALUE_BYTES;
    static final int MAX_PARALLELISM = 128;
    static final KeyGroupRange ALL_KEY_GROUPS = KeyGroupRange.of(0, MAX_PARALLELISM - 1);
    static final ValueStateDescriptor<byte[]> DESCRIPTOR =
            new ValueStateDescriptor<>("wide", BytePrimitiveArraySerializer.INSTANCE);

    @TempDir Path directory;

    /** What makes for separated values. */
    enum Separation {
        FORCED(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE, "1kb"),
        AUTOMATIC(StateAccelOptions.VALUE_SEPARATION_AUTOMATIC, "true");

        private final Map<String, String> options;

        Separation(ConfigOption<?> option, String value) {
            options = Map.of(option.key(), value);
        }

        Map<String, String> options() {
            return options;
        }
    }

    final Random random = new Random(20261122);
    final Map<Integer, byte[]> expected = new HashMap<>();

    /** Of values that are written from now on. */
    int valueBytes = VALUE_BYTES;

    /** The checkpoint of a sub-task with some of the key groups. */
    KeyedStateHandle part(Map<String, String> options, KeyGroupRange range) throws Exception {
        CheckpointDirectory checkpoints =
                new CheckpointDirectory(directory.resolve("part" + range.getStartKeyGroup()));
        AbstractKeyedStateBackend<Integer> backend = open(backend(options), range, List.of());
        try {
            writeAll(backend);
            checkpoints.complete(backend, CHECKPOINT);
        } finally {
            backend.dispose();
        }
        return checkpoints.last();
    }

    void writeAll(AbstractKeyedStateBackend<Integer> backend) throws Exception {
        for (int key = 0; key < KEYS; key++) {
            write(backend, key);
        }
    }

    void update(AbstractKeyedStateBackend<Integer> backend) throws Exception {
        for (int i = 0; i < UPDATES_PER_CHECKPOINT; i++) {
            write(backend, random.nextInt(KEYS));
        }
    }

    void write(AbstractKeyedStateBackend<Integer> backend, int key) throws Exception {
        if (!isIn(backend, key)) {
            return;
        }
        byte[] value = new byte[valueBytes];
        random.nextBytes(value);
        backend.setCurrentKey(key);
        state(backend).update(value);
        expected.put(key, value);
    }

    void assertContent(AbstractKeyedStateBackend<Integer> backend) throws Exception {
        for (Map.Entry<Integer, byte[]> entry : expected.entrySet()) {
            if (isIn(backend, entry.getKey())) {
                backend.setCurrentKey(entry.getKey());
                assertThat(state(backend).value()).isEqualTo(entry.getValue());
            }
        }
    }

    static boolean isIn(AbstractKeyedStateBackend<Integer> backend, int key) {
        return backend.getKeyGroupRange()
                .contains(KeyGroupRangeAssignment.assignToKeyGroup(key, MAX_PARALLELISM));
    }

    static ValueState<byte[]> state(AbstractKeyedStateBackend<Integer> backend) throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, DESCRIPTOR);
    }

    /** Often enough that RocksDB sees no reason to compact at a time of its own choice. */
    static void compact(AbstractKeyedStateBackend<Integer> backend) throws Exception {
        ((RocksDBKeyedStateBackend<Integer>) backend).compactState(DESCRIPTOR);
    }

    static Map<String, String> separating() {
        return Separation.FORCED.options();
    }

    StateBackend backend(Map<String, String> options) {
        return Make.ACCELERATED.create(config(options));
    }

    StateBackend stock(Map<String, String> options) {
        return Make.STOCK.create(config(options));
    }

    Configuration config(Map<String, String> options) {
        return BackendHarness.incremental(
                BackendHarness.config(directory.resolve("local"), options), true);
    }

    static AbstractKeyedStateBackend<Integer> open(
            StateBackend backend, Collection<KeyedStateHandle> handles) throws IOException {
        return open(backend, ALL_KEY_GROUPS, handles);
    }

    static AbstractKeyedStateBackend<Integer> open(
            StateBackend backend, KeyGroupRange range, Collection<KeyedStateHandle> handles)
            throws IOException {
        return BackendHarness.open(
                backend, IntSerializer.INSTANCE, MAX_PARALLELISM, range, handles);
    }

    double shareOfFilesToCollect() throws IOException {
        return Double.parseDouble(
                OptionsFile.below(directory.resolve("local"))
                        .columnFamily("wide", "blob_garbage_collection_age_cutoff"));
    }

    /** What the only open database takes on disk. */
    long databaseBytes() {
        return BackendHarness.databaseFiles(directory.resolve("local")).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }
}
