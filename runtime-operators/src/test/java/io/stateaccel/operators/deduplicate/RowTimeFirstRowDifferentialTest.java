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

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.TestBackends;
import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.bundle.IdleTask;
import io.stateaccel.operators.clock.Subtasks;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.views.time.TimeToLive;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random rows and watermarks through Flink's {@code
 * RowTimeDeduplicateKeepFirstRowFunction} and through ours, with late rows, keys whose time to live
 * is over, checkpoints, and restarts with more sub-tasks or fewer, in which either goes on from the
 * state of the other: each watermark brings the same rows, those of a sub-task by ascending time.
 */
class RowTimeFirstRowDifferentialTest {

    private static final int TIME = JoinCase.ID;

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(4);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameRowsAsStock(long seed, String backend) throws Exception {
        Lines.assumeAtLeast("2.1", "A first row by row time that is never taken back");
        Random random = new Random(seed);
        long[] budgets = {0, 1_000, 10_000, 1L << 30, 1L << 30};
        int[] bundles = {1, 3, 1000};
        long heapBytes = budgets[random.nextInt(budgets.length)];
        int bundle = bundles[random.nextInt(bundles.length)];
        long ttl = random.nextBoolean() ? 0 : 100 + random.nextInt(100);
        long events = random.nextLong();
        boolean reusesRows = random.nextBoolean();
        Supplier<OneInputStreamOperator<RowData, RowData>> stock =
                () -> new KeyedProcessOperator<>(stock(ttl));
        Supplier<OneInputStreamOperator<RowData, RowData>> ours =
                () -> ours(bundle, ttl, heapBytes);

        List<List<String>> expected = new Run(events, ttl, backend, false).play(List.of(stock));

        String name =
                "-Dstateaccel.seed=%d on %s, bundles of %d, TTL %d, heap %d"
                        .formatted(seed, backend, bundle, ttl, heapBytes);
        assertThat(new Run(events, ttl, backend, reusesRows).play(List.of(ours)))
                .as(name)
                .isEqualTo(expected);
        assertThat(new Run(events, ttl, backend, reusesRows).play(List.of(ours, stock)))
                .as(name + ", by turns with stock")
                .isEqualTo(expected);
    }

    /** By name, as not every line has it. */
    @SuppressWarnings("unchecked")
    private static KeyedProcessFunction<RowData, RowData, RowData> stock(long ttl) {
        try {
            return (KeyedProcessFunction<RowData, RowData, RowData>)
                    Class.forName(
                                    "org.apache.flink.table.runtime.operators.deduplicate"
                                            + ".RowTimeDeduplicateKeepFirstRowFunction")
                            .getConstructor(InternalTypeInfo.class, long.class, int.class)
                            .newInstance(JoinCase.ROW, ttl, TIME);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static RowTimeFirstRowOperator ours(int bundle, long ttl, long heapBytes) {
        return new RowTimeFirstRowOperator(
                new RowTimeFirstRowSpec(
                        JoinCase.ROW,
                        new JoinCase.Selector(JoinCase.KEY),
                        TIME,
                        TimeToLive.ofMillis(ttl),
                        new BundleSettings(bundle, 1_000_000),
                        heapBytes));
    }

    /** One run of an operator, or of several that take turns. */
    private static final class Run {
        private final JoinCase.Selector key = new JoinCase.Selector(JoinCase.KEY);
        private final Random random;
        private final long ttl;
        private final String backend;
        private final boolean reusesRows;
        private final Subtasks<KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData>>
                subtasks = new Subtasks<>();
        private final List<List<String>> results = new ArrayList<>();
        private final int keys;
        private List<Supplier<OneInputStreamOperator<RowData, RowData>>> operators;
        private int restarts;
        private int rows;
        private long checkpoint;
        private long watermark = Long.MIN_VALUE;
        private long rowTime = 1_000;
        private long now = 1_000;

        /**
         * @param reusesRows whether a row is overwritten as soon as ours has seen it
         */
        Run(long seed, long ttl, String backend, boolean reusesRows) {
            this.random = new Random(seed);
            this.ttl = ttl;
            this.backend = backend;
            this.reusesRows = reusesRows;
            this.keys = 1 + random.nextInt(200);
        }

        List<List<String>> play(List<Supplier<OneInputStreamOperator<RowData, RowData>>> turns)
                throws Exception {
            operators = turns;
            try (subtasks) {
                subtasks.start(this::create, 1 + random.nextInt(2));
                int events = random.nextInt(600);
                for (int i = 0; i < events; i++) {
                    int kind = random.nextInt(100);
                    if (kind < 80) {
                        send();
                    } else if (kind < 94) {
                        rowTime += random.nextInt(20);
                        advance(Math.max(watermark, rowTime - random.nextInt(40)));
                        if (ttl > 0 && random.nextBoolean()) {
                            // A bundle has ended with the watermark, if it was a later one.
                            subtasks.snapshot(++checkpoint);
                            setTime(now + random.nextLong(ttl));
                        }
                    } else if (kind < 97) {
                        subtasks.snapshot(++checkpoint);
                    } else {
                        restart();
                    }
                }
                advance(Long.MAX_VALUE);
                return results;
            }
        }

        private void setTime(long time) throws Exception {
            now = time;
            for (var subtask : subtasks.all()) {
                subtask.setProcessingTime(now);
                subtask.setStateTtlProcessingTime(now);
            }
        }

        private void send() throws Exception {
            // Some are late.
            long time = rowTime + 20 - random.nextInt(random.nextInt(4) == 0 ? 120 : 40);
            String name = random.nextInt(20) == 0 ? null : "k" + random.nextInt(keys);
            BinaryRowData row = JoinCase.row(name, time, rows++);
            var subtask = subtasks.of(key.getKey(row));
            subtask.processElement(new StreamRecord<>(row));
            if (random.nextInt(7) == 0) {
                IdleTask.idle(subtask);
            }
            if (reusesRows && restarts % operators.size() == 0) {
                // Flink's own operators rely on copies that Flink makes before them.
                Arrays.fill(row.getSegments()[0].getArray(), (byte) 0x55);
            }
        }

        private void advance(long to) throws Exception {
            if (to <= watermark) {
                return;
            }
            watermark = to;
            List<String> taken = new ArrayList<>();
            for (var subtask : subtasks.all()) {
                subtask.processWatermark(new Watermark(to));
                List<RowData> emitted = subtask.extractOutputValues();
                assertThat(emitted).extracting(row -> row.getLong(TIME)).isSorted();
                emitted.forEach(
                        row ->
                                taken.add(
                                        "%s %s at %d: %d"
                                                .formatted(
                                                        row.getRowKind().shortString(),
                                                        row.isNullAt(JoinCase.KEY)
                                                                ? null
                                                                : row.getString(JoinCase.KEY),
                                                        row.getLong(TIME),
                                                        row.getInt(JoinCase.VALUE))));
                subtask.getOutput().clear();
            }
            taken.sort(null);
            results.add(taken);
        }

        private void restart() throws Exception {
            OperatorSubtaskState[] states = subtasks.snapshot(++checkpoint);
            restarts++;
            subtasks.restore(this::create, 1 + random.nextInt(3), states);
            if (random.nextBoolean()) {
                // As a source has it that does not come to it by itself.
                watermark = Long.MIN_VALUE;
            }
        }

        private KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> create(
                int maxParallelism, int parallelism, int index) throws Exception {
            var subtask =
                    new KeyedOneInputStreamOperatorTestHarness<>(
                            operators.get(restarts % operators.size()).get(),
                            key,
                            key.getProducedType(),
                            maxParallelism,
                            parallelism,
                            index);
            subtask.setStateBackend(TestBackends.of(backend));
            subtask.setProcessingTime(now);
            subtask.setStateTtlProcessingTime(now);
            if (reusesRows) {
                subtask.getExecutionConfig().enableObjectReuse();
            }
            return subtask;
        }
    }
}
