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
import static io.stateaccel.views.join.records.ViewRows.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.views.join.LiveRows;
import io.stateaccel.views.join.RenewingRecordView;
import io.stateaccel.views.join.RenewingRecordView.SideUpdate;
import io.stateaccel.views.join.fold.EntryFold;
import io.stateaccel.views.join.log.RowLog;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Rows and their matches, of ordinary keys and of hot ones. */
class MatchedListViewTest {

    private static final int RUNS = Integer.getInteger("stateaccel.cases", 20);

    private final RowLogStub log = new RowLogStub();

    /** How often a row is there, and its matches. */
    private record Entry(int count, int matches) {}

    static Stream<Arguments> cases() {
        Long replay = Long.getLong("stateaccel.seed");
        Stream<Long> seeds =
                replay != null
                        ? Stream.of(replay)
                        : new Random(System.nanoTime()).longs(RUNS).boxed();
        return seeds.flatMap(
                seed ->
                        Stream.of(
                                Arguments.of(seed, true, false),
                                Arguments.of(seed, false, false),
                                Arguments.of(seed, false, true)));
    }

    @ParameterizedTest(name = "seed {0}, keyed {1}, insert-only {2}")
    @MethodSource("cases")
    void sameRowsAndMatchesAsAPlainMap(long seed, boolean keyed, boolean insertOnly)
            throws Exception {
        Random random = new Random(seed);
        Map<RowData, Entry> model = new HashMap<>();
        RenewingRecordView view = view(keyed, insertOnly);
        int ids = 1 << (1 + random.nextInt(14));
        double retractions = insertOnly ? 0 : random.nextDouble();
        int flushes = 20 + random.nextInt(60);
        for (int flush = 0; flush < flushes; flush++) {
            if (random.nextInt(20) == 0) {
                view = view(keyed, insertOnly);
            }
            Map<RowData, Integer> retracted = new HashMap<>();
            List<RowData> live = new ArrayList<>();
            model.forEach((row, entry) -> live.addAll(Collections.nCopies(entry.count, row)));
            Collections.shuffle(live, random);
            int size = 1 + random.nextInt(random.nextInt(4) == 0 ? 3_000 : 30);
            List<RowData> gone = new ArrayList<>();
            List<RowData> added = new ArrayList<>();
            List<Integer> matches = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                if (i < live.size() && random.nextDouble() < retractions) {
                    retracted.merge(live.get(i), 1, Integer::sum);
                    gone.add(copy(RowKind.DELETE, live.get(i)));
                } else {
                    RowData row = row(RowKind.INSERT, random.nextInt(ids), 1);
                    if (!keyed || !model.containsKey(row) && !added.contains(row)) {
                        added.add(row);
                        matches.add(random.nextInt(3));
                    }
                }
            }
            // The other side changes as well: rows with an even id and those of one match more.
            if (random.nextBoolean()) {
                int more = random.nextInt(3);
                Map<RowData, Entry> seen = new HashMap<>();
                LiveRows remaining = view.records(KEY).without(gone);
                view.recount(
                        KEY,
                        List.of(gone),
                        (row, count, before) -> {
                            assertThat(
                                            seen.put(
                                                    copy(RowKind.INSERT, row),
                                                    new Entry(count, before)))
                                    .isNull();
                            return row.getInt(0) % 2 == 0
                                    ? before + more
                                    : RenewingRecordView.UNTOUCHED;
                        });
                Map<RowData, Entry> expected = new HashMap<>();
                for (Map.Entry<RowData, Entry> entry : Map.copyOf(model).entrySet()) {
                    RowData row = entry.getKey();
                    Entry before = entry.getValue();
                    int left = before.count - retracted.getOrDefault(row, 0);
                    if (left > 0) {
                        expected.put(row, new Entry(left, before.matches));
                        if (row.getInt(0) % 2 == 0) {
                            model.put(row, new Entry(before.count, before.matches + more));
                        }
                    }
                }
                assertThat(seen).isEqualTo(expected);
                assertThat(counts(remaining)).isEqualTo(counts(expected));
            }
            gone.forEach(
                    row ->
                            model.computeIfPresent(
                                    copy(RowKind.INSERT, row),
                                    (r, entry) ->
                                            entry.count == 1
                                                    ? null
                                                    : new Entry(entry.count - 1, entry.matches)));
            for (int i = 0; i < added.size(); i++) {
                Entry before = model.get(added.get(i));
                model.put(
                        copy(RowKind.INSERT, added.get(i)),
                        new Entry(before == null ? 1 : before.count + 1, matches.get(i)));
            }
            view.store(
                    KEY,
                    new SideUpdate(
                            gone,
                            added,
                            matches.stream().mapToInt(Integer::intValue).toArray(),
                            List.of(),
                            new int[0]));
            if (random.nextInt(5) == 0) {
                check(view, model);
            }
        }
        check(view(keyed, insertOnly), model);
        assertThat(log.largestBytes).isLessThan(1 << 20);
    }

    private static void check(RenewingRecordView view, Map<RowData, Entry> model) throws Exception {
        assertThat(counts(view.records(KEY))).isEqualTo(counts(model));
        Map<RowData, Entry> entries = new HashMap<>();
        view.recount(
                KEY,
                List.of(),
                (row, count, matches) -> {
                    entries.put(copy(RowKind.INSERT, row), new Entry(count, matches));
                    return RenewingRecordView.UNTOUCHED;
                });
        assertThat(entries).isEqualTo(model);
    }

    private static Map<RowData, Integer> counts(Map<RowData, Entry> model) {
        Map<RowData, Integer> counts = new HashMap<>();
        model.forEach((row, entry) -> counts.put(row, entry.count));
        return counts;
    }

    private static Map<RowData, Integer> counts(LiveRows rows) throws Exception {
        Map<RowData, Integer> counts = new HashMap<>();
        all(rows).forEach(row -> counts.merge(copy(RowKind.INSERT, row), 1, Integer::sum));
        return counts;
    }

    private static RowData copy(RowKind kind, RowData row) {
        return row(kind, row.getInt(0), row.getInt(1));
    }

    private RenewingRecordView view(boolean keyed, boolean insertOnly) {
        RowLog rows = log;
        return new MatchedListView(
                rows, new EntryFold(keyed ? ViewRows::id : null), keyed, insertOnly, ARITY);
    }
}
