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
package io.stateaccel.operators.rank;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.ChangelogRules;
import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.bundle.IdleTask;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random changelogs through Flink's top-N functions and through ours, with checkpoints and
 * restores in between: what is live in the end is the same, and what a sort of all live rows gives,
 * and ours emits no more.
 */
class MiniBatchRankDifferentialTest {

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(60);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameLiveRowsAsStock(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        RankCase rank = RankCase.random(random);
        List<BinaryRowData> changes = rank.changes(random, random.nextInt(200));
        long disturbance = random.nextLong();

        Result ours = run(rank, true, changes, disturbance, backend);
        if (rank.input() == RankInput.UPDATE && rank.generateUpdateBefore()) {
            assertThat(ours.byRowKey.values())
                    .as("by row key, -Dstateaccel.seed=%d, %s: %s", seed, backend, rank)
                    .containsExactlyInAnyOrderElementsOf(ours.live.keySet());
        }

        if (rank.input() != RankInput.UPDATE) {
            assertThat(ours.live)
                    .as("-Dstateaccel.seed=%d, %s: %s", seed, backend, rank)
                    .isEqualTo(Result.of(rank, rank.expected(changes)).live);
        }
        if (rank.isWrongInFlink()) {
            return;
        }
        Result stock = run(rank, false, changes, disturbance, backend);
        assertThat(ours.live)
                .as("-Dstateaccel.seed=%d, %s: %s", seed, backend, rank)
                .isEqualTo(stock.live);
        assertThat(ours.emitted)
                .as("emitted rows, -Dstateaccel.seed=%d, %s: %s", seed, backend, rank)
                .isLessThanOrEqualTo(stock.emitted);
    }

    private static Result run(
            RankCase rank,
            boolean accelerated,
            List<BinaryRowData> changes,
            long disturbance,
            String backend)
            throws Exception {
        Random random = new Random(disturbance);
        Result result = new Result(rank);
        Optional<ChangelogRules> rules =
                accelerated ? Optional.of(result.rules()) : Optional.empty();
        OperatorSubtaskState snapshot = null;
        int next = 0;
        boolean done = false;
        while (!done) {
            OneInputStreamOperator<RowData, RowData> operator =
                    accelerated ? rank.accelerated() : rank.stock();
            try (var harness = harness(operator, backend)) {
                harness.setup();
                if (snapshot != null) {
                    harness.initializeState(snapshot);
                }
                harness.open();
                boolean restore = false;
                while (!restore && !(done = next == changes.size())) {
                    harness.processElement(new StreamRecord<>(changes.get(next++).copy()));
                    result.take(harness, rules);
                    if (random.nextInt(30) == 0) {
                        harness.processWatermark(new Watermark(next));
                        result.take(harness, rules);
                    }
                    if (random.nextInt(15) == 0) {
                        IdleTask.idle(harness);
                        result.take(harness, rules);
                    }
                    restore = random.nextInt(50) == 0;
                }
                harness.prepareSnapshotPreBarrier(1);
                snapshot = harness.snapshot(1, 1);
                result.take(harness, rules);
            }
        }
        rules.ifPresent(ChangelogRules::end);
        return result;
    }

    private static KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> harness(
            OneInputStreamOperator<RowData, RowData> operator, String backend) throws Exception {
        RankCase.Selector key = new RankCase.Selector(RankCase.PARTITION);
        var harness =
                new KeyedOneInputStreamOperatorTestHarness<>(operator, key, key.getProducedType());
        harness.setStateBackend(
                backend.equals("rocksdb")
                        ? new EmbeddedRocksDBStateBackend(false)
                        : new HashMapStateBackend());
        return harness;
    }

    /** What the operator's output amounts to. */
    private static final class Result {
        final Map<String, Object> live = new HashMap<>();

        /**
         * As a join has them that knows rows by their key: a change of any kind replaces the last.
         */
        final Map<Long, String> byRowKey = new HashMap<>();

        private final RankCase rank;
        long emitted;

        Result(RankCase rank) {
            this.rank = rank;
        }

        static Result of(RankCase rank, Map<Long, List<BinaryRowData>> rows) {
            Result result = new Result(rank);
            for (List<BinaryRowData> partition : rows.values()) {
                for (int i = 0; i < partition.size(); i++) {
                    result.apply(
                            rank.outputRankNumber()
                                    ? new JoinedRowData(
                                            partition.get(i),
                                            GenericRowData.of((long) rank.rankStart() + i))
                                    : partition.get(i));
                }
            }
            return result;
        }

        /** Flink's own operator leaves some {@code -U} without a {@code +U}. */
        ChangelogRules rules() {
            Function<RowData, String> upsertKey = rank.outputRankNumber() ? this::rankOf : null;
            return new ChangelogRules(
                    rank.toString(), this::text, upsertKey, rank.generateUpdateBefore());
        }

        /** Takes what has been emitted since the last time. */
        void take(
                KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> harness,
                Optional<ChangelogRules> rules) {
            List<RowData> rows = harness.extractOutputValues();
            harness.getOutput().clear();
            rows.forEach(this::apply);
            rules.ifPresent(r -> r.bundle(rows));
        }

        void apply(RowData row) {
            emitted++;
            boolean accumulate = RowDataUtil.isAccumulateMsg(row);
            if (accumulate) {
                byRowKey.put(row.getLong(RankCase.ID), text(row));
            } else {
                byRowKey.remove(row.getLong(RankCase.ID));
            }
            if (rank.generateUpdateBefore()) {
                live.merge(
                        text(row),
                        accumulate ? 1 : -1,
                        (a, b) -> (int) a + (int) b == 0 ? null : (int) a + (int) b);
            } else if (accumulate) {
                live.put(rankOf(row), text(row));
            } else {
                live.remove(rankOf(row));
            }
        }

        private String rankOf(RowData row) {
            return row.getLong(RankCase.PARTITION) + "#" + row.getLong(4);
        }

        private String text(RowData row) {
            return row.getLong(RankCase.PARTITION)
                    + ","
                    + row.getLong(RankCase.ID)
                    + ","
                    + (row.isNullAt(RankCase.SORTED) ? "NULL" : row.getInt(RankCase.SORTED))
                    + ","
                    + row.getInt(RankCase.PAYLOAD)
                    + (rank.outputRankNumber() ? "#" + row.getLong(4) : "");
        }
    }
}
