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

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.rocksdb.testing.BackendHarness.Make;
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
public abstract class SeparatedValues {

    protected static final SnapshotType CHECKPOINT = CheckpointType.CHECKPOINT;
    protected static final int KEYS = 2_000;
    protected static final int VALUE_BYTES = 2_000;
    protected static final int UPDATES_PER_CHECKPOINT = 100;
    protected static final long LIVE_BYTES = (long) KEYS * VALUE_BYTES;
    protected static final long UPDATED_BYTES = (long) UPDATES_PER_CHECKPOINT * VALUE_BYTES;
    protected static final int MAX_PARALLELISM = 128;
    protected static final KeyGroupRange ALL_KEY_GROUPS = KeyGroupRange.of(0, MAX_PARALLELISM - 1);
    protected static final ValueStateDescriptor<byte[]> DESCRIPTOR =
            new ValueStateDescriptor<>("wide", BytePrimitiveArraySerializer.INSTANCE);

    @TempDir protected Path directory;

    /** What makes for separated values. */
    protected enum Separation {
        FORCED(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE, "1kb"),
        AUTOMATIC(StateAccelOptions.VALUE_SEPARATION_AUTOMATIC, "true");

        private final Map<String, String> options;

        Separation(ConfigOption<?> option, String value) {
            options = Map.of(option.key(), value);
        }

        public Map<String, String> options() {
            return options;
        }
    }

    protected final Random random = new Random(20261122);
    protected final Map<Integer, byte[]> expected = new HashMap<>();

    /** Of values that are written from now on. */
    protected int valueBytes = VALUE_BYTES;

    /** The checkpoint of a sub-task with some of the key groups. */
    protected KeyedStateHandle part(Map<String, String> options, KeyGroupRange range)
            throws Exception {
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

    protected void writeAll(AbstractKeyedStateBackend<Integer> backend) throws Exception {
        for (int key = 0; key < KEYS; key++) {
            write(backend, key);
        }
    }

    protected void update(AbstractKeyedStateBackend<Integer> backend) throws Exception {
        for (int i = 0; i < UPDATES_PER_CHECKPOINT; i++) {
            write(backend, random.nextInt(KEYS));
        }
    }

    protected void write(AbstractKeyedStateBackend<Integer> backend, int key) throws Exception {
        if (!isIn(backend, key)) {
            return;
        }
        byte[] value = new byte[valueBytes];
        random.nextBytes(value);
        backend.setCurrentKey(key);
        state(backend).update(value);
        expected.put(key, value);
    }

    protected void assertContent(AbstractKeyedStateBackend<Integer> backend) throws Exception {
        for (Map.Entry<Integer, byte[]> entry : expected.entrySet()) {
            if (isIn(backend, entry.getKey())) {
                backend.setCurrentKey(entry.getKey());
                assertThat(state(backend).value()).isEqualTo(entry.getValue());
            }
        }
    }

    protected static boolean isIn(AbstractKeyedStateBackend<Integer> backend, int key) {
        return backend.getKeyGroupRange()
                .contains(KeyGroupRangeAssignment.assignToKeyGroup(key, MAX_PARALLELISM));
    }

    protected static ValueState<byte[]> state(AbstractKeyedStateBackend<Integer> backend)
            throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, DESCRIPTOR);
    }

    /** Often enough that RocksDB sees no reason to compact at a time of its own choice. */
    protected static void compact(AbstractKeyedStateBackend<Integer> backend) throws Exception {
        ((RocksDBKeyedStateBackend<Integer>) backend).compactState(DESCRIPTOR);
    }

    protected static Map<String, String> separating() {
        return Separation.FORCED.options();
    }

    protected StateBackend backend(Map<String, String> options) {
        return Make.ACCELERATED.create(config(options));
    }

    protected StateBackend stock(Map<String, String> options) {
        return Make.STOCK.create(config(options));
    }

    protected Configuration config(Map<String, String> options) {
        return BackendHarness.incremental(
                BackendHarness.config(directory.resolve("local"), options), true);
    }

    protected static AbstractKeyedStateBackend<Integer> open(
            StateBackend backend, Collection<KeyedStateHandle> handles) throws IOException {
        return open(backend, ALL_KEY_GROUPS, handles);
    }

    protected static AbstractKeyedStateBackend<Integer> open(
            StateBackend backend, KeyGroupRange range, Collection<KeyedStateHandle> handles)
            throws IOException {
        return BackendHarness.open(
                backend, IntSerializer.INSTANCE, MAX_PARALLELISM, range, handles);
    }

    protected double shareOfFilesToCollect() throws IOException {
        return Double.parseDouble(
                OptionsFile.below(directory.resolve("local"))
                        .columnFamily("wide", "blob_garbage_collection_age_cutoff"));
    }

    /** What the only open database takes on disk. */
    protected long databaseBytes() {
        return BackendHarness.databaseFiles(directory.resolve("local")).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }
}
