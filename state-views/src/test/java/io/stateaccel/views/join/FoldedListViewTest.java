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
package io.stateaccel.views.join;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;

class FoldedListViewTest {

    private static final RowData KEY = row(RowKind.INSERT, 42, 0);

    private final ListStateStub state = new ListStateStub();

    @Test
    void insertionsAreAppendedWithoutReading() throws Exception {
        MergedRecordView view = new FoldedListView(new PlainRowLog(state), new CountedFold());
        for (int i = 0; i < 10_000; i++) {
            view.apply(KEY, changes(row(RowKind.INSERT, i, i)));
        }
        assertThat(state.reads).isZero();
        assertThat(view.records()).hasSize(10_000);
        assertThat(state.reads).isEqualTo(1);
    }

    @Test
    void retractionTakesOneEqualRowAway() throws Exception {
        MergedRecordView view = new FoldedListView(new PlainRowLog(state), new CountedFold());
        view.apply(
                KEY,
                changes(
                        row(RowKind.DELETE, 1, 1),
                        row(RowKind.INSERT, 1, 1),
                        row(RowKind.INSERT, 1, 1),
                        row(RowKind.UPDATE_AFTER, 2, 2),
                        row(RowKind.UPDATE_BEFORE, 1, 1)));
        assertThat(view.records())
                .containsExactlyInAnyOrder(row(RowKind.INSERT, 1, 1), row(RowKind.INSERT, 2, 2));
    }

    @Test
    void lastChangeOfAUniqueKeyWins() throws Exception {
        MergedRecordView view =
                new FoldedListView(
                        new PlainRowLog(state), new UniqueKeyFold(FoldedListViewTest::id, true));
        view.apply(
                KEY,
                changes(
                        row(RowKind.INSERT, 1, 1),
                        row(RowKind.UPDATE_AFTER, 1, 2),
                        row(RowKind.INSERT, 2, 1),
                        row(RowKind.DELETE, 2, 99)));
        assertThat(view.records()).containsExactly(row(RowKind.INSERT, 1, 2));
    }

    @Test
    void readingChangesNothingThatAHeapBackendStores() throws Exception {
        MergedRecordView view = new FoldedListView(new PlainRowLog(state), new CountedFold());
        view.apply(
                KEY,
                changes(
                        row(RowKind.INSERT, 1, 1),
                        row(RowKind.DELETE, 1, 1),
                        row(RowKind.INSERT, 3, 3)));
        List<RowData> before = new ArrayList<>();
        state.stored.forEach(row -> before.add(((BinaryRowData) row).copy()));
        view.after(view.records(), changes(row(RowKind.DELETE, 3, 3)));
        assertThat(state.stored).isEqualTo(before);
    }

    /** 90% retractions and updates that the other side never reads. */
    @Test
    void garbageStaysWithinTheLiveRows() throws Exception {
        for (boolean upsert : new boolean[] {false, true}) {
            state.clear();
            state.largest = 0;
            ChangeFold fold =
                    upsert ? new UniqueKeyFold(FoldedListViewTest::id, true) : new CountedFold();
            MergedRecordView view = new FoldedListView(new PlainRowLog(state), fold);
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
            assertThat(state.largest).isLessThanOrEqualTo(2 * live + GarbageSketch.TOLERATED);
            assertThat(state.reads).as("amortised").isLessThan(1000);
            assertThat(view.records()).hasSize(live);
        }
    }

    private static List<RowData> changes(RowData... rows) {
        return new ArrayList<>(List.of(rows));
    }

    private static RowData id(RowData row) {
        return row(RowKind.INSERT, row.getInt(0), 0);
    }

    private static BinaryRowData row(RowKind kind, int id, int value) {
        BinaryRowData row = new BinaryRowData(2);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeInt(0, id);
        writer.writeInt(1, value);
        writer.complete();
        row.setRowKind(kind);
        return row;
    }
}
