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
package io.stateaccel.operators.window.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.window.WindowCase;
import io.stateaccel.operators.window.WindowQuery;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A slice whose rows are as often retracted as not, without being the same: its window is empty, so
 * no timer tells of the slice; but it is part of the next window, also after a restart.
 */
class SlicesWithoutTimersTest {

    private static final WindowCase WINDOWS =
            new WindowCase(
                    WindowCase.Kind.HOP,
                    false,
                    false,
                    false,
                    true,
                    false,
                    10,
                    2,
                    ZoneId.of("UTC"),
                    1_000,
                    1 << 20);

    static Stream<StateBackend> backends() {
        return Stream.of(new EmbeddedRocksDBStateBackend(false), new HashMapStateBackend());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("backends")
    void countAfterARestart(StateBackend backend) throws Exception {
        List<String> stock = play(WINDOWS.stock(), WINDOWS.stock(), backend);
        assertThat(stock)
                .containsExactly("k until 1020: +I 1 6 4,3, 0", "k until 1030: +I 1 4 4, 0");
        assertThat(play(WINDOWS.accelerated(), WINDOWS.accelerated(), backend)).isEqualTo(stock);
        assertThat(play(WINDOWS.stock(), WINDOWS.accelerated(), backend)).isEqualTo(stock);
        assertThat(play(WINDOWS.accelerated(), WINDOWS.stock(), backend)).isEqualTo(stock);
    }

    private static List<String> play(
            OneInputStreamOperator<RowData, RowData> first,
            OneInputStreamOperator<RowData, RowData> second,
            StateBackend backend)
            throws Exception {
        JoinCase.Selector key = new JoinCase.Selector(WindowQuery.KEY);
        List<String> results = new ArrayList<>();
        try (var before =
                        new KeyedOneInputStreamOperatorTestHarness<>(
                                first, key, key.getProducedType());
                var after =
                        new KeyedOneInputStreamOperatorTestHarness<>(
                                second, key, key.getProducedType())) {
            before.setStateBackend(backend);
            before.setProcessingTime(1_001);
            before.open();
            before.processElement(row(RowKind.INSERT, 3));
            before.processElement(row(RowKind.DELETE, 1));
            before.setProcessingTime(1_012);
            before.prepareSnapshotPreBarrier(1);
            after.setStateBackend(backend);
            after.setProcessingTime(1_012);
            after.initializeState(before.snapshot(1, 1));
            after.open();
            after.processElement(row(RowKind.INSERT, 4));
            after.setProcessingTime(1_050);
            before.extractOutputValues().forEach(row -> results.add(WINDOWS.text(row)));
            after.extractOutputValues().forEach(row -> results.add(WINDOWS.text(row)));
            return results;
        }
    }

    private static StreamRecord<RowData> row(RowKind kind, long value) {
        return new StreamRecord<>(WINDOWS.row(kind, "k", value, 0, 0));
    }
}
