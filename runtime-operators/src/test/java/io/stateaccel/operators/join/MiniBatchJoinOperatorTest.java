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
package io.stateaccel.operators.join;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.operators.join.JoinCase.Selector;
import io.stateaccel.operators.join.JoinCase.Side;
import io.stateaccel.operators.join.JoinCase.UniqueKey;
import io.stateaccel.views.join.InputChangelog;
import io.stateaccel.views.layout.StateRefusedException;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MiniBatchJoinOperatorTest {

    private static final Side APPENDS = new Side(UniqueKey.NONE, InputChangelog.INSERT_ONLY);
    private static final JoinCase JOIN =
            new JoinCase(FlinkJoinType.INNER, APPENDS, APPENDS, false, false, 4, 0, 0);

    private KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData> harness;

    @BeforeEach
    void open() throws Exception {
        harness = harness(JOIN.acceleratedBelowReadersOfWatermarks());
        harness.open();
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void flushesWhenFull() throws Exception {
        addPair("a");
        left("b");
        assertThat(harness.extractOutputValues()).isEmpty();
        left("c");
        assertThat(harness.extractOutputValues()).hasSize(1);
    }

    @Test
    void flushesWhenTheOldestRowHasWaited() throws Exception {
        harness.setProcessingTime(500);
        addPair("a");
        harness.setProcessingTime(1499);
        assertThat(harness.extractOutputValues()).isEmpty();
        harness.setProcessingTime(1500);
        assertThat(harness.extractOutputValues()).hasSize(1);
    }

    /** The other half comes with the next row, or, if it goes elsewhere, not at all. */
    @Test
    void aBundleDoesNotEndInTheMiddleOfAnUpdate() throws Exception {
        Side retracts = new Side(UniqueKey.ID, InputChangelog.RETRACT);
        JoinCase updates =
                new JoinCase(FlinkJoinType.INNER, retracts, retracts, false, false, 1, 0, 0);
        try (var one = harness(updates.accelerated())) {
            one.open();
            one.processElement2(new StreamRecord<>(JoinCase.row("a", 1, 1)));
            one.processElement1(new StreamRecord<>(JoinCase.row("a", 2, 2)));
            one.getOutput().clear();
            one.processElement1(change(RowKind.UPDATE_BEFORE, 2));
            assertThat(one.extractOutputValues()).isEmpty();
            one.processElement1(change(RowKind.UPDATE_AFTER, 3));
            assertThat(one.extractOutputValues())
                    .extracting(RowData::getRowKind)
                    .containsExactly(RowKind.UPDATE_BEFORE, RowKind.UPDATE_AFTER);

            one.getOutput().clear();
            one.processElement1(change(RowKind.UPDATE_BEFORE, 3));
            one.setProcessingTime(1000);
            assertThat(one.extractOutputValues()).isEmpty();
            one.setProcessingTime(1001);
            assertThat(one.extractOutputValues())
                    .extracting(RowData::getRowKind)
                    .containsExactly(RowKind.DELETE);
        }
    }

    /** A reader of upserts, who ignores -U, would keep the row otherwise. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anUpdatedRowThatLosesItsMatchIsDeleted(boolean leftFirst) throws Exception {
        Side retracts = new Side(UniqueKey.ID, InputChangelog.RETRACT);
        for (FlinkJoinType type : new FlinkJoinType[] {FlinkJoinType.INNER, FlinkJoinType.SEMI}) {
            JoinCase updates = new JoinCase(type, retracts, retracts, false, false, 1000, 0, 0);
            try (var join = harness(updates.accelerated())) {
                join.open();
                join.processElement1(change(RowKind.INSERT, 2));
                join.processElement2(change(RowKind.INSERT, 1));
                join.prepareSnapshotPreBarrier(1);
                join.getOutput().clear();
                if (!leftFirst) {
                    join.processElement2(change(RowKind.DELETE, 1));
                }
                join.processElement1(change(RowKind.UPDATE_BEFORE, 2));
                join.processElement1(change(RowKind.UPDATE_AFTER, 3));
                if (leftFirst) {
                    join.processElement2(change(RowKind.DELETE, 1));
                }
                join.prepareSnapshotPreBarrier(2);
                assertThat(join.extractOutputValues())
                        .as(type.toString())
                        .extracting(RowData::getRowKind)
                        .containsExactly(RowKind.DELETE);
            }
        }
    }

    @Test
    void flushesBeforeTheWatermark() throws Exception {
        addPair("a");
        harness.processWatermark1(new Watermark(1));
        assertThat(harness.getOutput()).as("the combined watermark has not advanced").isEmpty();
        harness.processWatermark2(new Watermark(1));
        assertThat(harness.getOutput()).hasSize(2);
        assertThat(harness.getOutput().peek()).isInstanceOf(StreamRecord.class);
    }

    @Test
    void flushesBeforeTheBarrier() throws Exception {
        addPair("a");
        harness.prepareSnapshotPreBarrier(1);
        assertThat(harness.extractOutputValues()).hasSize(1);
    }

    @Test
    void flushesAtTheEndOfInput() throws Exception {
        addPair("a");
        harness.getOperator().finish();
        assertThat(harness.extractOutputValues()).hasSize(1);
    }

    @Test
    void nullKeyThatMatchesNothingIsNotStored() throws Exception {
        left(null);
        right(null);
        harness.prepareSnapshotPreBarrier(1);
        assertThat(harness.extractOutputValues()).isEmpty();
        assertThat(harness.numKeyedStateEntries()).isZero();
    }

    @Test
    void rowThatComesAndGoesIsNeitherEmittedNorStored() throws Exception {
        Side retracts = new Side(UniqueKey.NONE, InputChangelog.RETRACT);
        try (var retracting =
                harness(
                        new JoinCase(
                                        FlinkJoinType.INNER,
                                        retracts,
                                        retracts,
                                        false,
                                        false,
                                        1000,
                                        0,
                                        0)
                                .accelerated())) {
            retracting.open();
            retracting.processElement2(new StreamRecord<>(JoinCase.row("a", 1, 1)));
            retracting.prepareSnapshotPreBarrier(1);
            int stored = retracting.numKeyedStateEntries();
            RowData row = JoinCase.row("a", 2, 2);
            retracting.processElement1(new StreamRecord<>(row));
            RowData gone = JoinCase.row("a", 2, 2);
            gone.setRowKind(RowKind.DELETE);
            retracting.processElement1(new StreamRecord<>(gone));
            retracting.prepareSnapshotPreBarrier(2);
            assertThat(retracting.extractOutputValues()).isEmpty();
            assertThat(retracting.numKeyedStateEntries()).isEqualTo(stored);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void refusesTheStateOfTheStockJoin(boolean rocksdb) throws Exception {
        OperatorSubtaskState snapshot;
        try (var stock = harness(JOIN.stock())) {
            if (rocksdb) {
                stock.setStateBackend(new EmbeddedRocksDBStateBackend(false));
            }
            stock.open();
            stock.processElement1(new StreamRecord<>(JoinCase.row("a", 1, 1)));
            snapshot = stock.snapshot(1, 1);
        }
        var ours = harness(JOIN.accelerated());
        if (rocksdb) {
            ours.setStateBackend(new EmbeddedRocksDBStateBackend(false));
        }
        ours.setup();
        ours.initializeState(snapshot);
        assertThatThrownBy(ours::open)
                .hasMessageContaining("left-records")
                .hasMessageContaining("'table.exec.state-accel.enabled' = 'false'");
        // The harness would finish an operator that never opened.
        ours.getOperator().close();
    }

    /** Lists of the same rows, which Flink cannot tell apart. */
    @ParameterizedTest
    @CsvSource({"NONE,RETRACT,counted list", "ID,RETRACT,unique-key list"})
    void refusesItsOwnStateOfAnotherKind(UniqueKey key, InputChangelog changelog, String kind)
            throws Exception {
        addPair("a");
        harness.prepareSnapshotPreBarrier(1);
        OperatorSubtaskState snapshot = harness.snapshot(1, 1);
        JoinCase other =
                new JoinCase(
                        FlinkJoinType.INNER,
                        APPENDS,
                        new Side(key, changelog),
                        false,
                        false,
                        4,
                        0,
                        0);
        var restored = harness(other.accelerated());
        restored.setup();
        restored.initializeState(snapshot);
        assertThatThrownBy(restored::open)
                .isInstanceOf(StateRefusedException.class)
                .hasMessageContaining("'right-records'")
                .hasMessageContaining("Found in the snapshot: appended list, layout 1.")
                .hasMessageContaining("Expected: " + kind + ", layout 1.")
                .hasMessageContaining("or start the job without that snapshot");
        restored.getOperator().close();
    }

    /** Compaction of a retracting side must not make rows younger, and RocksDB must forget them. */
    @Test
    void rowsExpireOneByOneAlsoAfterCompaction() throws Exception {
        Side retracts = new Side(UniqueKey.ID, InputChangelog.RETRACT);
        JoinCase join =
                new JoinCase(FlinkJoinType.INNER, retracts, APPENDS, false, false, 1, 1000, 0);
        try (var expiring = harness(join.accelerated())) {
            expiring.setStateBackend(new EmbeddedRocksDBStateBackend(false));
            expiring.open();
            setTime(expiring, 1);
            expiring.processElement1(new StreamRecord<>(JoinCase.row("a", 1, 1)));
            setTime(expiring, 600);
            expiring.processElement1(new StreamRecord<>(JoinCase.row("a", 2, 0)));
            for (int i = 0; i < 200; i++) {
                expiring.processElement1(change(RowKind.UPDATE_BEFORE, i));
                expiring.processElement1(change(RowKind.UPDATE_AFTER, i + 1));
            }
            setTime(expiring, 1000);
            expiring.processElement2(new StreamRecord<>(JoinCase.row("a", 7, 7)));
            assertThat(expiring.extractOutputValues()).as("both live").hasSize(2);
            setTime(expiring, 1001);
            expiring.processElement2(new StreamRecord<>(JoinCase.row("a", 8, 8)));
            assertThat(expiring.extractOutputValues()).as("the first has expired").hasSize(3);
            setTime(expiring, 1600);
            expiring.processElement2(new StreamRecord<>(JoinCase.row("a", 9, 9)));
            assertThat(expiring.extractOutputValues()).as("both have expired").hasSize(3);
        }
    }

    private static StreamRecord<RowData> change(RowKind kind, int value) {
        RowData row = JoinCase.row("a", 2, value);
        row.setRowKind(kind);
        return new StreamRecord<>(row);
    }

    private static void setTime(
            KeyedTwoInputStreamOperatorTestHarness<?, ?, ?, ?> harness, long millis)
            throws Exception {
        harness.setStateTtlProcessingTime(millis);
        harness.setProcessingTime(millis);
    }

    private void addPair(String key) throws Exception {
        left(key);
        right(key);
    }

    private void left(String key) throws Exception {
        harness.processElement1(new StreamRecord<>(JoinCase.row(key, 1, 1)));
    }

    private void right(String key) throws Exception {
        harness.processElement2(new StreamRecord<>(JoinCase.row(key, 1, 1)));
    }

    private static KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData>
            harness(TwoInputStreamOperator<RowData, RowData, RowData> operator) throws Exception {
        Selector key = new Selector(JoinCase.KEY);
        return new KeyedTwoInputStreamOperatorTestHarness<>(
                operator, key, key, key.getProducedType());
    }
}
