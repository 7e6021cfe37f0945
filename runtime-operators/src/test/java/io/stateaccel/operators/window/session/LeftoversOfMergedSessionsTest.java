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
package io.stateaccel.operators.window.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.TestBackends;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.window.WindowCase;
import io.stateaccel.operators.window.WindowQuery;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Where two sessions become one, Flink leaves the rows of one of them in the state for good. A
 * session that is opened after a restart, when no row is late at first, may be known by the same
 * window.
 */
class LeftoversOfMergedSessionsTest {

    private static final long GAP = 10;
    private static final JoinCase.Selector KEY = new JoinCase.Selector(WindowQuery.KEY);

    static Stream<Arguments> cases() {
        return Stream.of("hashmap", "rocksdb")
                .flatMap(
                        backend ->
                                Stream.of(
                                        Arguments.of(backend, 0L),
                                        Arguments.of(backend, 1L << 30)));
    }

    @ParameterizedTest(name = "{0}, {1} bytes")
    @MethodSource("cases")
    void doNotGetIntoSessionsOfOurs(String backend, long heapBytes) throws Exception {
        SessionRowsCase window = window(heapBytes);
        try (var stock = start(window.stock(), backend);
                var ours = restore(window.accelerated(), mergeTwo(stock), backend);
                var oursAgain = restore(window.accelerated(), openBoth(ours), backend)) {
            assertThat(end(oursAgain, window)).hasSize(2);
        }
    }

    @ParameterizedTest(name = "{0}, {1} bytes")
    @MethodSource("cases")
    void areNotThereForFlinkAfterOurs(String backend, long heapBytes) throws Exception {
        SessionRowsCase window = window(heapBytes);
        List<String> leftovers = new ArrayList<>();
        try (var stock = start(window.stock(), backend);
                var ours = restore(window.accelerated(), mergeTwo(stock), backend);
                var stockAgain = restore(window.stock(leftovers::add), openBoth(ours), backend)) {
            assertThat(end(stockAgain, window)).hasSize(2);
            assertThat(leftovers).isEmpty();
        }
    }

    @ParameterizedTest(name = "{0}, {1} bytes")
    @MethodSource("cases")
    void oursLeavesNone(String backend, long heapBytes) throws Exception {
        SessionRowsCase window = window(heapBytes);
        List<String> leftovers = new ArrayList<>();
        try (var ours = start(window.accelerated(), backend);
                var stock = restore(window.stock(leftovers::add), mergeTwo(ours), backend)) {
            openBoth(stock);
            assertThat(end(stock, window)).hasSize(2);
            assertThat(leftovers).isEmpty();
        }
    }

    /** If this fails, Flink has been repaired, and what is said of that can go. */
    @ParameterizedTest(name = "{0}, {1} bytes")
    @MethodSource("cases")
    void comeAgainInFlink(String backend, long heapBytes) throws Exception {
        SessionRowsCase window = window(heapBytes);
        List<String> leftovers = new ArrayList<>();
        try (var stock = start(window.stock(), backend);
                var again = restore(window.stock(leftovers::add), mergeTwo(stock), backend)) {
            openBoth(again);
            assertThat(leftovers).hasSize(1);
            assertThat(end(again, window))
                    .hasSize(3)
                    .map(SessionRowsCase::rowIn)
                    .containsAll(leftovers);
        }
    }

    private static SessionRowsCase window(long heapBytes) {
        return new SessionRowsCase(true, false, GAP, GAP, ZoneId.of("UTC"), 0, heapBytes);
    }

    /** Two sessions, a row between them, and the end of that. */
    private static OperatorSubtaskState mergeTwo(
            KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> operator)
            throws Exception {
        send(operator, 1, 100);
        send(operator, 2, 115);
        snapshot(operator, 1);
        send(operator, 3, 108);
        operator.processWatermark(new Watermark(200));
        return snapshot(operator, 2);
    }

    /** The same two sessions, each of another row. */
    private static OperatorSubtaskState openBoth(
            KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> operator)
            throws Exception {
        send(operator, 4, 100);
        send(operator, 4, 115);
        return snapshot(operator, 3);
    }

    private static OperatorSubtaskState snapshot(
            KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> operator,
            long checkpoint)
            throws Exception {
        operator.prepareSnapshotPreBarrier(checkpoint);
        return operator.snapshot(checkpoint, 0);
    }

    private static void send(
            KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> operator,
            long value,
            long time)
            throws Exception {
        operator.processElement(
                new StreamRecord<>(WindowCase.row(RowKind.INSERT, "k", value, time)));
    }

    private static List<String> end(
            KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> operator,
            SessionRowsCase window)
            throws Exception {
        operator.processWatermark(new Watermark(200));
        return operator.extractOutputValues().stream().map(window::text).toList();
    }

    private static KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> start(
            OneInputStreamOperator<RowData, RowData> operator, String backend) throws Exception {
        return restore(operator, null, backend);
    }

    private static KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> restore(
            OneInputStreamOperator<RowData, RowData> operator,
            OperatorSubtaskState state,
            String backend)
            throws Exception {
        var harness =
                new KeyedOneInputStreamOperatorTestHarness<>(operator, KEY, KEY.getProducedType());
        harness.setStateBackend(TestBackends.of(backend));
        if (state != null) {
            harness.initializeState(state);
        }
        harness.open();
        return harness;
    }
}
