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
package io.stateaccel.views.list;

import static io.stateaccel.views.join.records.ViewRows.ARITY;
import static io.stateaccel.views.join.records.ViewRows.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.views.join.log.RowLog;
import io.stateaccel.views.join.log.StoredRows;
import io.stateaccel.views.join.records.AgeingRowLogStub;
import io.stateaccel.views.join.records.RowLogStub;
import io.stateaccel.views.join.records.ViewRows;
import io.stateaccel.views.list.OrderedList.Removal;
import io.stateaccel.views.time.TimeToLive;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A list of one key, with how much is stored, read and written. */
class OrderedRowsTest {

    private static final int RUNS = Integer.getInteger("stateaccel.cases", 12);

    private final RowLogStub log = new RowLogStub();

    static Stream<Arguments> cases() {
        Long replay = Long.getLong("stateaccel.seed");
        Stream<Long> seeds =
                replay != null
                        ? Stream.of(replay)
                        : new Random(System.nanoTime()).longs(RUNS).boxed();
        return seeds.flatMap(
                seed -> Stream.of(Arguments.of(seed, false), Arguments.of(seed, true)));
    }

    /** Random bundles, small and large, against a plain list. */
    @ParameterizedTest(name = "seed {0}, with a unique key: {1}")
    @MethodSource("cases")
    void sameRowsAsAPlainList(long seed, boolean keyed) throws Exception {
        Random random = new Random(seed);
        log.keepsLists = random.nextBoolean();
        OrderedRows rows = rows(keyed);
        List<RowData> model = new ArrayList<>();
        int ids = 1 << (1 + random.nextInt(14));
        double removals = 0.7 * random.nextDouble();
        for (int bundle = 0; bundle < 100; bundle++) {
            if (random.nextInt(20) == 0) {
                removals = random.nextDouble();
            }
            OrderedList list = rows.value();
            assertThat(list.isEmpty()).isEqualTo(model.isEmpty());
            int changes = 1 + random.nextInt(random.nextInt(5) == 0 ? 2_000 : 20);
            for (int i = 0; i < changes; i++) {
                BinaryRowData row = row(RowKind.INSERT, random.nextInt(ids), random.nextInt(3));
                if (random.nextDouble() < removals) {
                    RowData gone =
                            model.isEmpty() || random.nextInt(5) == 0
                                    ? row
                                    : model.get(random.nextInt(model.size()));
                    assertThat(list.remove(((BinaryRowData) gone).copy()))
                            .isEqualTo(remove(model, gone, keyed));
                } else {
                    list.add(row);
                    add(model, row.copy(), keyed);
                }
            }
            rows.store(list);
            assertThat(log.bytes())
                    .as("live: %d", model.size())
                    .isLessThanOrEqualTo(
                            (log.keepsLists ? 4 : 2) * StoredRows.bytesOf(model) + 100);
            if (random.nextInt(5) == 0) {
                rows = rows(keyed);
                OrderedList read = rows.value();
                read.read();
                assertThat(read.rows()).isEqualTo(model);
            }
        }
        assertThat(log.largestBytes).isLessThan(3 * RowLog.CHUNK_BYTES);
    }

    private static void add(List<RowData> model, RowData row, boolean keyed) {
        int place = keyed ? placeOf(model, row, true) : -1;
        if (place < 0) {
            model.add(row);
        } else {
            model.set(place, row);
        }
    }

    private static Removal remove(List<RowData> model, RowData row, boolean keyed) {
        int place = placeOf(model, row, keyed);
        if (place < 0) {
            return Removal.NOT_FOUND;
        }
        model.remove(place);
        return place == model.size() ? Removal.LAST : Removal.OTHER;
    }

    private static int placeOf(List<RowData> model, RowData row, boolean keyed) {
        for (int i = 0; i < model.size(); i++) {
            RowData other = model.get(i);
            if (keyed ? other.getInt(0) == row.getInt(0) : other.equals(row)) {
                return i;
            }
        }
        return -1;
    }

    /** A bundle of one row reads the marker and the chunk that it is appended to. */
    @Test
    void additionsToALongListReadItsEnd() throws Exception {
        OrderedRows rows = rows(false);
        OrderedList list = rows.value();
        for (int i = 0; i < 100_000; i++) {
            list.add(row(RowKind.INSERT, i, 0));
        }
        rows.store(list);
        int additions = 1_000;
        log.reads = 0;
        for (int i = 0; i < additions; i++) {
            OrderedList longList = rows.value();
            assertThat(longList.isEmpty()).isFalse();
            longList.add(row(RowKind.INSERT, i, 1));
            rows.store(longList);
        }
        assertThat(log.reads).isEqualTo(2 * additions);
        assertThat(rows.value().last()).isEqualTo(row(RowKind.INSERT, additions - 1, 1));
    }

    /** Where the backend tells how long a list is. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void additionsToAShortListReadItWhenItHasDoubled(boolean keyed) throws Exception {
        log.keepsLists = true;
        OrderedRows rows = rows(keyed);
        int additions = 1_000;
        for (int i = 0; i < additions; i++) {
            OrderedList list = rows.value();
            assertThat(list.isEmpty()).isEqualTo(i == 0);
            list.add(row(RowKind.INSERT, i, 0));
            rows.store(list);
        }
        assertThat(log.reads).isLessThan(15);
        assertThat(all(rows)).hasSize(additions);
    }

    private static void addAll(OrderedRows rows, BinaryRowData... added) throws Exception {
        OrderedList list = rows.value();
        for (BinaryRowData row : added) {
            list.add(row);
        }
        rows.store(list);
    }

    /** Where the backend keeps lists in bytes, which tell that it is the row that is to go. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theOnlyRowIsReplacedWithNothingRead(boolean keyed) throws Exception {
        log.keepsLists = true;
        OrderedRows rows = rows(keyed);
        addAll(rows, row(RowKind.INSERT, 1, 0));
        for (int i = 1; i <= 5; i++) {
            OrderedList list = rows.value();
            assertThat(list.remove(row(RowKind.INSERT, 1, i - 1))).isEqualTo(Removal.LAST);
            assertThat(list.isEmpty()).isTrue();
            assertThat(list.remove(row(RowKind.INSERT, 1, i - 1))).isEqualTo(Removal.NOT_FOUND);
            list.add(row(RowKind.INSERT, 1, i));
            rows.store(list);
        }
        assertThat(log.reads).isZero();
        assertThat(all(rows)).containsExactly(row(RowKind.INSERT, 1, 5));
    }

    /** Where there are more rows than the one that is to go, or another one. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRowThatIsNotTheOnlyOneIsLookedFor(boolean keyed) throws Exception {
        log.keepsLists = true;
        OrderedRows rows = rows(keyed);
        addAll(rows, row(RowKind.INSERT, 1, 0), row(RowKind.INSERT, 2, 0));
        OrderedList list = rows.value();
        assertThat(list.remove(row(RowKind.INSERT, 1, 0))).isEqualTo(Removal.OTHER);
        rows.store(list);
        list = rows.value();
        assertThat(list.remove(row(RowKind.INSERT, 2, 1)))
                .isEqualTo(keyed ? Removal.LAST : Removal.NOT_FOUND);
        rows.store(list);
        assertThat(all(rows).size()).isEqualTo(keyed ? 0 : 1);
    }

    /** Of what stays the same nothing is written. */
    @Test
    void aChangeOfALongListWritesThatChange() throws Exception {
        OrderedRows rows = rows(true);
        OrderedList list = rows.value();
        for (int i = 0; i < 1_000; i++) {
            list.add(row(RowKind.INSERT, i, 0));
        }
        rows.store(list);
        long before = log.bytes();
        for (int i = 0; i < 10; i++) {
            OrderedList changed = rows.value();
            changed.add(row(RowKind.INSERT, 10 * i, 1));
            changed.remove(row(RowKind.INSERT, 10 * i + 1, 0));
            rows.store(changed);
        }
        assertThat(log.bytes() - before)
                .isEqualTo(20 * StoredRows.bytesOf(row(RowKind.INSERT, 0, 0)));
    }

    /** Not even a marker. */
    @ParameterizedTest
    @ValueSource(ints = {1, 10, 100_000})
    void anEmptiedListLeavesNothingBehind(int size) throws Exception {
        OrderedRows rows = rows(false);
        OrderedList list = rows.value();
        for (int i = 0; i < size; i++) {
            list.add(row(RowKind.INSERT, i, 0));
        }
        rows.store(list);
        assertThat(log.stored).isNotEmpty();
        list = rows.value();
        for (int i = 0; i < size; i++) {
            assertThat(list.remove(row(RowKind.INSERT, i, 0))).isNotEqualTo(Removal.NOT_FOUND);
        }
        rows.store(list);
        assertThat(log.stored).isEmpty();
    }

    /** What comes and goes, or was never there, is not written. */
    @Test
    void nothingIsWrittenForNothing() throws Exception {
        OrderedRows rows = rows(false);
        OrderedList list = rows.value();
        list.add(row(RowKind.INSERT, 1, 1));
        rows.store(list);
        long bytes = log.bytes();
        list = rows.value();
        list.add(row(RowKind.INSERT, 2, 2));
        assertThat(list.remove(row(RowKind.INSERT, 2, 2))).isEqualTo(Removal.LAST);
        assertThat(list.remove(row(RowKind.INSERT, 3, 3))).isEqualTo(Removal.NOT_FOUND);
        rows.store(list);
        assertThat(log.bytes()).isEqualTo(bytes);
    }

    /** The old rows may not have left the state when the time to live is switched off. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aListThatBeginsAnewHasNoneOfItsOldRows(boolean keyed) throws Exception {
        AgeingRowLogStub ageing = new AgeingRowLogStub();
        add(rows(keyed, ageing), ageing, 0, 50_000);
        ageing.nextGeneration();
        OrderedRows rows = rows(keyed, ageing);
        assertThat(rows.value().isEmpty()).isTrue();

        add(rows, ageing, 0, 10_000);
        ageing.liveForEver();
        assertThat(all(rows(keyed, ageing))).hasSize(10_000);
        for (int from = 10_000; from < 50_000; from += 100) {
            add(rows, ageing, from, 100);
        }
        assertThat(all(rows(keyed, ageing))).hasSize(50_000);
    }

    private static void add(OrderedRows rows, AgeingRowLogStub log, int from, int count)
            throws Exception {
        OrderedList list = rows.value();
        for (int i = from; i < from + count; i++) {
            list.add(log.newRow(i));
        }
        rows.store(list);
    }

    private static List<RowData> all(OrderedRows rows) throws Exception {
        OrderedList list = rows.value();
        list.read();
        return list.rows();
    }

    private OrderedRows rows(boolean keyed) {
        return rows(keyed, log);
    }

    private static OrderedRows rows(boolean keyed, RowLog log) {
        return new OrderedRows(
                log, ARITY, keyed ? ViewRows::id : null, TimeToLive.FOREVER.by(() -> 0L));
    }
}
