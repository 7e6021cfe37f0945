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
package io.stateaccel.operators.join.ttl;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.operators.MaterialisedRows;
import io.stateaccel.operators.TestBackends;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.join.JoinCase.Selector;
import io.stateaccel.operators.join.JoinCase.Side;
import io.stateaccel.operators.join.JoinCase.UniqueKey;
import io.stateaccel.views.join.InputChangelog;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What expires when: retractions, keys of many chunks, and what is left of them. */
class JoinTtlTest {

    private static final int TTL = 100;

    /** Changes after which a read stores the rows anew. */
    private static final int MUCH_GARBAGE = 40;

    /** So that a key has many chunks after some rows. */
    private static final String HOT = "hot".repeat(3_000);

    private static final int MANY_ROWS = 60;

    private KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData> harness;

    /** A retraction that leaves an equal row renews it, as it does in Flink. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void equalRowsLiveAsLongAsTheLastChange(boolean compacted) throws Exception {
        open(InputChangelog.RETRACT, "hashmap", null);
        left(0, RowKind.INSERT, "a", 1);
        left(50, RowKind.INSERT, "a", 1);
        left(60, RowKind.DELETE, "a", 1);
        for (int i = 0; i < (compacted ? MUCH_GARBAGE : 0); i++) {
            left(60, RowKind.INSERT, "a", 2);
            left(60, RowKind.DELETE, "a", 2);
        }
        assertThat(matchesOfRight(60, "a")).isEqualTo(1);
        assertThat(matchesOfRight(159, "a")).isEqualTo(1);
        assertThat(matchesOfRight(160, "a")).as("a row was left at 60").isZero();
        close();
    }

    /** In Flink each of them is written, even if a bundle adds and retracts it again. */
    @ParameterizedTest
    @EnumSource(names = {"INNER", "LEFT", "ANTI"})
    void whatComesAndGoesWithinABundleRenewsEqualRowsAndThoseItMatches(FlinkJoinType type)
            throws Exception {
        for (boolean own : new boolean[] {true, false}) {
            Side side = new Side(UniqueKey.NONE, InputChangelog.RETRACT);
            open(new JoinCase(type, side, side, false, false, 1000, TTL, TTL), "hashmap", null);
            left(0, RowKind.INSERT, "a", 1);
            at(60);
            for (RowKind kind : new RowKind[] {RowKind.INSERT, RowKind.DELETE}) {
                BinaryRowData row = JoinCase.row("a", 0, 1);
                row.setRowKind(kind);
                if (own) {
                    harness.processElement1(new StreamRecord<>(row));
                } else {
                    harness.processElement2(new StreamRecord<>(row));
                }
            }
            harness.prepareSnapshotPreBarrier(1);
            // An inner join keeps no note of a match.
            assertThat(matchesOfRight(150, "a") > 0)
                    .as("own %s", own)
                    .isEqualTo(own || type != FlinkJoinType.INNER);
            close();
        }
    }

    /**
     * Nobody says that a row has lost its match when the match expires. In Flink the next one takes
     * it out of what is read by key, even if it goes again at once.
     */
    @ParameterizedTest
    @EnumSource
    void semiJoinSaysOfARowWhoseMatchCameAndWentThatItIsNotThere(InputChangelog leftChangelog)
            throws Exception {
        for (boolean updatedInTheSameBundle : new boolean[] {false, true}) {
            if (updatedInTheSameBundle && leftChangelog == InputChangelog.INSERT_ONLY) {
                continue;
            }
            Side left = new Side(UniqueKey.ID, leftChangelog);
            Side right = new Side(UniqueKey.ID, InputChangelog.RETRACT);
            open(
                    new JoinCase(FlinkJoinType.SEMI, left, right, false, false, 1000, 9 * TTL, TTL),
                    "hashmap",
                    null);
            left(0, RowKind.INSERT, "a", 1);
            assertThat(matchesOfRight(0, "a")).isEqualTo(1);
            at(2 * TTL);
            if (leftChangelog == InputChangelog.RETRACT) {
                harness.processElement1(change(RowKind.UPDATE_BEFORE, 1));
            }
            if (leftChangelog != InputChangelog.INSERT_ONLY) {
                harness.processElement1(change(RowKind.UPDATE_AFTER, 2));
            }
            if (!updatedInTheSameBundle) {
                harness.prepareSnapshotPreBarrier(1);
            }
            harness.processElement2(change(RowKind.INSERT, 0));
            harness.processElement2(change(RowKind.DELETE, 0));
            harness.prepareSnapshotPreBarrier(2);
            assertThat(liveById().isEmpty())
                    .as("in one bundle %s", updatedInTheSameBundle)
                    .isEqualTo(leftChangelog != InputChangelog.INSERT_ONLY);
            close();
        }
    }

    /**
     * Nobody takes a row without a match back when it expires. In Flink it goes when the one that
     * has come in its place loses its match, even if that finds another at once.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void antiJoinSaysOfARowWhoseMatchWasReplacedThatItIsNotThere(boolean updatedInTheSameBundle)
            throws Exception {
        Side left = new Side(UniqueKey.ID, InputChangelog.UPSERT);
        Side right = new Side(UniqueKey.ID, InputChangelog.RETRACT);
        open(
                new JoinCase(FlinkJoinType.ANTI, left, right, false, false, 1000, TTL, 9 * TTL),
                "hashmap",
                null);
        left(0, RowKind.INSERT, "a", 1);
        at(2 * TTL);
        harness.processElement2(change(RowKind.INSERT, 0));
        harness.prepareSnapshotPreBarrier(1);
        left(2 * TTL, RowKind.UPDATE_AFTER, "a", 2);
        harness.processElement2(change(RowKind.UPDATE_BEFORE, 0));
        harness.processElement2(change(RowKind.UPDATE_AFTER, 1));
        if (updatedInTheSameBundle) {
            harness.processElement1(change(RowKind.UPDATE_AFTER, 3));
        }
        harness.prepareSnapshotPreBarrier(2);
        assertThat(liveById()).isEmpty();
        close();
    }

    /** Of all that has been emitted. */
    private Map<String, Object> liveById() {
        MaterialisedRows byId =
                new MaterialisedRows(Object::toString, row -> "" + row.getLong(JoinCase.ID));
        harness.extractOutputValues().forEach(byId::take);
        return byId.rows();
    }

    private static StreamRecord<RowData> change(RowKind kind, int value) {
        BinaryRowData row = JoinCase.row("a", 0, value);
        row.setRowKind(kind);
        return new StreamRecord<>(row);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void insertedRowsLiveAsLongAsTheYoungestOfThem(boolean hot) throws Exception {
        String key = hot ? HOT : "a";
        open(InputChangelog.INSERT_ONLY, "rocksdb", null);
        int others = hot ? MANY_ROWS : 2;
        for (int i = 0; i <= others; i++) {
            left(1, RowKind.INSERT, key, i);
        }
        left(50, RowKind.INSERT, key, 0);
        OperatorSubtaskState snapshot = harness.snapshot(1, 1);
        close();
        open(InputChangelog.INSERT_ONLY, "rocksdb", snapshot);
        left(120, RowKind.INSERT, key, 0);
        assertThat(matchesOfRight(150, key)).isEqualTo(3);
        assertThat(matchesOfRight(219, key)).isEqualTo(3);
        assertThat(matchesOfRight(220, key)).isZero();
        close();
    }

    @ParameterizedTest
    @CsvSource({
        "100,100,1000,1000",
        "100,100,0,100",
        "0,100,100,100",
        "100,0,0,100",
        "0,0,100,100",
        "0,0,0,100",
        "100,100,0,0"
    })
    void stateTtlMayBeChanged(int left, int right, int leftAfter, int rightAfter) throws Exception {
        if (left == 0 != (leftAfter == 0) || right == 0 != (rightAfter == 0)) {
            Lines.assumeSwitchesStateTtl(true);
        }
        for (UniqueKey uniqueKey : UniqueKey.values()) {
            JoinCase before = joinOf(FlinkJoinType.LEFT, uniqueKey, left, right);
            JoinCase after = joinOf(FlinkJoinType.LEFT, uniqueKey, leftAfter, rightAfter);
            open(after, "rocksdb", snapshotOf(before));
            at(2);
            harness.processElement2(new StreamRecord<>(JoinCase.row("a", 0, 0)));
            harness.prepareSnapshotPreBarrier(1);
            assertThat(harness.extractOutputValues())
                    .extracting(RowData::getRowKind)
                    .as("the padded row goes, and a pair comes")
                    .containsExactly(RowKind.DELETE, RowKind.INSERT);
            close();
        }
    }

    /** They are as young as the job that goes on, as in Flink. */
    @ParameterizedTest
    @ValueSource(strings = {"hashmap", "rocksdb"})
    void rowsBeginToExpireWhereStateTtlIsSwitchedOn(String backend) throws Exception {
        Lines.assumeSwitchesStateTtl(backend.equals("rocksdb"));
        int restored = 500;
        for (UniqueKey uniqueKey : UniqueKey.values()) {
            for (int later : new int[] {TTL - 1, TTL + TTL / 10}) {
                OperatorSubtaskState snapshot =
                        snapshotOf(joinOf(FlinkJoinType.LEFT, uniqueKey, 0, 0), backend);
                open(joinOf(FlinkJoinType.LEFT, uniqueKey, TTL, TTL), backend, snapshot, restored);
                at(restored + later);
                harness.processElement2(new StreamRecord<>(JoinCase.row("a", 0, 0)));
                harness.prepareSnapshotPreBarrier(1);
                assertThat(harness.extractOutputValues())
                        .as("%s, %d later", uniqueKey, later)
                        .hasSize(later < TTL ? 2 : 0);
                close();
            }
        }
    }

    /**
     * Nobody has said that the pair is gone whose right row has, so the left one is not seen
     * without a match: as in Flink, it counts one that is not to be found any more.
     */
    @ParameterizedTest
    @EnumSource
    void matchesThatHaveExpiredCountWhereStateTtlIsSwitchedOff(UniqueKey uniqueKey)
            throws Exception {
        Lines.assumeSwitchesStateTtl(false);
        open(joinOf(FlinkJoinType.LEFT, uniqueKey, 0, TTL), "hashmap", null);
        left(1, RowKind.INSERT, "a", 1);
        assertThat(matchesOfRight(1, "a")).as("for the padded row").isEqualTo(2);
        at(3 * TTL);
        for (int i = 0; i < 100; i++) {
            harness.processElement2(new StreamRecord<>(JoinCase.row("another", i, 0)));
            harness.prepareSnapshotPreBarrier(1);
        }
        assertThat(harness.numKeyedStateEntries()).as("one of each side").isEqualTo(2);
        OperatorSubtaskState snapshot = harness.snapshot(1, 1);
        close();
        for (int i = 0; i < 2; i++) {
            open(joinOf(FlinkJoinType.LEFT, uniqueKey, 0, 0), "hashmap", snapshot, 3 * TTL);
            harness.processElement2(new StreamRecord<>(JoinCase.row("a", 1, 0)));
            harness.prepareSnapshotPreBarrier(1);
            assertThat(harness.extractOutputValues())
                    .extracting(RowData::getRowKind)
                    .as("a pair comes, and no padded row goes")
                    .containsExactly(RowKind.INSERT);
            harness.getOutput().clear();
            snapshot = harness.snapshot(2, 2);
            close();
        }
    }

    /** Not of a key of many chunks either. */
    @ParameterizedTest
    @EnumSource
    void nothingIsLeftBehindWhereStateTtlIsSwitchedOn(InputChangelog changelog) throws Exception {
        for (UniqueKey uniqueKey : new UniqueKey[] {UniqueKey.ID, UniqueKey.NONE}) {
            if (changelog == InputChangelog.UPSERT && uniqueKey == UniqueKey.NONE) {
                continue;
            }
            Side left = new Side(uniqueKey, changelog);
            Side right = new Side(UniqueKey.NONE, InputChangelog.RETRACT);
            JoinCase off = new JoinCase(FlinkJoinType.FULL, left, right, false, false, 1000, 0, 0);
            JoinCase on =
                    new JoinCase(FlinkJoinType.FULL, left, right, false, false, 1000, TTL, TTL);
            open(off, "rocksdb", null);
            for (int i = 0; i < MANY_ROWS; i++) {
                at(1);
                harness.processElement1(new StreamRecord<>(JoinCase.row(HOT, i, i)));
            }
            assertThat(matchesOfRight(1, HOT)).isEqualTo(MANY_ROWS);
            OperatorSubtaskState snapshot = harness.snapshot(1, 1);
            close();

            open(on, "rocksdb", snapshot, 500);
            for (String state : new String[] {"left-records", "right-records"}) {
                assertThat(entriesOf(state)).isZero();
            }
            assertThat(entriesOf("left-records-switched")).as("chunks").isGreaterThan(5);
            BinaryRowData last = JoinCase.row(HOT, 0, 0);
            last.setRowKind(RowKind.DELETE);
            harness.processElement2(new StreamRecord<>(last));
            harness.prepareSnapshotPreBarrier(1);
            assertThat(
                            harness.extractOutputValues().stream()
                                    .map(RowData::getRowKind)
                                    .collect(Collectors.groupingBy(k -> k, Collectors.counting())))
                    .as("each row has lost its only match")
                    .isEqualTo(
                            Map.of(
                                    RowKind.DELETE, (long) MANY_ROWS,
                                    RowKind.INSERT, (long) MANY_ROWS));
            close();
        }
    }

    private long entriesOf(String state) {
        try (Stream<?> entries =
                ((AbstractStreamOperator<?>) harness.getOperator())
                        .<RowData>getKeyedStateBackend()
                        .getKeysAndNamespaces(state)) {
            return entries.count();
        }
    }

    private static JoinCase joinOf(
            FlinkJoinType type, UniqueKey uniqueKey, int leftTtl, int rightTtl) {
        Side left = new Side(uniqueKey, InputChangelog.RETRACT);
        Side right = new Side(UniqueKey.NONE, InputChangelog.INSERT_ONLY);
        return new JoinCase(type, left, right, false, false, 1000, leftTtl, rightTtl);
    }

    private OperatorSubtaskState snapshotOf(JoinCase join) throws Exception {
        return snapshotOf(join, "rocksdb");
    }

    private OperatorSubtaskState snapshotOf(JoinCase join, String backend) throws Exception {
        open(join, backend, null);
        left(1, RowKind.INSERT, "a", 1);
        OperatorSubtaskState snapshot = harness.snapshot(1, 1);
        close();
        return snapshot;
    }

    /** On the heap, where the harness can count entries. */
    @ParameterizedTest
    @EnumSource(names = {"INSERT_ONLY", "RETRACT"})
    void nothingIsLeftOfAHotKeyWhoseRowsHaveExpired(InputChangelog changelog) throws Exception {
        open(changelog, "hashmap", null);
        for (int i = 0; i < MANY_ROWS; i++) {
            left(1, RowKind.INSERT, HOT, i);
        }
        assertThat(matchesOfRight(TTL, HOT)).isEqualTo(MANY_ROWS);
        int entries = harness.numKeyedStateEntries();
        assertThat(entries).as("chunks").isGreaterThan(5);
        assertThat(matchesOfRight(TTL + 2, HOT)).isZero();
        assertThat(matchesOfRight(TTL + 3, HOT)).isZero();
        assertThat(harness.numKeyedStateEntries())
                .as("entries, of which one is the right side's")
                .isEqualTo(1);
        close();
    }

    /** As in Flink's states on the heap, whoever reads or writes looks at a few other entries. */
    @ParameterizedTest
    @EnumSource(names = {"INSERT_ONLY", "RETRACT"})
    void keysThatNobodyAsksForDoNotStayOnTheHeap(InputChangelog changelog) throws Exception {
        open(changelog, "hashmap", null);
        for (int i = 0; i < 500; i++) {
            left(1, RowKind.INSERT, "key-" + i, i);
        }
        assertThat(harness.numKeyedStateEntries()).isGreaterThanOrEqualTo(500);
        for (int i = 0; i < 2_000; i++) {
            left(2 * TTL, RowKind.INSERT, "another", i);
        }
        assertThat(harness.numKeyedStateEntries()).isLessThan(5);
        close();
    }

    /** The marker of a key outlives its rows, and no more. */
    @ParameterizedTest
    @CsvSource({"INSERT_ONLY,hashmap", "INSERT_ONLY,rocksdb", "RETRACT,hashmap", "RETRACT,rocksdb"})
    void markersExpireAfterTheLastRow(InputChangelog changelog, String backend) throws Exception {
        open(changelog, backend, null);
        for (int i = 0; i < MANY_ROWS; i++) {
            left(1, RowKind.INSERT, HOT, i);
        }
        // Another one each time, and always before the last has expired.
        int time = 1;
        for (int i = 1; i <= 30; i++) {
            time = 1 + i * TTL * 9 / 10;
            left(time, RowKind.INSERT, HOT, MANY_ROWS + i);
            int live = i == 1 ? MANY_ROWS + 1 : 2;
            assertThat(matchesOfRight(time, HOT)).as("at %d", time).isEqualTo(live);
            if (i % 7 == 0) {
                OperatorSubtaskState snapshot = harness.snapshot(i, i);
                close();
                open(changelog, backend, snapshot);
            }
        }
        // Nobody reads the key until its marker is gone, and then it is hot again.
        time += 2 * TTL;
        for (int i = 0; i < MANY_ROWS; i++) {
            left(time, RowKind.INSERT, HOT, i);
        }
        assertThat(matchesOfRight(time, HOT)).isEqualTo(MANY_ROWS);
        assertThat(matchesOfRight(time + TTL, HOT)).isZero();
        close();
    }

    private void open(InputChangelog changelog, String backend, OperatorSubtaskState snapshot)
            throws Exception {
        Side left = new Side(UniqueKey.NONE, changelog);
        Side right = new Side(UniqueKey.NONE, InputChangelog.INSERT_ONLY);
        open(
                new JoinCase(FlinkJoinType.INNER, left, right, false, false, 1000, TTL, 1),
                backend,
                snapshot);
    }

    private void open(JoinCase join, String backend, OperatorSubtaskState snapshot)
            throws Exception {
        open(join, backend, snapshot, 0);
    }

    private void open(JoinCase join, String backend, OperatorSubtaskState snapshot, long time)
            throws Exception {
        Selector key = new Selector(JoinCase.KEY);
        harness =
                new KeyedTwoInputStreamOperatorTestHarness<>(
                        join.accelerated(), key, key, key.getProducedType());
        harness.setStateBackend(TestBackends.of(backend));
        harness.setup();
        at(time);
        if (snapshot != null) {
            harness.initializeState(snapshot);
        }
        harness.open();
    }

    private void close() throws Exception {
        harness.close();
    }

    /** A bundle of one change. */
    private void left(long time, RowKind kind, String key, int value) throws Exception {
        at(time);
        BinaryRowData row = JoinCase.row(key, 0, value);
        row.setRowKind(kind);
        harness.processElement1(new StreamRecord<>(row));
        harness.prepareSnapshotPreBarrier(1);
    }

    /** A row that expires soon. */
    private int matchesOfRight(long time, String key) throws Exception {
        at(time);
        harness.getOutput().clear();
        harness.processElement2(new StreamRecord<>(JoinCase.row(key, 0, 0)));
        harness.prepareSnapshotPreBarrier(1);
        return harness.extractOutputValues().size();
    }

    private void at(long time) throws Exception {
        harness.setStateTtlProcessingTime(time);
        harness.setProcessingTime(time);
    }
}
