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
import io.stateaccel.views.join.MergedViewKind;
import io.stateaccel.views.join.fold.ChangeFold;
import io.stateaccel.views.join.log.RowLog;
import io.stateaccel.views.join.log.StoredRows;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Keys with more rows than one value should hold. */
class HotKeyTest {

    private static final int RUNS = Integer.getInteger("stateaccel.cases", 12);
    private static final long MANY_BYTES = 1 << 20;

    private final RowLogStub log = new RowLogStub();

    static Stream<Arguments> kinds() {
        Long replay = Long.getLong("stateaccel.seed");
        Stream<Long> seeds =
                replay != null
                        ? Stream.of(replay)
                        : new Random(System.nanoTime()).longs(RUNS).boxed();
        return seeds.flatMap(
                seed ->
                        Stream.of(MergedViewKind.values())
                                .filter(kind -> kind != MergedViewKind.SINGLE_ROW)
                                .map(kind -> Arguments.of(seed, kind)));
    }

    /** Random changes, restarts that forget what the heap knew, and reads, against a plain map. */
    @ParameterizedTest(name = "seed {0}, {1}")
    @MethodSource("kinds")
    void sameRowsAsAPlainMap(long seed, MergedViewKind kind) throws Exception {
        Random random = new Random(seed);
        ListView view = view(kind);
        Map<RowData, Integer> model = new HashMap<>();
        List<RowData> live = new ArrayList<>();
        int ids = 1 << (1 + random.nextInt(14));
        int repeats = 1 + random.nextInt(3);
        double retractions = random.nextDouble();
        int flushes = 20 + random.nextInt(100);
        for (int flush = 0; flush < flushes; flush++) {
            if (random.nextInt(30) == 0) {
                view = view(kind);
            }
            if (random.nextInt(30) == 0) {
                retractions = random.nextDouble();
            }
            List<RowData> changes = new ArrayList<>();
            int size = 1 + random.nextInt(random.nextInt(5) == 0 ? 5_000 : 50);
            for (int i = 0; i < size; i++) {
                boolean retract =
                        kind != MergedViewKind.APPENDED_LIST
                                && !live.isEmpty()
                                && random.nextDouble() < retractions;
                if (retract) {
                    RowData gone = takeAny(live, random);
                    count(model, gone, -1);
                    changes.add(
                            row(
                                    random.nextBoolean() ? RowKind.DELETE : RowKind.UPDATE_BEFORE,
                                    gone.getInt(0),
                                    gone.getInt(1)));
                } else {
                    int id = random.nextInt(ids);
                    int value = random.nextInt(repeats);
                    if (kind == MergedViewKind.UNIQUE_KEY_LIST && contains(live, id)) {
                        continue;
                    }
                    RowData added = row(RowKind.INSERT, id, value);
                    live.add(added);
                    count(model, added, 1);
                    changes.add(
                            row(
                                    random.nextBoolean() ? RowKind.INSERT : RowKind.UPDATE_AFTER,
                                    id,
                                    value));
                }
            }
            if (!changes.isEmpty()) {
                view.apply(KEY, changes);
            }
            if (random.nextInt(10) == 0) {
                assertThat(counted(view.records(KEY))).isEqualTo(model);
            }
            if (random.nextInt(10) == 0 && !live.isEmpty()) {
                RowData gone = live.get(random.nextInt(live.size()));
                RowData retraction = row(RowKind.DELETE, gone.getInt(0), gone.getInt(1));
                Map<RowData, Integer> expected = new HashMap<>(model);
                if (kind != MergedViewKind.APPENDED_LIST) {
                    count(expected, gone, -1);
                    assertThat(counted(view.records(KEY).without(List.of(retraction))))
                            .isEqualTo(expected);
                }
            }
        }
        assertThat(counted(view(kind).records(KEY))).isEqualTo(model);
        assertThat(log.largestBytes).isLessThan(MANY_BYTES);
    }

    @ParameterizedTest
    @MethodSource("kindsOnce")
    void valuesStaySmallAndReadsStream(MergedViewKind kind) throws Exception {
        ListView view = view(kind);
        int rows = 500_000;
        List<RowData> changes = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            changes.add(row(RowKind.INSERT, i, 0));
            if (changes.size() == 1000) {
                view.apply(KEY, changes);
                changes = new ArrayList<>();
            }
        }
        assertThat(log.largestBytes).isLessThan(4 * RowLog.CHUNK_BYTES);
        assertThat(log.bytesRead).as("amortised").isLessThan(4 * log.bytes());

        LiveRows.Cursor cursor = view(kind).records(KEY).open();
        long read = 0;
        List<RowData> chunk;
        while ((chunk = cursor.next()) != null) {
            assertThat(StoredRows.bytesOf(chunk)).isLessThan(4 * RowLog.CHUNK_BYTES);
            read += chunk.size();
        }
        assertThat(read).isEqualTo(rows);
    }

    static Stream<MergedViewKind> kindsOnce() {
        return Stream.of(MergedViewKind.values()).filter(kind -> kind != MergedViewKind.SINGLE_ROW);
    }

    @Test
    void equalRowsOfAHotKeyAreStoredOnce() throws Exception {
        ListView view = view(MergedViewKind.COUNTED_LIST);
        for (int i = 0; i < 2_000; i++) {
            view.apply(KEY, new ArrayList<>(Collections.nCopies(500, row(RowKind.INSERT, 1, 1))));
            view.apply(KEY, new ArrayList<>(Collections.nCopies(5, row(RowKind.DELETE, 1, 1))));
        }
        assertThat(log.bytes()).isLessThan(8 * RowLog.CHUNK_BYTES);
        long rows = 0;
        LiveRows.Cursor cursor = view.records(KEY).open();
        List<RowData> chunk;
        while ((chunk = cursor.next()) != null) {
            rows += chunk.size();
        }
        assertThat(rows).isEqualTo(2_000 * 495);
    }

    /** Updates of a hot key by key, nine in ten changes of no more use. */
    @Test
    void spaceStaysWithinTwiceTheLiveRows() throws Exception {
        for (MergedViewKind kind :
                List.of(MergedViewKind.COUNTED_LIST, MergedViewKind.UNIQUE_KEY_LIST)) {
            log.stored.clear();
            ListView view = view(kind);
            int live = 50_000;
            int[] values = new int[live];
            List<RowData> changes = new ArrayList<>();
            Random random = new Random(2);
            for (int i = 0; i < 10 * live; i++) {
                int id = i < live ? i : random.nextInt(live);
                if (i >= live) {
                    changes.add(row(RowKind.UPDATE_BEFORE, id, values[id]++));
                }
                changes.add(row(RowKind.UPDATE_AFTER, id, values[id]));
                if (changes.size() > 200) {
                    view.apply(KEY, changes);
                    changes = new ArrayList<>();
                }
            }
            view.apply(KEY, changes);
            List<RowData> rows = all(view.records(KEY));
            assertThat(rows).hasSize(live);
            assertThat(log.bytes()).isLessThan(2 * StoredRows.bytesOf(rows));
        }
    }

    @Test
    void anEmptiedKeyLeavesLittleBehind() throws Exception {
        ListView view = view(MergedViewKind.COUNTED_LIST);
        int rows = 100_000;
        for (RowKind kind : List.of(RowKind.INSERT, RowKind.DELETE)) {
            for (int i = 0; i < rows; i += 1_000) {
                List<RowData> changes = new ArrayList<>();
                for (int j = i; j < i + 1_000; j++) {
                    changes.add(row(kind, j, j));
                }
                view.apply(KEY, changes);
            }
        }
        assertThat(all(view.records(KEY))).isEmpty();
        assertThat(log.bytes()).isLessThan(RowLog.CHUNK_BYTES);
        assertThat(log.stored).hasSizeLessThan(10);
    }

    /**
     * A key that expired and begins anew has its chunks where it had them before, and the old rows
     * may not have left the state when the time to live is switched off.
     */
    @ParameterizedTest
    @MethodSource("kindsOnce")
    void aKeyThatBeginsAnewHasNoneOfItsOldRows(MergedViewKind kind) throws Exception {
        AgeingRowLogStub ageing = new AgeingRowLogStub();
        ListView view = view(kind, ageing);
        append(view, ageing, 50_000);
        assertThat(all(view.records(KEY))).hasSize(50_000);
        ageing.nextGeneration();
        assertThat(all(view.records(KEY))).isEmpty();

        append(view, ageing, 10_000);
        ageing.liveForEver();
        assertThat(all(view(kind, ageing).records(KEY))).hasSize(10_000);
        append(view(kind, ageing), ageing, 40_000);
        assertThat(all(view(kind, ageing).records(KEY))).hasSize(50_000);
    }

    private static void append(ListView view, AgeingRowLogStub log, int rows) throws Exception {
        for (int from = 0; from < rows; from += 100) {
            List<RowData> changes = new ArrayList<>();
            for (int i = from; i < from + 100; i++) {
                changes.add(log.newRow(rows + i));
            }
            view.apply(KEY, changes);
        }
    }

    /** A look is one read for so many bytes, however many keys share a counter. */
    @Test
    void ordinaryKeysAreAppendedBlind() throws Exception {
        for (MergedViewKind kind : kindsOnce().toList()) {
            Map<Integer, RowLogStub> logs = new HashMap<>();
            RowLogStub[] current = new RowLogStub[1];
            RowLog byKey = new SwitchingLog(current);
            ListView view = view(kind, byKey);
            int keys = 20_000;
            int perKey = 20;
            for (int round = 0; round < perKey; round++) {
                for (int key = 0; key < keys; key++) {
                    current[0] = logs.computeIfAbsent(key, k -> new RowLogStub());
                    RowData joinKey = row(RowKind.INSERT, key, 7);
                    view.apply(joinKey, new ArrayList<>(List.of(row(RowKind.INSERT, round, key))));
                }
            }
            int reads = logs.values().stream().mapToInt(keyLog -> keyLog.reads).sum();
            assertThat(reads).isLessThan(keys * perKey / 500);
        }
    }

    private ListView view(MergedViewKind kind) {
        return view(kind, log);
    }

    private static ListView view(MergedViewKind kind, RowLog log) {
        return switch (kind) {
            case APPENDED_LIST -> new AppendedListView(log, ARITY);
            case UNIQUE_KEY_LIST ->
                    new FoldedListView(log, ChangeFold.byUniqueKey(ViewRows::id, false), ARITY);
            default -> new FoldedListView(log, ChangeFold.counted(log), ARITY);
        };
    }

    private static RowData takeAny(List<RowData> rows, Random random) {
        Collections.swap(rows, random.nextInt(rows.size()), rows.size() - 1);
        return rows.remove(rows.size() - 1);
    }

    private static boolean contains(List<RowData> rows, int id) {
        return rows.stream().anyMatch(row -> row.getInt(0) == id);
    }

    private static void count(Map<RowData, Integer> model, RowData row, int by) {
        model.merge(row, by, (a, b) -> a + b == 0 ? null : a + b);
    }

    private static Map<RowData, Integer> counted(LiveRows rows) throws Exception {
        Map<RowData, Integer> counted = new HashMap<>();
        all(rows).forEach(row -> count(counted, row, 1));
        return counted;
    }

    /** One log per key behind one, as a backend's state is. */
    private record SwitchingLog(RowLogStub[] current) implements RowLog {
        @Override
        public List<RowData> read(int chunk) {
            return current[0].read(chunk);
        }

        @Override
        public void readAhead(List<RowData> keys) {
            current[0].readAhead(keys);
        }

        @Override
        public void append(int chunk, List<RowData> changes) {
            current[0].append(chunk, changes);
        }

        @Override
        public void move(int chunk, List<RowData> rows) {
            current[0].move(chunk, rows);
        }

        @Override
        public void replace(int chunk, List<RowData> rows) {
            current[0].replace(chunk, rows);
        }

        @Override
        public RowData repeated(RowData youngest, long count) {
            return current[0].repeated(youngest, count);
        }
    }
}
