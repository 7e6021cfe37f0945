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
package io.stateaccel.rocksdb.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.rocksdb.testing.BackendHarness;
import io.stateaccel.rocksdb.testing.CheckpointDirectory;
import io.stateaccel.rocksdb.testing.OptionsFile;
import io.stateaccel.rocksdb.testing.SeparatedValues;
import io.stateaccel.rocksdb.testing.UnchangedOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.core.testutils.CommonTestUtils;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.state.rocksdb.RocksDBConfigurableOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Small files of many checkpoints, which are gathered before RocksDB merges them. */
class GatheredFilesTest extends SeparatedValues {

    private static final int CHECKPOINTS = 40;
    private static final String STOCK_TRIGGER = "4";
    private static final Map<String, String> AS_IN_ROCKSDB =
            Map.of(StateAccelOptions.ROCKSDB_LEVEL0_MAX_FILES.key(), STOCK_TRIGGER);

    /** What compactions write is what incremental checkpoints upload. */
    @ParameterizedTest(name = "use-dynamic-size: {0}")
    @ValueSource(booleans = {false, true})
    void fewerBytesAreCompactedAndUploaded(boolean dynamicSize) throws Exception {
        long gathered = uploadedBytes("gathered", Map.of(), dynamicSize);
        long stock = uploadedBytes("stock", AS_IN_ROCKSDB, dynamicSize);
        // A third of the compactions, each of which writes the next level again.
        assertThat(gathered).isLessThan(stock * 3 / 5);
    }

    private long uploadedBytes(String name, Map<String, String> gathering, boolean dynamicSize)
            throws Exception {
        Map<String, String> options = new HashMap<>(gathering);
        // Then level 1 is empty as long as there is little, which is in the last one.
        options.put(
                RocksDBConfigurableOptions.USE_DYNAMIC_LEVEL_SIZE.key(),
                String.valueOf(dynamicSize));
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve(name));
        AbstractKeyedStateBackend<Integer> backend = open(backend(options), List.of());
        long bytes = 0;
        int mostFilesSeen = 0;
        try {
            valueBytes = 100;
            writeAll(backend);
            for (int i = 0; i < CHECKPOINTS; i++) {
                for (int updates = 0; updates < 20; updates++) {
                    write(backend, random.nextInt(KEYS));
                }
                bytes += checkpoints.complete(backend, CHECKPOINT);
                int trigger = Integer.parseInt(trigger());
                CommonTestUtils.waitUtil(
                        () -> files() <= trigger, Duration.ofMinutes(1), "no compaction");
                mostFilesSeen = Math.max(mostFilesSeen, files());
            }
            assertContent(backend);
        } finally {
            backend.dispose();
        }
        assertThat(mostFilesSeen > 5).isEqualTo(gathering.isEmpty());
        AbstractKeyedStateBackend<Integer> restored =
                open(backend(options), List.of(checkpoints.last()));
        try {
            assertContent(restored);
        } finally {
            restored.dispose();
        }
        return bytes;
    }

    /** Each compaction writes a list to another blob that something was appended to. */
    @Test
    void gathersWhatIsAppendedToListsInBlobFiles() throws Exception {
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("checkpoints"));
        Map<Integer, List<Integer>> lengths = new HashMap<>();
        AbstractKeyedStateBackend<Integer> backend = open(backend(separating()), List.of());
        try {
            for (int key = 0; key < KEYS; key++) {
                append(backend, key, VALUE_BYTES, lengths);
            }
            compact(backend);
            for (int i = 0; i < 8; i++) {
                append(backend, i, 10, lengths);
                checkpoints.complete(backend, CHECKPOINT);
            }
            assertThat(trigger()).isEqualTo("12");
            assertThat(files()).isGreaterThan(Integer.parseInt(STOCK_TRIGGER));
        } finally {
            backend.dispose();
        }
        AbstractKeyedStateBackend<Integer> restored =
                open(backend(separating()), List.of(checkpoints.last()));
        try {
            for (Map.Entry<Integer, List<Integer>> list : lengths.entrySet()) {
                restored.setCurrentKey(list.getKey());
                assertThat(list(restored).get())
                        .extracting(element -> element.length)
                        .isEqualTo(list.getValue());
            }
        } finally {
            restored.dispose();
        }
    }

    private void append(
            AbstractKeyedStateBackend<Integer> backend,
            int key,
            int bytes,
            Map<Integer, List<Integer>> lengths)
            throws Exception {
        byte[] element = new byte[bytes];
        random.nextBytes(element);
        backend.setCurrentKey(key);
        list(backend).add(element);
        lengths.computeIfAbsent(key, k -> new ArrayList<>()).add(bytes);
    }

    private static ListState<byte[]> list(AbstractKeyedStateBackend<Integer> backend)
            throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE,
                VoidNamespaceSerializer.INSTANCE,
                new ListStateDescriptor<>("wide", BytePrimitiveArraySerializer.INSTANCE));
    }

    /** RocksDB writes one, and waits for the disk, whenever it is told something. */
    @ParameterizedTest
    @EnumSource
    void noOptionsFileIsWrittenWithoutAChange(Separation separation) throws Exception {
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("checkpoints"));
        AbstractKeyedStateBackend<Integer> backend = open(backend(separation.options()), List.of());
        try {
            valueBytes = 100; // Too short to be separated.
            writeAll(backend);
            long before = OptionsFile.newestNumber(directory.resolve("local"));
            for (int i = 0; i < 10; i++) {
                write(backend, i);
                checkpoints.complete(backend, CHECKPOINT);
            }
            assertThat(OptionsFile.newestNumber(directory.resolve("local"))).isEqualTo(before);
        } finally {
            backend.dispose();
        }
    }

    @ParameterizedTest
    @MethodSource("left")
    void isLeftToOthers(String what, Map<String, String> options, boolean withFactory)
            throws Exception {
        CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("checkpoints"));
        StateBackend stateBackend = backend(options);
        if (withFactory) {
            ((EmbeddedRocksDBStateBackend) stateBackend).setRocksDBOptions(new UnchangedOptions());
        }
        AbstractKeyedStateBackend<Integer> backend = open(stateBackend, List.of());
        try {
            valueBytes = 100;
            writeAll(backend);
            for (int i = 0; i < 10; i++) {
                write(backend, i);
                checkpoints.complete(backend, CHECKPOINT);
            }
            assertThat(trigger()).isEqualTo(STOCK_TRIGGER);
        } finally {
            backend.dispose();
        }
    }

    static Stream<Arguments> left() {
        return Stream.of(
                Arguments.of("to RocksDB", AS_IN_ROCKSDB, false),
                Arguments.of("to the garbage of blob files", separating(), false),
                Arguments.of("to the same", Separation.AUTOMATIC.options(), false),
                Arguments.of("to the user", Map.of(), true),
                Arguments.of(
                        "to another style",
                        Map.of(RocksDBConfigurableOptions.COMPACTION_STYLE.key(), "UNIVERSAL"),
                        false));
    }

    private String trigger() throws IOException {
        return OptionsFile.below(directory.resolve("local"))
                .columnFamily("wide", "level0_file_num_compaction_trigger");
    }

    private int files() {
        return (int)
                BackendHarness.databaseFiles(directory.resolve("local")).keySet().stream()
                        .filter(name -> name.endsWith(".sst"))
                        .count();
    }
}
