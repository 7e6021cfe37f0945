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
package io.stateaccel.operators.deduplicate;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.ChangelogRules;
import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.bundle.IdleTask;
import io.stateaccel.operators.join.JoinCase;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random insertions through Flink's deduplications and through ours, with checkpoints and
 * restores in between, in which either goes on from what the other has stored: what is live in the
 * end is the same, and ours emits no more.
 */
class MiniBatchDeduplicateDifferentialTest {

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(40);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameLiveRowsAsStock(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        DeduplicateCase deduplication = DeduplicateCase.random(random);
        List<BinaryRowData> rows = DeduplicateCase.rows(random);
        long disturbance = random.nextLong();

        Result stock = run(deduplication, List.of(false), rows, disturbance, backend);
        Result ours = run(deduplication, List.of(true), rows, disturbance, backend);
        Result both = run(deduplication, List.of(true, false), rows, disturbance, backend);

        assertThat(ours.live)
                .as("-Dstateaccel.seed=%d, %s: %s", seed, backend, deduplication)
                .isEqualTo(stock.live);
        assertThat(ours.emitted)
                .as("emitted rows, -Dstateaccel.seed=%d, %s: %s", seed, backend, deduplication)
                .isLessThanOrEqualTo(stock.emitted);
        assertThat(both.live)
                .as("taking turns, -Dstateaccel.seed=%d, %s: %s", seed, backend, deduplication)
                .isEqualTo(stock.live);
    }

    /**
     * @param accelerated whether the operator is ours, after each restore the next, over and over
     */
    private static Result run(
            DeduplicateCase deduplication,
            List<Boolean> accelerated,
            List<BinaryRowData> rows,
            long disturbance,
            String backend)
            throws Exception {
        Random random = new Random(disturbance);
        Result result = new Result(deduplication);
        OperatorSubtaskState snapshot = null;
        int next = 0;
        int start = 0;
        boolean done = false;
        while (!done) {
            boolean isOurs = accelerated.get(start++ % accelerated.size());
            try (var harness =
                    harness(
                            isOurs ? deduplication.accelerated() : deduplication.stock(),
                            backend)) {
                harness.setup();
                if (snapshot != null) {
                    harness.initializeState(snapshot);
                }
                harness.open();
                boolean restore = false;
                while (!restore && !(done = next == rows.size())) {
                    harness.processElement(new StreamRecord<>(rows.get(next++).copy()));
                    result.take(harness);
                    if (random.nextInt(30) == 0) {
                        harness.processWatermark(new Watermark(next));
                        result.take(harness);
                    }
                    if (random.nextInt(15) == 0) {
                        IdleTask.idle(harness);
                        result.take(harness);
                    }
                    restore = random.nextInt(50) == 0;
                }
                harness.prepareSnapshotPreBarrier(1);
                snapshot = harness.snapshot(1, 1);
                result.take(harness);
            }
        }
        result.rules.end();
        return result;
    }

    private static KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> harness(
            OneInputStreamOperator<RowData, RowData> operator, String backend) throws Exception {
        JoinCase.Selector key = new JoinCase.Selector(JoinCase.KEY);
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
        private final DeduplicateCase deduplication;
        private final ChangelogRules rules;
        long emitted;

        Result(DeduplicateCase deduplication) {
            this.deduplication = deduplication;
            this.rules =
                    new ChangelogRules(
                            deduplication.toString(),
                            Result::text,
                            Result::key,
                            deduplication.generateUpdateBefore());
        }

        /** Takes what has been emitted since the last time. */
        void take(KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> harness) {
            List<RowData> rows = harness.extractOutputValues();
            harness.getOutput().clear();
            rows.forEach(this::apply);
            rules.bundle(rows);
        }

        private static String key(RowData row) {
            return row.isNullAt(JoinCase.KEY) ? "NULL" : row.getString(JoinCase.KEY).toString();
        }

        private static String text(RowData row) {
            return key(row) + "," + row.getLong(JoinCase.ID) + "," + row.getInt(JoinCase.VALUE);
        }

        void apply(RowData row) {
            emitted++;
            String key = key(row);
            String text = text(row);
            boolean accumulate = RowDataUtil.isAccumulateMsg(row);
            if (!deduplication.generateUpdateBefore()) {
                assertThat(accumulate).isTrue();
                live.put(key, text);
            } else {
                live.merge(
                        text,
                        accumulate ? 1 : -1,
                        (a, b) -> (int) a + (int) b == 0 ? null : (int) a + (int) b);
            }
        }
    }
}
