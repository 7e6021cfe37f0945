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
package io.stateaccel.views.join.temporal;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.views.join.log.RowLog;
import io.stateaccel.views.join.log.StoredRows;
import io.stateaccel.views.join.records.RowLogStub;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rows of one key, with how much is stored, read and written. */
class TimedRowsTest {

    private static final int RUNS = Integer.getInteger("stateaccel.cases", 12);

    private static final InternalTypeInfo<RowData> TYPE =
            InternalTypeInfo.ofFields(
                    new IntType(), new BigIntType(), new VarCharType(VarCharType.MAX_LENGTH));

    private static final int TIME = 1;

    private static final RowData KEY = row(RowKind.INSERT, 0, 0, "");

    private final RowLogStub log = new RowLogStub();

    static LongStream seeds() {
        Long replay = Long.getLong("stateaccel.seed");
        return replay != null ? LongStream.of(replay) : new Random(System.nanoTime()).longs(RUNS);
    }

    /** As the maps of Flink's operator, with watermarks that go back now and then. */
    @ParameterizedTest(name = "-Dstateaccel.seed={0}")
    @MethodSource("seeds")
    void rowsToJoinAreThoseOfAList(long seed) throws Exception {
        Random random = new Random(seed);
        RowsToJoin rows = new RowsToJoin(log, TYPE, TIME);
        List<RowData> model = new ArrayList<>();
        Script script = new Script(random);
        for (int step = 0; step < 300; step++) {
            List<RowData> appended = script.append();
            rows.append(KEY, copies(appended));
            model.addAll(appended);
            if (random.nextInt(10) == 0) {
                // After a restore nothing is known.
                rows = new RowsToJoin(log, TYPE, TIME);
            }
            if (random.nextInt(3) == 0) {
                long watermark = script.advance();
                List<RowData> expected = new ArrayList<>(model);
                expected.removeIf(row -> row.getLong(TIME) > watermark);
                model.removeIf(row -> row.getLong(TIME) <= watermark);

                List<RowData> taken = new ArrayList<>();
                long next = rows.take(watermark, taken::add);

                assertThat(taken).isEqualTo(expected);
                assertThat(next)
                        .isEqualTo(
                                model.stream()
                                        .mapToLong(row -> row.getLong(TIME))
                                        .min()
                                        .orElse(Long.MAX_VALUE));
                assertThat(log.bytes()).isLessThanOrEqualTo(mostBytes(model));
                assertThat(rows.take(watermark, row -> assertThat(row).isNull())).isEqualTo(next);
            }
        }
        assertThat(log.largestBytes).isLessThan(3 * RowLog.CHUNK_BYTES);
        rows.take(Long.MAX_VALUE, row -> {});
        assertThat(log.stored).isEmpty();
    }

    @ParameterizedTest(name = "-Dstateaccel.seed={0}")
    @MethodSource("seeds")
    void versionsAreThoseOfAMap(long seed) throws Exception {
        Random random = new Random(seed);
        Versions versions = new Versions(log, TYPE, TIME);
        NavigableMap<Long, RowData> model = new TreeMap<>();
        Script script = new Script(random);
        for (int step = 0; step < 300; step++) {
            List<RowData> appended = script.append();
            versions.append(KEY, copies(appended));
            appended.forEach(row -> model.put(row.getLong(TIME), row));
            if (random.nextInt(10) == 0) {
                versions = new Versions(log, TYPE, TIME);
            }
            if (random.nextInt(3) == 0) {
                long watermark = script.advance();

                assertThat(versions.readAndDropOld(watermark)).isEqualTo(model);

                Long current = model.floorKey(watermark);
                if (current != null) {
                    model.headMap(current).clear();
                }
                assertThat(log.bytes()).isLessThanOrEqualTo(mostBytes(List.copyOf(model.values())));
                assertThat(versions.readAndDropOld(watermark)).isEqualTo(model);
            }
        }
        assertThat(log.largestBytes).isLessThan(3 * RowLog.CHUNK_BYTES);
        versions.clear();
        assertThat(log.stored).isEmpty();
    }

    /** Twice the rows, what their kinds take, and a directory. */
    private static long mostBytes(List<RowData> live) {
        return 2 * (StoredRows.bytesOf(live) + 8L * live.size()) + 500;
    }

    /** Rows that come in the order of their times, a hot key's worth of which wait. */
    @Test
    void chunksThatAreNotDueAreNotRead() throws Exception {
        RowsToJoin rows = new RowsToJoin(log, TYPE, TIME);
        String padding = "x".repeat(100);
        for (int i = 0; i < 100_000; i += 100) {
            List<RowData> some = new ArrayList<>();
            for (int n = i; n < i + 100; n++) {
                some.add(row(RowKind.INSERT, n, n, padding));
            }
            rows.append(KEY, some);
        }
        assertThat(log.stored).hasSizeBetween(150, 400);
        assertThat(log.bytesRead).as("looks at the list").isLessThan(2 * log.bytes());

        log.bytesRead = 0;
        int[] taken = {0};
        assertThat(rows.take(9_999, row -> taken[0]++)).isEqualTo(10_000);
        assertThat(taken[0]).isEqualTo(10_000);
        assertThat(log.bytesRead).isLessThan(log.bytes() / 5);
    }

    @Test
    void rowsOfTheLastTimeOfAllAreKeptInChunksToo() throws Exception {
        RowsToJoin rows = new RowsToJoin(log, TYPE, TIME);
        String padding = "x".repeat(1_000);
        for (int n = 0; n < 300; n++) {
            rows.append(KEY, List.of(row(RowKind.INSERT, n, Long.MAX_VALUE, padding)));
        }
        assertThat(log.stored).hasSizeGreaterThan(3);
        assertThat(rows.take(0, row -> assertThat(row).isNull())).isEqualTo(Long.MAX_VALUE);
        int[] taken = {0};
        rows.take(Long.MAX_VALUE, row -> taken[0]++);
        assertThat(taken[0]).isEqualTo(300);
        assertThat(log.stored).isEmpty();
    }

    /** What costs is what is due, and not what waits. */
    @Test
    void listIsNotWrittenAnewForEachRowThatIsTaken() throws Exception {
        RowsToJoin rows = new RowsToJoin(log, TYPE, TIME);
        List<RowData> all = new ArrayList<>();
        for (int n = 0; n < 100; n++) {
            all.add(row(RowKind.INSERT, n, n, "x".repeat(100)));
        }
        rows.append(KEY, all);
        List<RowData> list = log.stored.get(RowLog.FIRST);
        rows.take(0, row -> {});
        assertThat(log.stored.get(RowLog.FIRST)).isSameAs(list).hasSize(101);
        rows.take(60, row -> {});
        assertThat(log.stored.get(RowLog.FIRST)).hasSize(39);
    }

    private static List<RowData> copies(List<RowData> rows) {
        List<RowData> copies = new ArrayList<>();
        rows.forEach(row -> copies.add(((BinaryRowData) row).copy()));
        return copies;
    }

    private static BinaryRowData row(RowKind kind, int number, long time, String padding) {
        BinaryRowData row = new BinaryRowData(3);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeInt(0, number);
        writer.writeLong(TIME, time);
        writer.writeString(2, StringData.fromString(padding));
        writer.complete();
        row.setRowKind(kind);
        return row;
    }

    /** Rows around a watermark. */
    private static final class Script {
        private final Random random;
        private final int range;
        private final int mostRows;
        private final int padding;
        private long watermark;
        private int number;

        Script(Random random) {
            this.random = random;
            this.range = 1 + random.nextInt(3_000);
            this.mostRows = 1 + random.nextInt(60);
            this.padding = random.nextInt(300);
        }

        List<RowData> append() {
            List<RowData> rows = new ArrayList<>();
            int count = 1 + random.nextInt(mostRows);
            for (int i = 0; i < count; i++) {
                long time = watermark + random.nextInt(range) - range / 4;
                RowKind kind =
                        random.nextInt(3) == 0
                                ? RowKind.values()[random.nextInt(4)]
                                : RowKind.INSERT;
                rows.add(row(kind, number++, time, "x".repeat(random.nextInt(padding + 1))));
            }
            return rows;
        }

        long advance() {
            watermark += random.nextInt(1 + range / 8) - (random.nextInt(20) == 0 ? range : 0);
            return watermark;
        }
    }
}
