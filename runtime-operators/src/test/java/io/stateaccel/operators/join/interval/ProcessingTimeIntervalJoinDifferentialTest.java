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
package io.stateaccel.operators.join.interval;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.TestBackends;
import io.stateaccel.operators.clock.Subtasks;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.join.JoinCase.Selector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.TestableKeyedStateBackend;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random rows at the same times through Flink's {@code ProcTimeIntervalJoin} and through
 * ours, with bundles that end anywhere, timers that come between, checkpoints, and restarts with
 * more sub-tasks or fewer.
 */
class ProcessingTimeIntervalJoinDifferentialTest {

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(6);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameResultsAsStock(long seed, String backend) throws Exception {
        IntervalJoinCase join = IntervalJoinCase.random(new Random(seed));
        String name = "-Dstateaccel.seed=%d, %s: %s".formatted(seed, backend, join);

        List<List<String>> ours;
        List<List<String>> stock;
        try (Run run = new Run(seed, backend, join::acceleratedByArrival, true)) {
            ours = run.play();
            assertThat(run.entries()).as("state and timers at the end, %s", name).isZero();
        }
        try (Run run = new Run(seed, backend, join::stockByArrival, false)) {
            stock = run.play();
        }

        for (int i = 0; i < stock.size(); i++) {
            List<String> oursUpTo = upTo(i, ours);
            List<String> stockUpTo = upTo(i, stock);
            assertThat(pairsOf(oursUpTo))
                    .as("up to %d, %s", i, name)
                    .containsExactlyInAnyOrderElementsOf(pairsOf(stockUpTo));
            if (join.minCleanUpInterval() == 0) {
                // Flink may wait for the first row of a key to be over.
                assertThat(oursUpTo).as("up to %d, %s", i, name).containsAll(stockUpTo);
            }
        }
        assertThat(upTo(stock.size() - 1, ours))
                .as(name)
                .doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(upTo(stock.size() - 1, stock));
    }

    private static List<String> upTo(int last, List<List<String>> results) {
        return results.subList(0, last + 1).stream().flatMap(List::stream).toList();
    }

    private static List<String> pairsOf(List<String> results) {
        return results.stream().filter(pair -> !pair.contains("null")).toList();
    }

    /** The sub-tasks of an operator. */
    private static final class Run implements AutoCloseable {

        private static final String[] KEYS = {"a", "b", "c", null};

        private final Random random;
        private final String backend;
        private final Supplier<TwoInputStreamOperator<RowData, RowData, RowData>> operator;
        private final boolean reuseRows;
        private final Selector key = new Selector(JoinCase.KEY);
        private final Subtasks<
                        KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData>>
                subtasks = new Subtasks<>();
        private final List<List<String>> results = new ArrayList<>();
        private final String hotKey;
        private final int step;

        private long now = 1_000;
        private long checkpoint;

        Run(
                long seed,
                String backend,
                Supplier<TwoInputStreamOperator<RowData, RowData, RowData>> operator,
                boolean reuseRows)
                throws Exception {
            this.random = new Random(seed);
            this.backend = backend;
            this.operator = operator;
            this.reuseRows = reuseRows;
            // Rows with a key as long as this soon are more than one value holds.
            this.hotKey = random.nextInt(4) == 0 ? "hot".repeat(3_000) : "hot";
            this.step = 1 + random.nextInt(random.nextBoolean() ? 4 : 60);
            subtasks.start(this::create, 1);
        }

        /** The results up to each checkpoint. */
        List<List<String>> play() throws Exception {
            int rows = random.nextInt(300);
            for (int number = 0; number < rows; number++) {
                send(random.nextBoolean(), number);
                if (random.nextInt(3) == 0) {
                    advance(1 + random.nextInt(step));
                }
                if (random.nextInt(25) == 0) {
                    checkpoint();
                }
                if (random.nextInt(60) == 0) {
                    subtasks.restore(this::create, 1 + random.nextInt(3), checkpoint());
                    advance(random.nextInt(step));
                }
            }
            checkpoint();
            advance(10_000);
            checkpoint();
            return results;
        }

        private void send(boolean isLeft, int number) throws Exception {
            String of = random.nextBoolean() ? hotKey : KEYS[random.nextInt(KEYS.length)];
            BinaryRowData row = JoinCase.row(of, 0, number);
            var subtask = subtasks.of(key.getKey(row));
            if (isLeft) {
                subtask.processElement1(new StreamRecord<>(row));
            } else {
                subtask.processElement2(new StreamRecord<>(row));
            }
            if (reuseRows) {
                Arrays.fill(row.getSegments()[0].getArray(), (byte) 0x55);
            }
        }

        private void advance(long millis) throws Exception {
            now += millis;
            for (var subtask : subtasks.all()) {
                subtask.setProcessingTime(now);
            }
        }

        private OperatorSubtaskState[] checkpoint() throws Exception {
            checkpoint++;
            for (var subtask : subtasks.all()) {
                // Timers of rows that were over before their bundle ended come at once in a task.
                subtask.prepareSnapshotPreBarrier(checkpoint);
                subtask.setProcessingTime(now);
            }
            OperatorSubtaskState[] states = subtasks.snapshot(checkpoint);
            List<String> taken = new ArrayList<>();
            for (var subtask : subtasks.all()) {
                for (RowData pair : subtask.extractOutputValues()) {
                    assertThat(pair.getRowKind()).isEqualTo(RowKind.INSERT);
                    assertThat(pair.getArity()).isEqualTo(6);
                    taken.add(numberIn(pair, 0) + "-" + numberIn(pair, 3));
                }
                subtask.getOutput().clear();
            }
            results.add(taken);
            return states;
        }

        private static String numberIn(RowData pair, int side) {
            int column = side + JoinCase.VALUE;
            return pair.isNullAt(column) ? "null" : String.valueOf(pair.getInt(column));
        }

        /** State and timers of all sub-tasks. */
        int entries() {
            int entries = 0;
            for (var subtask : subtasks.all()) {
                var each = (AbstractStreamOperator<?>) subtask.getOperator();
                entries +=
                        ((TestableKeyedStateBackend<?>) each.getKeyedStateBackend())
                                        .numKeyValueStateEntries()
                                + subtask.numProcessingTimeTimers();
            }
            return entries;
        }

        private KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData> create(
                int maxParallelism, int parallelism, int index) throws Exception {
            var subtask =
                    new KeyedTwoInputStreamOperatorTestHarness<>(
                            operator.get(),
                            key,
                            key,
                            key.getProducedType(),
                            maxParallelism,
                            parallelism,
                            index);
            subtask.setStateBackend(TestBackends.of(backend));
            if (reuseRows) {
                subtask.getExecutionConfig().enableObjectReuse();
            }
            subtask.setProcessingTime(now);
            return subtask;
        }

        @Override
        public void close() throws Exception {
            subtasks.close();
        }
    }
}
