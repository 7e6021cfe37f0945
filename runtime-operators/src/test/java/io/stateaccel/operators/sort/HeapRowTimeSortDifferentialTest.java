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
package io.stateaccel.operators.sort;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.TestBackends;
import io.stateaccel.operators.clock.Subtasks;
import io.stateaccel.operators.join.JoinCase;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.generated.GeneratedRecordComparator;
import org.apache.flink.table.runtime.generated.RecordComparator;
import org.apache.flink.table.runtime.keyselector.EmptyRowDataKeySelector;
import org.apache.flink.table.runtime.operators.sort.RowTimeSortOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random rows and watermarks through Flink's sort by row time and through ours, with late
 * rows, checkpoints, and restarts in which either goes on from the state of the other: the same
 * rows, in the same order, with each watermark.
 */
class HeapRowTimeSortDifferentialTest {

    private static final int TIME = JoinCase.ID;

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(6);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameRowsInTheSameOrderAsStock(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        boolean hasOtherColumn = random.nextBoolean();
        long[] budgets = {0, 1_000, 10_000, 1L << 30};
        long heapBytes = budgets[random.nextInt(budgets.length)];
        long events = random.nextLong();
        boolean reusesRows = random.nextBoolean();
        Supplier<OneInputStreamOperator<RowData, RowData>> stock =
                () -> new RowTimeSortOperator(JoinCase.ROW, TIME, order(hasOtherColumn));
        Supplier<OneInputStreamOperator<RowData, RowData>> ours =
                () ->
                        new HeapRowTimeSortOperator(
                                new HeapRowTimeSortSpec(
                                        JoinCase.ROW, TIME, order(hasOtherColumn), heapBytes));

        List<List<String>> expected = new Run(events, backend, false).play(List.of(stock));

        String name =
                "-Dstateaccel.seed=%d on %s, other column: %s, heap %d"
                        .formatted(seed, backend, hasOtherColumn, heapBytes);
        assertThat(new Run(events, backend, reusesRows).play(List.of(ours)))
                .as(name)
                .isEqualTo(expected);
        assertThat(new Run(events, backend, reusesRows).play(List.of(ours, stock)))
                .as(name + ", by turns with stock")
                .isEqualTo(expected);
    }

    @Nullable
    private static GeneratedRecordComparator order(boolean hasOtherColumn) {
        return hasOtherColumn ? new ByLastDigit() : null;
    }

    /** One run of an operator, or of several that take turns. */
    private static final class Run {
        private final Random random;
        private final String backend;
        private final boolean reusesRows;
        private final Subtasks<KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData>>
                subtasks = new Subtasks<>();
        private final List<List<String>> results = new ArrayList<>();
        private List<Supplier<OneInputStreamOperator<RowData, RowData>>> operators;
        private int restarts;
        private int rows;
        private long checkpoint;
        private long watermark = Long.MIN_VALUE;
        private long rowTime;

        /**
         * @param reusesRows whether a row is overwritten as soon as ours has seen it
         */
        Run(long seed, String backend, boolean reusesRows) {
            this.random = new Random(seed);
            this.backend = backend;
            this.reusesRows = reusesRows;
            this.rowTime = random.nextInt(4) == 0 ? -50 : 1_000;
        }

        List<List<String>> play(List<Supplier<OneInputStreamOperator<RowData, RowData>>> turns)
                throws Exception {
            operators = turns;
            try (subtasks) {
                subtasks.start(this::create, 1);
                int events = random.nextInt(500);
                for (int i = 0; i < events; i++) {
                    int kind = random.nextInt(100);
                    if (kind < 80) {
                        send();
                    } else if (kind < 94) {
                        rowTime += random.nextInt(20);
                        advance(Math.max(watermark, rowTime - random.nextInt(40)));
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

        private void send() throws Exception {
            // Some are late.
            long time = rowTime + 20 - random.nextInt(random.nextInt(4) == 0 ? 120 : 40);
            BinaryRowData row = JoinCase.row("k".repeat(random.nextInt(30)), time, rows++);
            subtasks.all().get(0).processElement(new StreamRecord<>(row));
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
            var subtask = subtasks.all().get(0);
            subtask.processWatermark(new Watermark(to));
            results.add(
                    subtask.extractOutputValues().stream()
                            .map(row -> row.getLong(TIME) + " " + row.getInt(JoinCase.VALUE))
                            .toList());
            subtask.getOutput().clear();
        }

        private void restart() throws Exception {
            OperatorSubtaskState[] states = subtasks.snapshot(++checkpoint);
            restarts++;
            subtasks.restore(this::create, 1, states);
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
                            EmptyRowDataKeySelector.INSTANCE,
                            EmptyRowDataKeySelector.INSTANCE.getProducedType(),
                            maxParallelism,
                            parallelism,
                            index);
            subtask.setStateBackend(TestBackends.of(backend));
            if (reusesRows) {
                subtask.getExecutionConfig().enableObjectReuse();
            }
            return subtask;
        }
    }

    /** So that some rows are equal in it. */
    private static final class ByLastDigit extends GeneratedRecordComparator {

        private static final long serialVersionUID = 1L;

        ByLastDigit() {
            super("", "", new Object[0]);
        }

        @Override
        public RecordComparator newInstance(ClassLoader classLoader) {
            return (one, other) ->
                    Integer.compare(
                            one.getInt(JoinCase.VALUE) % 10, other.getInt(JoinCase.VALUE) % 10);
        }
    }
}
