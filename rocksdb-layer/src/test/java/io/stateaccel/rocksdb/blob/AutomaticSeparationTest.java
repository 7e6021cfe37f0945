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

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.rocksdb.testing.BackendHarness;
import io.stateaccel.rocksdb.testing.CheckpointDirectory;
import io.stateaccel.rocksdb.testing.LogCollector;
import io.stateaccel.rocksdb.testing.OptionsFile;
import io.stateaccel.rocksdb.testing.SeparatedValues;
import io.stateaccel.rocksdb.testing.UnchangedOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.state.rocksdb.RocksDBConfigurableOptions;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * States that decide for themselves, while they are written, whether their long values go to blob
 * files: what comes of that in RocksDB, and that no restore minds. {@link ValueSeparationTest} has
 * what is the same however values got separated.
 */
class AutomaticSeparationTest extends SeparatedValues {

    private static final int SHORT_BYTES = 100;
    private static final Map<String, String> AUTOMATIC = Separation.AUTOMATIC.options();

    private static final ListStateDescriptor<byte[]> LIST =
            new ListStateDescriptor<>("list", BytePrimitiveArraySerializer.INSTANCE);
    private static final MapStateDescriptor<Integer, byte[]> MAP =
            new MapStateDescriptor<>(
                    "map", IntSerializer.INSTANCE, BytePrimitiveArraySerializer.INSTANCE);
    private static final ValueStateDescriptor<byte[]> NARROW =
            new ValueStateDescriptor<>("narrow", BytePrimitiveArraySerializer.INSTANCE);

    private final LogCollector log = new LogCollector(AutomaticSeparation.class.getName());

    @AfterEach
    void stopLogging() {
        log.close();
    }

    @Test
    void onlyTheStateWithLongValuesIsSeparated() throws Exception {
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("checkpoints"));
        AbstractKeyedStateBackend<Integer> backend = open(backend(AUTOMATIC), List.of());
        try {
            writeAll(backend);
            ValueState<byte[]> narrow = state(backend, NARROW);
            for (int key = 0; key < 20 * KEYS; key++) {
                backend.setCurrentKey(key);
                narrow.update(bytes(SHORT_BYTES));
            }
            assertThat(separates("wide")).isFalse();
            checkpoints.complete(backend, CHECKPOINT);
            assertThat(separates("wide")).isTrue();
            assertThat(separates("narrow")).isFalse();
            update(backend);
            checkpoints.complete(backend, CHECKPOINT);
            assertThat(checkpoints.sharedBlobFilesOfLast()).isNotEmpty();
            assertContent(backend);
        } finally {
            backend.dispose();
        }
        assertThat(log.lines())
                .containsExactly(
                        "[state-accel] state 'wide': 100 % of the bytes written are in values of at"
                                + " least 1024 bytes: these are kept in blob files from now on");
    }

    @Test
    void longEntriesOfAMapAreSeparatedAndShortOnesAreNot() throws Exception {
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("checkpoints"));
        Map<Integer, byte[]> written = new HashMap<>();
        AbstractKeyedStateBackend<Integer> backend = open(backend(AUTOMATIC), List.of());
        long longBytes = 0;
        try {
            MapState<Integer, byte[]> map = state(backend, MAP);
            for (int i = 0; i < KEYS; i++) {
                byte[] value = bytes(i % 5 == 0 ? 5 * VALUE_BYTES : SHORT_BYTES);
                longBytes += value.length > SHORT_BYTES ? value.length : 0;
                written.put(i, value);
                backend.setCurrentKey(i / 10);
                map.put(i, value);
            }
            checkpoints.complete(backend, CHECKPOINT);
            assertThat(separates("map")).isTrue();
            assertThat(
                            BackendHarness.databaseFiles(directory.resolve("local"))
                                    .entrySet()
                                    .stream()
                                    .filter(file -> file.getKey().endsWith(".blob"))
                                    .mapToLong(Map.Entry::getValue)
                                    .sum())
                    .isBetween(longBytes, longBytes + 100 * KEYS / 5 + 1_000);
            assertMaps(backend, written);
        } finally {
            backend.dispose();
        }
        AbstractKeyedStateBackend<Integer> restored =
                open(stock(Map.of()), List.of(checkpoints.last()));
        try {
            assertMaps(restored, written);
        } finally {
            restored.dispose();
        }
    }

    private static void assertMaps(
            AbstractKeyedStateBackend<Integer> backend, Map<Integer, byte[]> written)
            throws Exception {
        MapState<Integer, byte[]> map = state(backend, MAP);
        for (int key = 0; key < KEYS / 10; key++) {
            backend.setCurrentKey(key);
            int entries = 0;
            for (Map.Entry<Integer, byte[]> entry : map.entries()) {
                assertThat(entry.getValue()).isEqualTo(written.get(entry.getKey()));
                entries++;
            }
            assertThat(entries).isEqualTo(10);
            assertThat(map.get(key * 10)).isEqualTo(written.get(key * 10));
        }
    }

    /** What is appended is short: RocksDB separates what it merges, which is what is read. */
    @ParameterizedTest
    @ValueSource(ints = {2, 20})
    void listsGoByTheirWholeLength(int elements) throws Exception {
        int keys = 1_000;
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("checkpoints"));
        Map<Integer, List<byte[]>> written = new HashMap<>();
        AbstractKeyedStateBackend<Integer> backend = open(backend(AUTOMATIC), List.of());
        try {
            ListState<byte[]> list = state(backend, LIST);
            for (int i = 0; i < elements * keys; i++) {
                append(backend, written, i % keys);
            }
            checkpoints.complete(backend, CHECKPOINT);
            // Nothing is known of lists that nobody has read.
            assertThat(separates("list")).isFalse();
            for (int i = 0; i < 20 / elements; i++) {
                for (int key = 0; key < keys; key++) {
                    backend.setCurrentKey(key);
                    assertThat(list.get()).hasSize(elements);
                }
            }
            checkpoints.complete(backend, CHECKPOINT);
            assertThat(separates("list")).isEqualTo(elements == 20);
            for (int i = 0; i < keys; i++) {
                append(backend, written, random.nextInt(keys));
            }
            checkpoints.complete(backend, CHECKPOINT);
            ((RocksDBKeyedStateBackend<Integer>) backend).compactState(LIST);
            checkpoints.complete(backend, CHECKPOINT);
            assertThat(checkpoints.sharedBlobFilesOfLast()).hasSize(elements == 20 ? 1 : 0);
            assertLists(backend, written);
        } finally {
            backend.dispose();
        }
        AbstractKeyedStateBackend<Integer> restored =
                open(backend(AUTOMATIC), List.of(checkpoints.last()));
        try {
            assertLists(restored, written);
        } finally {
            restored.dispose();
        }
    }

    private void append(
            AbstractKeyedStateBackend<Integer> backend, Map<Integer, List<byte[]>> written, int key)
            throws Exception {
        byte[] element = bytes(SHORT_BYTES);
        backend.setCurrentKey(key);
        AutomaticSeparationTest.<ListState<byte[]>>state(backend, LIST).add(element);
        written.computeIfAbsent(key, k -> new ArrayList<>()).add(element);
    }

    private static void assertLists(
            AbstractKeyedStateBackend<Integer> backend, Map<Integer, List<byte[]>> written)
            throws Exception {
        ListState<byte[]> list = state(backend, LIST);
        for (Map.Entry<Integer, List<byte[]>> entry : written.entrySet()) {
            backend.setCurrentKey(entry.getKey());
            assertThat(list.get())
                    .usingElementComparator(Arrays::compare)
                    .isEqualTo(entry.getValue());
        }
    }

    @Test
    void aStateEndsWhenItsValuesBecomeShort() throws Exception {
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("checkpoints"));
        AbstractKeyedStateBackend<Integer> backend = open(backend(AUTOMATIC), List.of());
        try {
            writeAll(backend);
            checkpoints.complete(backend, CHECKPOINT);
            assertThat(separates("wide")).isTrue();
            valueBytes = SHORT_BYTES;
            int rounds = 0;
            while (separates("wide")) {
                assertThat(++rounds).isLessThan(50);
                writeAll(backend);
                checkpoints.complete(backend, CHECKPOINT);
            }
            assertThat(rounds).isGreaterThanOrEqualTo(10);
            valueBytes = VALUE_BYTES;
            update(backend);
            checkpoints.complete(backend, CHECKPOINT);
            compact(backend);
            checkpoints.complete(backend, CHECKPOINT);
            // The long ones that came afterwards are not separated any more.
            assertThat(checkpoints.sharedBlobFilesOfLast()).isEmpty();
            assertThat(databaseBytes()).isGreaterThan(UPDATED_BYTES / 2);
            assertContent(backend);
        } finally {
            backend.dispose();
        }
        assertThat(log.lines()).hasSize(2);
        assertThat(log.lines().get(1))
                .matches(
                        "\\[state-accel] state 'wide': 1?\\d % of the bytes written are in values"
                                + " of at least 1024 bytes: these are kept together with their keys"
                                + " from now on");
    }

    /**
     * Lengths that come and go, and between two phases any restore: what is there is what was
     * written, wherever it was left, and what is uploaded is what a checkpoint refers to.
     */
    @Test
    void whatIsRestoredIsWhatWasWrittenWhateverSwitchesCameBefore() throws Exception {
        long seed = System.nanoTime();
        System.out.println("AutomaticSeparationTest: seed " + seed);
        Random phases = new Random(seed);
        List<KeyGroupRange> whole = List.of(ALL_KEY_GROUPS);
        List<KeyGroupRange> halves = List.of(KeyGroupRange.of(0, 63), KeyGroupRange.of(64, 127));
        List<KeyedStateHandle> handles = List.of();
        Map<KeyGroupRange, CheckpointDirectory> subTasks = Map.of();
        int withBlobFiles = 0;
        for (int phase = 0; phase < 12; phase++) {
            valueBytes = phases.nextBoolean() ? VALUE_BYTES : SHORT_BYTES;
            int checkpointsInPhase = 1 + phases.nextInt(15);
            Map<String, String> options =
                    new HashMap<>(phases.nextInt(4) > 0 ? AUTOMATIC : Map.of());
            options.put(
                    RocksDBConfigurableOptions.USE_INGEST_DB_RESTORE_MODE.key(),
                    String.valueOf(phases.nextBoolean()));
            options.put(
                    RocksDBConfigurableOptions.INCREMENTAL_RESTORE_ASYNC_COMPACT_AFTER_RESCALE
                            .key(),
                    String.valueOf(phases.nextBoolean()));
            // Stock Flink cannot ingest blob files, see ValueSeparationTest.
            StateBackend makes = phases.nextInt(4) > 0 ? backend(options) : stock(Map.of());
            Map<KeyGroupRange, CheckpointDirectory> before = subTasks;
            subTasks = new LinkedHashMap<>();
            for (KeyGroupRange range : phases.nextBoolean() ? whole : halves) {
                Path own = directory.resolve("phase" + phase + "-" + range.getStartKeyGroup());
                CheckpointDirectory checkpoints =
                        before.containsKey(range)
                                ? before.get(range)
                                : new CheckpointDirectory(own);
                subTasks.put(range, checkpoints);
                AbstractKeyedStateBackend<Integer> backend =
                        open(makes, range, BackendHarness.assign(handles, range));
                try {
                    assertContent(backend);
                    for (int i = 0; i < checkpointsInPhase; i++) {
                        writeAll(backend);
                        checkpoints.complete(backend, CHECKPOINT);
                        if (phases.nextInt(5) == 0) {
                            compact(backend);
                        }
                    }
                    assertContent(backend);
                } finally {
                    backend.dispose();
                }
                assertThat(checkpoints.files()).isEqualTo(checkpoints.filesOfLast());
            }
            handles = new ArrayList<>();
            for (CheckpointDirectory checkpoints : subTasks.values()) {
                handles.add(checkpoints.last());
            }
            withBlobFiles += BlobFiles.areIn(handles) ? 1 : 0;
        }
        System.out.printf(
                "AutomaticSeparationTest: blob files after %d of 12 phases, %d switches%n",
                withBlobFiles, log.lines().size());
        AbstractKeyedStateBackend<Integer> last = open(stock(Map.of()), handles);
        try {
            assertContent(last);
        } finally {
            last.dispose();
        }
    }

    @Test
    void aRestoredStateGoesOn() throws Exception {
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("checkpoints"));
        AbstractKeyedStateBackend<Integer> backend = open(backend(AUTOMATIC), List.of());
        try {
            writeAll(backend);
            checkpoints.complete(backend, CHECKPOINT);
        } finally {
            backend.dispose();
        }
        AbstractKeyedStateBackend<Integer> restored =
                open(backend(AUTOMATIC), List.of(checkpoints.last()));
        try {
            update(restored);
            checkpoints.complete(restored, CHECKPOINT);
            assertThat(checkpoints.sharedBlobFilesOfLast()).hasSize(2);
            assertContent(restored);
        } finally {
            restored.dispose();
        }
        assertThat(log.lines())
                .hasSize(2)
                .last()
                .isEqualTo(
                        "[state-accel] state 'wide': was restored with values in blob files: those"
                                + " of at least 1024 bytes are kept there still");
    }

    @Test
    void compactionsTakeValuesBackWhenItIsTurnedOff() throws Exception {
        KeyedStateHandle checkpoint = part(AUTOMATIC, ALL_KEY_GROUPS);
        assertThat(BlobFiles.areIn(List.of(checkpoint))).isTrue();
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("checkpoints"));
        AbstractKeyedStateBackend<Integer> together = open(backend(Map.of()), List.of(checkpoint));
        try {
            update(together);
            compact(together);
            checkpoints.complete(together, CHECKPOINT);
            assertThat(checkpoints.sharedBlobFilesOfLast()).isEmpty();
            assertContent(together);
        } finally {
            together.dispose();
        }
    }

    @Test
    void filesOfASwitchAtRunTimeAreNotIngested() throws Exception {
        List<KeyedStateHandle> halves =
                List.of(
                        part(AUTOMATIC, KeyGroupRange.of(0, 63)),
                        part(AUTOMATIC, KeyGroupRange.of(64, 127)));
        Map<String, String> options = new HashMap<>(AUTOMATIC);
        options.put(RocksDBConfigurableOptions.USE_INGEST_DB_RESTORE_MODE.key(), "true");
        try (LogCollector builder =
                new LogCollector(BackendHarness.logger("StateAccelKeyedStateBackendBuilder"))) {
            AbstractKeyedStateBackend<Integer> restored = open(backend(options), halves);
            try {
                assertContent(restored);
            } finally {
                restored.dispose();
            }
            assertThat(builder.lines()).anyMatch(line -> line.contains("restoring without it"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"wide:0", "wide:3kb", "wide:1500b"})
    void whatIsSetForAStateIsNotDecided(String minSize) throws Exception {
        Map<String, String> options = new HashMap<>(AUTOMATIC);
        options.put(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE_PER_STATE.key(), minSize);
        assertThat(BlobFiles.areIn(List.of(part(options, ALL_KEY_GROUPS))))
                .isEqualTo(minSize.equals("wide:1500b"));
        assertThat(log.lines()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "3kb", "1500b"})
    void whatIsSetForAKindIsNotDecided(String minSize) throws Exception {
        Map<String, String> options = new HashMap<>(AUTOMATIC);
        options.put(
                StateAccelOptions.ROCKSDB_OVERRIDES.key(),
                "value.value-separation.min-size:" + minSize);
        assertThat(BlobFiles.areIn(List.of(part(options, ALL_KEY_GROUPS))))
                .isEqualTo(minSize.equals("1500b"));
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void whatIsSetForAllStatesIsNotDecided() throws Exception {
        Map<String, String> options = new HashMap<>(AUTOMATIC);
        options.put(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE.key(), "3kb");
        assertThat(BlobFiles.areIn(List.of(part(options, ALL_KEY_GROUPS)))).isFalse();
        options.put(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE.key(), "0");
        assertThat(BlobFiles.areIn(List.of(part(options, ALL_KEY_GROUPS)))).isTrue();
        assertThat(log.lines()).hasSize(1);
    }

    @Test
    void aStateWhoseWritesAreNotSeenSaysSo() throws Exception {
        Map<String, String> options = new HashMap<>(AUTOMATIC);
        options.put(StateAccelOptions.CACHE_SIZE.key(), "0");
        assertThat(BlobFiles.areIn(List.of(part(options, ALL_KEY_GROUPS)))).isFalse();
        assertThat(log.lines())
                .containsExactly(
                        "[state-accel] state 'wide': no automatic value separation, which is for"
                                + " cached states and lists");
    }

    @Test
    void aFactoryOfTheUsersHasTheLastWord() throws Exception {
        EmbeddedRocksDBStateBackend makes = (EmbeddedRocksDBStateBackend) backend(AUTOMATIC);
        makes.setRocksDBOptions(new UnchangedOptions());
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("checkpoints"));
        try (LogCollector builder =
                new LogCollector(BackendHarness.logger("StateAccelKeyedStateBackendBuilder"))) {
            AbstractKeyedStateBackend<Integer> backend = open(makes, List.of());
            try {
                writeAll(backend);
                checkpoints.complete(backend, CHECKPOINT);
                assertThat(checkpoints.sharedBlobFilesOfLast()).isEmpty();
            } finally {
                backend.dispose();
            }
            assertThat(builder.lines())
                    .anyMatch(line -> line.contains("it is up to the RocksDBOptionsFactory"));
        }
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    @SuppressWarnings("unchecked")
    private static <S extends State> S state(
            AbstractKeyedStateBackend<Integer> backend, StateDescriptor<?, ?> descriptor)
            throws Exception {
        return (S)
                backend.getPartitionedState(
                        VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }

    /** Whether RocksDB, of the only open database, says that it separates long values now. */
    private boolean separates(String state) throws Exception {
        return Boolean.parseBoolean(
                OptionsFile.below(directory.resolve("local"))
                        .columnFamily(state, "enable_blob_files"));
    }
}
