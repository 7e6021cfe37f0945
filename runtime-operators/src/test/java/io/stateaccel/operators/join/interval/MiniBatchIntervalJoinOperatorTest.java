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
package io.stateaccel.operators.join.interval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.operators.TestBackends;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.join.JoinCase.Selector;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MiniBatchIntervalJoinOperatorTest {

    private static final IntervalJoinCase JOIN =
            new IntervalJoinCase(-10, 10, 0, false, false, 1000);

    @Test
    void flushesWhenFull() throws Exception {
        try (var harness = open(JOIN.withBundleSize(2).accelerated())) {
            left(harness, "a", 100);
            assertThat(harness.extractOutputValues()).isEmpty();
            right(harness, "a", 110);
            assertThat(harness.extractOutputValues()).hasSize(1);
        }
    }

    @Test
    void flushesWhenTheOldestRowHasWaited() throws Exception {
        try (var harness = open(JOIN.accelerated())) {
            harness.setProcessingTime(500);
            left(harness, "a", 100);
            right(harness, "a", 110);
            harness.setProcessingTime(1499);
            assertThat(harness.extractOutputValues()).isEmpty();
            harness.setProcessingTime(1500);
            assertThat(harness.extractOutputValues()).hasSize(1);
            assertThat(harness.getProcessingTimeService().getNumActiveTimers()).isZero();
        }
    }

    @Test
    void flushesBeforeTheWatermarkAndBeforeTheBarrierAndAtTheEnd() throws Exception {
        try (var harness = open(JOIN.accelerated())) {
            left(harness, "a", 100);
            right(harness, "a", 100);
            harness.processBothWatermarks(new Watermark(1));
            assertThat(harness.getOutput()).hasSize(2);
            assertThat(harness.getOutput().peek()).isInstanceOf(StreamRecord.class);
            right(harness, "a", 101);
            harness.prepareSnapshotPreBarrier(1);
            assertThat(harness.extractOutputValues()).hasSize(2);
            left(harness, "a", 102);
            harness.getOperator().finish();
            assertThat(harness.extractOutputValues()).hasSize(4);
        }
    }

    /** One input's idleness lets the other one's watermark go, then both are idle. */
    @Test
    void idlenessDoesNotOvertakeRows() throws Exception {
        try (var harness = open(JOIN.accelerated())) {
            harness.processWatermark1(new Watermark(50));
            left(harness, "a", 100);
            right(harness, "a", 100);
            harness.processWatermarkStatus2(WatermarkStatus.IDLE);
            left(harness, "a", 101);
            harness.processWatermarkStatus1(WatermarkStatus.IDLE);

            assertThat(harness.getOutput()).hasSize(4);
            assertThat(harness.getOutput().poll()).isInstanceOf(StreamRecord.class);
            assertThat(harness.getOutput().poll()).isInstanceOf(Watermark.class);
            assertThat(harness.getOutput().poll()).isInstanceOf(StreamRecord.class);
            assertThat(harness.getOutput().poll()).isEqualTo(WatermarkStatus.IDLE);
        }
    }

    @Test
    void nullKeyThatMatchesNothingIsNotStored() throws Exception {
        try (var harness = open(JOIN.accelerated())) {
            left(harness, null, 100);
            right(harness, null, 100);
            harness.prepareSnapshotPreBarrier(1);
            assertThat(harness.extractOutputValues()).isEmpty();
            assertThat(harness.numKeyedStateEntries() + harness.numEventTimeTimers()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"-10, 10", "-7, 20", "5, 9", "-9, -5", "0, 0", "0, 5", "-5, 0"})
    void holdsWatermarksBackAsStockDoes(long lower, long upper) throws Exception {
        IntervalJoinCase join = new IntervalJoinCase(lower, upper, 3, false, false, 7);
        try (var stock = open(join.stock());
                var ours = open(join.accelerated())) {
            for (var harness : List.of(stock, ours)) {
                harness.processBothWatermarks(new Watermark(100));
                harness.processWatermark1(new Watermark(300));
                harness.processWatermark2(new Watermark(200));
                harness.processBothWatermarks(new Watermark(Long.MAX_VALUE));
            }
            assertThat(ours.getOutput()).hasSize(3).containsExactlyElementsOf(stock.getOutput());
        }
    }

    /** As long as stock's timer, plus what is left of the bucket. */
    @Test
    void dropsBucketsOnceNothingCanMatch() throws Exception {
        IntervalJoinCase join = new IntervalJoinCase(-10, 30, 5, false, false, 1);
        try (var harness = open(join.accelerated())) {
            left(harness, "a", 100);
            right(harness, "b", 100);
            left(harness, "c", 10_000);
            assertThat(harness.numKeyedStateEntries()).isEqualTo(3);
            harness.processBothWatermarks(new Watermark(100 + 10 + 5));
            assertThat(harness.numKeyedStateEntries()).isEqualTo(3);
            harness.processBothWatermarks(new Watermark(100 + 10 + 5 + 1 + 40));
            assertThat(harness.numKeyedStateEntries()).as("the left row has gone").isLessThan(3);
            harness.processBothWatermarks(new Watermark(100 + 30 + 5 + 1 + 40));
            assertThat(harness.numKeyedStateEntries()).isEqualTo(1);
            assertThat(harness.numEventTimeTimers()).isEqualTo(1);
        }
    }

    /** Wherever in its bucket a row is. */
    @Test
    void storedRowIsFoundUntilItsTimeAndNotForEver() throws Exception {
        IntervalJoinCase join = new IntervalJoinCase(-10, 30, 5, false, false, 1);
        for (long time = 1_000; time <= 1_000 + 41; time++) {
            for (long wait : new long[] {0, 41}) {
                try (var harness = open(join.accelerated())) {
                    left(harness, "a", time);
                    harness.processBothWatermarks(new Watermark(time + 10 + 5 + wait));
                    right(harness, "a", time + 10);
                    assertThat(harness.extractOutputValues()).hasSize(wait == 0 ? 1 : 0);
                }
            }
        }
    }

    @Test
    void bucketsOfDifferentKeysAreNotDroppedAtOnce() throws Exception {
        IntervalJoinCase join = new IntervalJoinCase(-500, 500, 0, false, false, 1000);
        try (var harness = open(join.accelerated())) {
            for (int i = 0; i < 1000; i++) {
                left(harness, "key-" + i, 5_000);
            }
            long end = 5_000 + 500 + 1;
            harness.processBothWatermarks(new Watermark(end + 250));
            assertThat(harness.numKeyedStateEntries()).isBetween(600, 900);
            harness.processBothWatermarks(new Watermark(end + 750));
            assertThat(harness.numKeyedStateEntries()).isBetween(100, 400);
            harness.processBothWatermarks(new Watermark(end + 1000));
            assertThat(harness.numKeyedStateEntries() + harness.numEventTimeTimers()).isZero();
        }
    }

    /** A bucket of some MiB: in chunks, all of which match, and all of which are dropped. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void hotKeyIsSpreadOverChunks(boolean rocksdb) throws Exception {
        String key = "hot".repeat(3_000);
        int rows = 300;
        OperatorSubtaskState snapshot;
        try (var harness = harness(JOIN.withBundleSize(7).accelerated(), rocksdb)) {
            harness.open();
            for (int i = 0; i < rows; i++) {
                left(harness, key, 100);
            }
            harness.prepareSnapshotPreBarrier(1);
            snapshot = harness.snapshot(1, 1);
        }
        try (var harness = harness(JOIN.withBundleSize(1).accelerated(), rocksdb)) {
            harness.initializeState(snapshot);
            harness.open();
            left(harness, key, 101);
            right(harness, key, 105);
            assertThat(harness.extractOutputValues()).hasSize(rows + 1);
            assertThat(harness.numEventTimeTimers()).as("chunks").isBetween(20, 100);
            harness.processBothWatermarks(new Watermark(1_000));
            right(harness, key, 105);
            assertThat(harness.extractOutputValues()).hasSize(rows + 1);
            assertThat(harness.numEventTimeTimers()).isZero();
            if (!rocksdb) {
                assertThat(harness.numKeyedStateEntries()).isZero();
            }
        }
    }

    /** Nothing of it is found any more, so nobody needs to wait for the watermark. */
    @Test
    void rowWhoseKeyMatchesNothingIsPaddedAtOnce() throws Exception {
        try (var harness = open(JOIN.withType(FlinkJoinType.FULL).accelerated())) {
            left(harness, null, 100);
            right(harness, null, 100);
            assertThat(harness.extractOutputValues()).hasSize(2);
            harness.prepareSnapshotPreBarrier(1);
            assertThat(harness.numKeyedStateEntries() + harness.numEventTimeTimers()).isZero();
        }
    }

    /** Rows of each key in the order of their times, so that stock's timers are theirs. */
    @ParameterizedTest
    @CsvSource({"-10, 10", "-7, 20", "5, 9", "-9, -5", "0, 0", "0, 5", "-5, 0"})
    void emitsRowsWithoutAMatchBetweenTheWatermarksBetweenWhichStockDoes(long lower, long upper)
            throws Exception {
        IntervalJoinCase join =
                new IntervalJoinCase(lower, upper, 0, false, false, 1).withType(FlinkJoinType.FULL);
        try (var stock = open(join.stock());
                var ours = open(join.accelerated())) {
            for (var harness : List.of(stock, ours)) {
                for (long time = 100; time < 200; time += 3) {
                    if (time % 2 == 0) {
                        left(harness, "a", time);
                    } else {
                        right(harness, "b", time);
                    }
                    if (time % 7 == 0) {
                        left(harness, "b", time);
                    }
                    harness.processBothWatermarks(new Watermark(time - 2));
                }
                harness.processBothWatermarks(new Watermark(Long.MAX_VALUE));
            }
            assertThat(texts(ours.getOutput()))
                    .contains("left 100 without a match")
                    .isEqualTo(texts(stock.getOutput()));
        }
    }

    /** What came, that of one watermark in any order. */
    private static List<String> texts(Iterable<Object> output) {
        List<String> texts = new ArrayList<>();
        List<String> ofWatermark = new ArrayList<>();
        for (Object element : output) {
            if (element instanceof Watermark watermark) {
                ofWatermark.sort(null);
                texts.addAll(ofWatermark);
                texts.add("watermark " + watermark.getTimestamp());
                ofWatermark.clear();
            } else {
                RowData row = (RowData) ((StreamRecord<?>) element).getValue();
                boolean hasLeft = !row.isNullAt(JoinCase.ID);
                boolean hasRight = !row.isNullAt(3 + JoinCase.ID);
                ofWatermark.add(
                        hasLeft && hasRight
                                ? row.getLong(JoinCase.ID) + " with " + row.getLong(3 + JoinCase.ID)
                                : hasLeft
                                        ? "left " + row.getLong(JoinCase.ID) + " without a match"
                                        : "right %d without a match"
                                                .formatted(row.getLong(3 + JoinCase.ID)));
            }
        }
        texts.addAll(ofWatermark);
        return texts;
    }

    /** A bucket of some MiB, of which some rows get a match in one chunk or another. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void hotKeyKnowsWhichOfItsRowsHaveAMatch(boolean rocksdb) throws Exception {
        IntervalJoinCase join = JOIN.withType(FlinkJoinType.LEFT);
        String key = "hot".repeat(3_000);
        int rows = 300;
        OperatorSubtaskState snapshot;
        try (var harness = harness(join.withBundleSize(7).accelerated(), rocksdb)) {
            harness.open();
            for (int i = 0; i < rows; i++) {
                left(harness, key, 100 + i % 10);
            }
            // It matches those of times 100 to 103.
            right(harness, key, 93);
            harness.prepareSnapshotPreBarrier(1);
            assertThat(harness.extractOutputValues()).hasSize(4 * rows / 10);
            snapshot = harness.snapshot(1, 1);
        }
        try (var harness = harness(join.withBundleSize(1).accelerated(), rocksdb)) {
            harness.initializeState(snapshot);
            harness.open();
            left(harness, key, 105);
            right(harness, key, 117);
            harness.prepareSnapshotPreBarrier(2);
            assertThat(harness.extractOutputValues()).hasSize(3 * rows / 10);
            harness.getOutput().clear();
            for (long watermark = 110; watermark < 120; watermark++) {
                harness.processBothWatermarks(new Watermark(watermark));
            }
            // Those of times 104, 105 and 106, and the one that came after the restore.
            assertThat(harness.extractOutputValues()).hasSize(3 * rows / 10 + 1);
            harness.processBothWatermarks(new Watermark(1_000));
            assertThat(harness.extractOutputValues()).hasSize(3 * rows / 10 + 1);
            assertThat(harness.numEventTimeTimers()).isZero();
            if (!rocksdb) {
                assertThat(harness.numKeyedStateEntries()).isZero();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"INNER, LEFT", "LEFT, INNER", "LEFT, RIGHT"})
    void refusesTheStateOfAJoinWhoseSidesAreKeptOtherwise(FlinkJoinType before, FlinkJoinType after)
            throws Exception {
        OperatorSubtaskState snapshot = snapshotOf(JOIN.withType(before).accelerated(), false);
        var ours = harness(JOIN.withType(after).accelerated(), false);
        ours.initializeState(snapshot);
        assertThatThrownBy(ours::open)
                .hasMessageContaining("IntervalJoinLeftCache")
                .hasMessageContaining("and which rows are settled, layout 1");
        ours.getOperator().close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void refusesTheStateOfTheStockJoin(boolean rocksdb) throws Exception {
        var ours = harness(JOIN.accelerated(), rocksdb);
        ours.initializeState(snapshotOf(JOIN.stock(), rocksdb));
        assertThatThrownBy(ours::open)
                .hasMessageContaining("IntervalJoinLeftCache")
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

    @Test
    void refusesAnIntervalThatWouldTakeTooManyBuckets() throws Exception {
        OperatorSubtaskState snapshot = snapshotOf(JOIN.accelerated(), false);
        IntervalJoinCase longer = new IntervalJoinCase(-1_000_000, 0, 0, false, false, 1);
        var ours = harness(longer.accelerated(), false);
        assertThatThrownBy(() -> ours.initializeState(snapshot))
                .hasMessageContaining("laid out for an interval of 20 ms");
        ours.getOperator().close();
    }

    private static OperatorSubtaskState snapshotOf(
            TwoInputStreamOperator<RowData, RowData, RowData> operator, boolean rocksdb)
            throws Exception {
        try (var harness = harness(operator, rocksdb)) {
            harness.open();
            left(harness, "a", 100);
            harness.prepareSnapshotPreBarrier(1);
            return harness.snapshot(1, 1);
        }
    }

    @ParameterizedTest
    @CsvSource({"-9223372036854775807", "9223372036854775807"})
    void timesAtTheEndsOfALongMatchThemselves(long time) throws Exception {
        try (var harness = open(JOIN.accelerated())) {
            left(harness, "a", time);
            left(harness, "b", 0);
            right(harness, "a", time);
            harness.prepareSnapshotPreBarrier(1);
            // Long before 1970 nothing is stored, as in stock.
            assertThat(harness.extractOutputValues()).hasSize(time < 0 ? 0 : 1);
            right(harness, "a", time);
            harness.processBothWatermarks(new Watermark(Long.MAX_VALUE));
            assertThat(harness.extractOutputValues()).hasSize(time < 0 ? 0 : 2);
            assertThat(harness.numKeyedStateEntries() + harness.numEventTimeTimers()).isZero();
        }
    }

    @Test
    void refusesAnEmptyInterval() {
        assertThatThrownBy(() -> new IntervalJoinCase(1, 0, 0, false, false, 1).accelerated())
                .hasMessageContaining("empty");
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
