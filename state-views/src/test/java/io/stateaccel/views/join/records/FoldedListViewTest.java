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
package io.stateaccel.views.join.records;

import static io.stateaccel.views.join.records.ViewRows.ARITY;
import static io.stateaccel.views.join.records.ViewRows.KEY;
import static io.stateaccel.views.join.records.ViewRows.all;
import static io.stateaccel.views.join.records.ViewRows.changes;
import static io.stateaccel.views.join.records.ViewRows.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.views.join.MergedRecordView;
import io.stateaccel.views.join.fold.ChangeFold;
import io.stateaccel.views.join.log.RowLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;

class FoldedListViewTest {

    private final RowLogStub log = new RowLogStub();

    @Test
    void insertionsAreAppendedWithoutReading() throws Exception {
        MergedRecordView view = counted();
        for (int i = 0; i < 1_000; i++) {
            view.apply(KEY, changes(row(RowKind.INSERT, i, i)));
        }
        assertThat(log.reads).isZero();
        assertThat(all(view.records(KEY))).hasSize(1_000);
        assertThat(log.reads).isEqualTo(1);
    }

    @Test
    void retractionTakesOneEqualRowAway() throws Exception {
        MergedRecordView view = counted();
        view.apply(
                KEY,
                changes(
                        row(RowKind.DELETE, 1, 1),
                        row(RowKind.INSERT, 1, 1),
                        row(RowKind.INSERT, 1, 1),
                        row(RowKind.UPDATE_AFTER, 2, 2),
                        row(RowKind.UPDATE_BEFORE, 1, 1)));
        assertThat(all(view.records(KEY)))
                .containsExactlyInAnyOrder(row(RowKind.INSERT, 1, 1), row(RowKind.INSERT, 2, 2));
    }

    @Test
    void lastChangeOfAUniqueKeyWins() throws Exception {
        MergedRecordView view = byId();
        view.apply(
                KEY,
                changes(
                        row(RowKind.INSERT, 1, 1),
                        row(RowKind.UPDATE_AFTER, 1, 2),
                        row(RowKind.INSERT, 2, 1),
                        row(RowKind.DELETE, 2, 99)));
        assertThat(all(view.records(KEY))).containsExactly(row(RowKind.INSERT, 1, 2));
    }

    @Test
    void readingChangesNothingThatAHeapBackendStores() throws Exception {
        MergedRecordView view = counted();
        view.apply(
                KEY,
                changes(
                        row(RowKind.INSERT, 1, 1),
                        row(RowKind.DELETE, 1, 1),
                        row(RowKind.INSERT, 3, 3)));
        List<RowData> before = new ArrayList<>();
        log.stored.get(RowLog.FIRST).forEach(row -> before.add(((BinaryRowData) row).copy()));
        view.records(KEY).without(changes(row(RowKind.DELETE, 3, 3)));
        assertThat(log.stored.get(RowLog.FIRST)).isEqualTo(before);
    }

    /** 90% retractions and updates that the other side never reads. */
    @Test
    void garbageStaysWithinTheLiveRows() throws Exception {
        for (boolean upsert : new boolean[] {false, true}) {
            log.stored.clear();
            log.largestRows = 0;
            log.reads = 0;
            MergedRecordView view = upsert ? byId() : counted();
            int live = 100;
            int[] values = new int[live];
            for (int i = 0; i < live; i++) {
                view.apply(KEY, changes(row(RowKind.INSERT, i, 0)));
            }
            Random random = new Random(1);
            for (int i = 0; i < 20_000; i++) {
                int id = random.nextInt(live);
                RowData after = row(RowKind.UPDATE_AFTER, id, values[id] + 1);
                view.apply(
                        KEY,
                        upsert
                                ? changes(after)
                                : changes(row(RowKind.UPDATE_BEFORE, id, values[id]), after));
                values[id]++;
            }
            assertThat(log.largestRows)
                    .isLessThanOrEqualTo(2 * live + FoldedListView.TOLERATED_GARBAGE);
            assertThat(log.reads).as("amortised").isLessThan(1000);
            assertThat(all(view.records(KEY))).hasSize(live);
        }
    }

    private MergedRecordView counted() {
        return new FoldedListView(log, ChangeFold.counted(log), ARITY);
    }

    private MergedRecordView byId() {
        return new FoldedListView(log, ChangeFold.byUniqueKey(ViewRows::id, true), ARITY);
    }
}
