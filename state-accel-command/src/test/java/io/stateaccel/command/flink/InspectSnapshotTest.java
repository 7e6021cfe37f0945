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
package io.stateaccel.command.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.flink.testing.SnapshotParts;
import io.stateaccel.rocksdb.StateAccelRocksDBStateBackendFactory;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InspectSnapshotTest {

    @TempDir private Path directory;

    @Test
    void showsTheStatesOfAnIncrementalCheckpoint() throws Exception {
        store(snapshotOf(rocksDB()));

        assertThat(withoutSizes(inspect()))
                .isEqualTo(
                        """
                        Checkpoint 7 in DIR: 1 operators, SIZE

                        counts
                          id 00000000000000010000000000000002, uid counter, parallelism 1 of at most 1, SIZE
                          keyed state: files of RocksDB; N shared, SIZE; 4 private, SIZE
                            key LongSerializer
                            TIMER       _timer_state/event_user-timers: TimerSerializer
                            TIMER       _timer_state/processing_user-timers: TimerSerializer
                            LIST        all: list of StringSerializer, namespace VoidNamespaceSerializer
                            MAP         by text: map of StringSerializer to LongSerializer, namespace VoidNamespaceSerializer
                            VALUE       last: LongSerializer, namespace VoidNamespaceSerializer
                        """);
    }

    @Test
    void showsTheStatesOfOtherBackends() throws Exception {
        store(snapshotOf(new HashMapStateBackend()));

        assertThat(withoutSizes(inspect()))
                .contains("  keyed state: entries by key group; 0 shared, 0 B; 1 private, SIZE\n")
                .contains("    VALUE       last: LongSerializer, namespace ");
    }

    @Test
    void anOperatorWithoutANameIsShownByItsId() throws Exception {
        store(SnapshotParts.operator(null, null, new OperatorID(1, 2), 3, 128));

        assertThat(inspect())
                .contains("\n00000000000000010000000000000002\n")
                .contains("parallelism 3 of at most 128, 0 B\n")
                .doesNotContain("keyed state");
    }

    @Test
    void saysWhatIsNoSnapshot() throws IOException {
        Files.writeString(directory.resolve("_metadata"), "not that");

        assertThatThrownBy(this::inspect)
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("Could not read the snapshot in " + directory)
                .hasMessageContaining("magic number");
    }

    private StateBackend rocksDB() {
        Configuration config = new Configuration();
        config.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
        return new StateAccelRocksDBStateBackendFactory()
                .createFromConfig(config, getClass().getClassLoader());
    }

    private static OperatorState snapshotOf(StateBackend backend) throws Exception {
        OperatorState operator =
                SnapshotParts.operator("counts", "counter", new OperatorID(1, 2), 1, 1);
        try (KeyedOneInputStreamOperatorTestHarness<Long, Long, Long> task =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        new KeyedProcessOperator<>(new Counter()), row -> row % 10, Types.LONG)) {
            task.setStateBackend(backend);
            task.open();
            for (long row = 0; row < 100; row++) {
                task.processElement(row, row);
            }
            OperatorSubtaskState state = task.snapshot(7, 7);
            operator.putState(0, state);
        }
        return operator;
    }

    private static final class Counter extends KeyedProcessFunction<Long, Long, Long> {

        private static final long serialVersionUID = 1L;

        private transient ValueState<Long> last;
        private transient ListState<String> all;
        private transient MapState<String, Long> byText;

        @Override
        public void open(OpenContext context) {
            last = getRuntimeContext().getState(new ValueStateDescriptor<>("last", Types.LONG));
            all = getRuntimeContext().getListState(new ListStateDescriptor<>("all", Types.STRING));
            byText =
                    getRuntimeContext()
                            .getMapState(
                                    new MapStateDescriptor<>("by text", Types.STRING, Types.LONG));
        }

        @Override
        public void processElement(Long row, Context context, Collector<Long> out)
                throws Exception {
            last.update(row);
            all.add(row.toString());
            byText.put(row.toString(), row);
            context.timerService().registerEventTimeTimer(row + 1_000_000);
        }
    }

    private void store(OperatorState operator) throws IOException {
        try (OutputStream out = Files.newOutputStream(directory.resolve("_metadata"))) {
            Checkpoints.storeCheckpointMetadata(
                    new CheckpointMetadata(7, List.of(operator), List.of()), out);
        }
    }

    /** A small write buffer may be flushed more than once. */
    private String withoutSizes(String text) {
        return text.replace(directory.toString(), "DIR")
                .replaceAll("\\b[1-9]\\d* shared", "N shared")
                .replaceAll("\\b[1-9][\\d.]* ([KM]?B)\\b", "SIZE");
    }

    private String inspect() {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        new InspectSnapshot().accept(directory, out);
        out.flush();
        return text.toString();
    }
}
