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
package io.stateaccel.operators.join.temporal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.operators.TestBackends;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.join.JoinCase.Selector;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MiniBatchTemporalJoinOperatorTest {

    private static final TemporalJoinCase JOIN = new TemporalJoinCase(true, false, 0, 0, 1000);

    @Test
    void resultsGoBeforeTheWatermarkThatTheyWaitFor() throws Exception {
        try (var harness = open(JOIN.accelerated())) {
            left(harness, "a", 100);
            right(harness, "a", 90);
            harness.processBothWatermarks(new Watermark(99));
            assertThat(harness.extractOutputValues()).isEmpty();
            harness.processWatermark1(new Watermark(200));
            assertThat(harness.extractOutputValues()).isEmpty();
            harness.processWatermark2(new Watermark(100));

            assertThat(harness.getOutput()).hasSize(3);
            assertThat(harness.getOutput().poll()).isEqualTo(new Watermark(99));
            assertThat(harness.getOutput().poll()).isInstanceOf(StreamRecord.class);
            assertThat(harness.getOutput().poll()).isEqualTo(new Watermark(100));
        }
    }

    /** More keys than are visited at a time. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void allKeysThatAreDueAreVisitedOnce(boolean rocksdb) throws Exception {
        int keys = 3_000;
        try (var harness = harness(JOIN.withBundleSize(100).accelerated(), rocksdb)) {
            harness.open();
            for (int i = 0; i < keys; i++) {
                right(harness, "key-" + i, 90);
                left(harness, "key-" + i, 100 + i % 3);
                left(harness, "key-" + i, 1_000);
            }
            harness.processBothWatermarks(new Watermark(101));
            assertThat(harness.extractOutputValues()).hasSize(keys / 3 * 2);
            harness.processBothWatermarks(new Watermark(999));
            assertThat(harness.extractOutputValues()).hasSize(keys);
            harness.processBothWatermarks(Watermark.MAX_WATERMARK);
            assertThat(harness.extractOutputValues())
                    .hasSize(2 * keys)
                    .noneMatch(row -> row.isNullAt(3 + JoinCase.KEY));
            assertThat(harness.numEventTimeTimers()).isZero();
        }
    }

    /** A version per key, as in stock, and none of the rows, their numbers and their timers. */
    @Test
    void onlyTheLastVersionStays() throws Exception {
        try (var harness = open(JOIN.accelerated())) {
            for (int time = 0; time < 50; time++) {
                left(harness, "a", time);
                right(harness, "a", time);
            }
            harness.processBothWatermarks(new Watermark(1_000));
            assertThat(harness.extractOutputValues()).hasSize(50);
            assertThat(harness.numKeyedStateEntries()).isEqualTo(1);
            assertThat(harness.numEventTimeTimers()).isZero();
        }
    }

    /** And it is told by processing time, which is what the retention is in. */
    @Test
    void keyIsDroppedWhenNothingHappensToIt() throws Exception {
        TemporalJoinCase join = new TemporalJoinCase(true, false, 100, 150, 1);
        try (var harness = open(join.accelerated())) {
            harness.setProcessingTime(1_000);
            right(harness, "a", 10);
            harness.processBothWatermarks(new Watermark(20));
            harness.setProcessingTime(1_149);
            assertThat(harness.numKeyedStateEntries()).isEqualTo(2);
            harness.setProcessingTime(1_150);
            assertThat(harness.numKeyedStateEntries()).isZero();
            left(harness, "a", 30);
            harness.processBothWatermarks(new Watermark(30));
            assertThat(harness.extractOutputValues())
                    .singleElement()
                    .matches(row -> row.isNullAt(3 + JoinCase.VALUE));
            assertThat(harness.numKeyedStateEntries() + harness.numProcessingTimeTimers()).isZero();
        }
    }

    /** The timer of a dropped key stays, in stock too, until one that is set at its time moves. */
    @Test
    void timerOfADroppedKeyGoesWithOneAtItsTime() throws Exception {
        TemporalJoinCase join = new TemporalJoinCase(true, false, 100, 150, 1_000);
        try (var harness = open(join.accelerated())) {
            harness.setProcessingTime(1_000);
            left(harness, "a", 10);
            harness.prepareSnapshotPreBarrier(1);
            harness.setProcessingTime(1_150);
            assertThat(harness.numKeyedStateEntries()).isZero();
            assertThat(harness.numEventTimeTimers()).isEqualTo(1);
            left(harness, "a", 10);
            left(harness, "a", 8);
            harness.prepareSnapshotPreBarrier(2);
            assertThat(harness.numEventTimeTimers()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void hotKeyIsSpreadOverChunks(boolean rocksdb) throws Exception {
        String key = "hot".repeat(3_000);
        int rows = 200;
        OperatorSubtaskState snapshot;
        try (var harness = harness(JOIN.withBundleSize(7).accelerated(), rocksdb)) {
            harness.open();
            for (int i = 0; i < rows; i++) {
                left(harness, key, 100 + i);
                right(harness, key, 100 + i);
            }
            harness.prepareSnapshotPreBarrier(1);
            snapshot = harness.snapshot(1, 1);
            if (!rocksdb) {
                assertThat(harness.numKeyedStateEntries()).as("chunks").isBetween(50, 100);
            }
        }
        try (var harness = harness(JOIN.withBundleSize(1).accelerated(), rocksdb)) {
            harness.initializeState(snapshot);
            harness.open();
            left(harness, key, 101);
            harness.processBothWatermarks(new Watermark(250));
            assertThat(harness.extractOutputValues()).hasSize(152);
            harness.processBothWatermarks(new Watermark(1_000));
            assertThat(harness.extractOutputValues())
                    .hasSize(rows + 1)
                    .allMatch(row -> row.getLong(JoinCase.ID) == row.getLong(3 + JoinCase.ID));
            assertThat(harness.numEventTimeTimers()).isZero();
            if (!rocksdb) {
                assertThat(harness.numKeyedStateEntries()).isLessThanOrEqualTo(2);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void refusesTheStateOfTheStockJoin(boolean rocksdb) throws Exception {
        var ours = harness(JOIN.accelerated(), rocksdb);
        ours.initializeState(snapshotOf(JOIN.stock(), rocksdb));
        assertThatThrownBy(ours::open)
                .hasMessageContaining("'left'")
                .hasMessageContaining("'table.exec.state-accel.enabled' = 'false'");
        // The harness would finish an operator that never opened.
        ours.getOperator().close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void stockRefusesOurState(boolean rocksdb) throws Exception {
        var stock = harness(JOIN.stock(), rocksdb);
        stock.initializeState(snapshotOf(JOIN.accelerated(), rocksdb));
        assertThatThrownBy(stock::open).isNotNull();
        stock.getOperator().close();
    }

    private static OperatorSubtaskState snapshotOf(
            TwoInputStreamOperator<RowData, RowData, RowData> operator, boolean rocksdb)
            throws Exception {
        try (var harness = harness(operator, rocksdb)) {
            harness.open();
            left(harness, "a", 100);
            right(harness, "a", 100);
            harness.prepareSnapshotPreBarrier(1);
            return harness.snapshot(1, 1);
        }
    }

    private static void left(
            KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData> harness,
            String key,
            long time)
            throws Exception {
        harness.processElement1(new StreamRecord<>(JoinCase.row(key, time, 1)));
    }

    private static void right(
            KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData> harness,
            String key,
            long time)
            throws Exception {
        harness.processElement2(new StreamRecord<>(JoinCase.row(key, time, 1)));
    }

    private static KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData> open(
            TwoInputStreamOperator<RowData, RowData, RowData> operator) throws Exception {
        var harness = harness(operator, false);
        harness.open();
        return harness;
    }

    private static KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData>
            harness(TwoInputStreamOperator<RowData, RowData, RowData> operator, boolean rocksdb)
                    throws Exception {
        Selector key = new Selector(JoinCase.KEY);
        var harness =
                new KeyedTwoInputStreamOperatorTestHarness<>(
                        operator, key, key, key.getProducedType());
        harness.setStateBackend(
                TestBackends.of(rocksdb ? TestBackends.ROCKSDB : TestBackends.HASHMAP));
        harness.setup();
        return harness;
    }
}
