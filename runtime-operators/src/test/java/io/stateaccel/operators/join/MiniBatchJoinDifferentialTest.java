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

import io.stateaccel.operators.join.JoinCase.Selector;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random changelogs through Flink's {@code StreamingJoinOperator} and through ours, with
 * checkpoints and restores in between: what is live in the end is the same, and ours emits no more.
 */
class MiniBatchJoinDifferentialTest {

    private static final int CASES = Integer.getInteger("stateaccel.cases", 120);

    /** One seed replays one case: {@code -Dstateaccel.seed=...}. */
    static Stream<Arguments> cases() {
        Long replay = Long.getLong("stateaccel.seed");
        LongStream seeds =
                replay != null ? LongStream.of(replay) : new Random(System.nanoTime()).longs(CASES);
        return seeds.boxed()
                .flatMap(
                        seed ->
                                Stream.of(
                                        Arguments.of(seed, "hashmap"),
                                        Arguments.of(seed, "rocksdb")));
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameLiveRowsAsStock(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        JoinCase join = JoinCase.random(random);
        // Rows with a key as long as this soon are more than one value holds.
        String hotKey = random.nextInt(4) == 0 ? "hot".repeat(3_000) : "hot";
        List<BinaryRowData> left =
                RandomChangelog.of(join.left(), hotKey, random, random.nextInt(150));
        List<BinaryRowData> right =
                RandomChangelog.of(join.right(), hotKey, random, random.nextInt(150));
        long interleaving = random.nextLong();

        Result stock = run(join, join.stock(), left, right, interleaving, backend);
        Result ours = run(join, join.accelerated(), left, right, interleaving, backend);

        assertThat(ours.live)
                .as("-Dstateaccel.seed=%d, %s: %s", seed, backend, join)
                .isEqualTo(stock.live);
        assertThat(ours.emitted)
                .as("emitted rows, -Dstateaccel.seed=%d, %s: %s", seed, backend, join)
                .isLessThanOrEqualTo(stock.emitted);
    }

    private static Result run(
            JoinCase join,
            TwoInputStreamOperator<RowData, RowData, RowData> operator,
            List<BinaryRowData> left,
            List<BinaryRowData> right,
            long interleaving,
            String backend)
            throws Exception {
        Random random = new Random(interleaving);
        Result result = new Result();
        OperatorSubtaskState snapshot = null;
        int l = 0;
        int r = 0;
        boolean accelerated = operator instanceof MiniBatchJoinOperator;
        boolean done = false;
        long watermark = 0;
        long now = 1;
        while (!done) {
            try (var harness = harness(accelerated ? join.accelerated() : join.stock(), backend)) {
                harness.setup();
                setTime(harness, now);
                if (snapshot != null) {
                    harness.initializeState(snapshot);
                }
                harness.open();
                boolean restore = false;
                while (!restore && !(done = l == left.size() && r == right.size())) {
                    boolean fromLeft =
                            r == right.size() || (l < left.size() && random.nextBoolean());
                    if (fromLeft) {
                        harness.processElement1(new StreamRecord<>(left.get(l++).copy()));
                    } else {
                        harness.processElement2(new StreamRecord<>(right.get(r++).copy()));
                    }
                    if (random.nextInt(40) == 0) {
                        // Flushed first, as what a row meets is decided at the flush.
                        harness.processBothWatermarks(new Watermark(++watermark));
                        now += random.nextInt(80);
                        setTime(harness, now);
                    }
                    restore = random.nextInt(60) == 0;
                }
                harness.prepareSnapshotPreBarrier(1);
                snapshot = harness.snapshot(1, 1);
                result.materialise(join, harness);
            }
        }
        return result;
    }

    private static void setTime(
            KeyedTwoInputStreamOperatorTestHarness<?, ?, ?, ?> harness, long millis)
            throws Exception {
        harness.setStateTtlProcessingTime(millis);
        harness.setProcessingTime(millis);
    }

    private static KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData>
            harness(TwoInputStreamOperator<RowData, RowData, RowData> operator, String backend)
                    throws Exception {
        Selector key = new Selector(JoinCase.KEY);
        var harness =
                new KeyedTwoInputStreamOperatorTestHarness<>(
                        operator, key, key, key.getProducedType());
        StateBackend stateBackend =
                backend.equals("rocksdb")
                        ? new EmbeddedRocksDBStateBackend(false)
                        : new HashMapStateBackend();
        harness.setStateBackend(stateBackend);
        return harness;
    }

    /** What the operator's output amounts to. */
    private static final class Result {
        final Map<String, Object> live = new HashMap<>();
        long emitted;

        void materialise(
                JoinCase join,
                KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData>
                        harness) {
            for (RowData row : harness.extractOutputValues()) {
                emitted++;
                if (join.readAsUpserts()) {
                    upsert(row, join.filters());
                } else {
                    count(row, join.filters());
                }
            }
        }

        private void upsert(RowData row, boolean leftOnly) {
            String key = id(row, 0) + (leftOnly ? "" : "/" + id(row, 3));
            if (RowDataUtil.isAccumulateMsg(row)) {
                live.put(key, fields(row, leftOnly));
            } else {
                live.remove(key);
            }
        }

        private void count(RowData row, boolean leftOnly) {
            int sign = RowDataUtil.isAccumulateMsg(row) ? 1 : -1;
            live.merge(fields(row, leftOnly), sign, (a, b) -> zeroToNull((int) a + (int) b));
        }

        private static Integer zeroToNull(int count) {
            return count == 0 ? null : count;
        }

        private static String id(RowData row, int side) {
            return row.isNullAt(side + JoinCase.ID)
                    ? "padded"
                    : Long.toString(row.getLong(side + JoinCase.ID));
        }

        private static String fields(RowData row, boolean leftOnly) {
            StringBuilder text = new StringBuilder();
            for (int side = 0; side < (leftOnly ? 3 : 6); side += 3) {
                text.append(row.isNullAt(side) ? "NULL" : row.getString(side).toString())
                        .append(',')
                        .append(id(row, side))
                        .append(',')
                        .append(
                                row.isNullAt(side + JoinCase.VALUE)
                                        ? "NULL"
                                        : row.getInt(side + JoinCase.VALUE))
                        .append(';');
            }
            return text.toString();
        }
    }
}
