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
package io.stateaccel.operators.window.join;

import io.stateaccel.operators.TestBackends;
import io.stateaccel.operators.clock.Subtasks;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.window.WindowRun;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;

/**
 * As {@link WindowRun}, of a join of two inputs.
 *
 * @param seed of all that happens
 * @param backend {@code rocksdb} or {@code hashmap}
 */
record WindowJoinRun(WindowJoinCase window, long seed, String backend) {

    /**
     * @param operators by how often there was a restart before
     * @return the results of each key and window between one event and the next
     */
    List<List<String>> play(
            IntFunction<TwoInputStreamOperator<RowData, RowData, RowData>> operators)
            throws Exception {
        return new Player(operators).play();
    }

    private final class Player {

        private final JoinCase.Selector key = new JoinCase.Selector(JoinCase.KEY);
        private final Random random = new Random(seed);
        private final IntFunction<TwoInputStreamOperator<RowData, RowData, RowData>> operators;
        private final Subtasks<
                        KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData>>
                subtasks = new Subtasks<>();
        private final List<List<String>> results = new ArrayList<>();
        private final int keys = 1 + random.nextInt(12);
        private long now = window.begin();
        private final long[] watermarks = {Long.MIN_VALUE, Long.MIN_VALUE};
        private int starts;
        private long checkpoint;
        private long rows;

        private Player(IntFunction<TwoInputStreamOperator<RowData, RowData, RowData>> operators) {
            this.operators = operators;
        }

        private List<List<String>> play() throws Exception {
            try (subtasks) {
                subtasks.start(this::create, 1 + random.nextInt(2));
                int events = random.nextInt(400);
                for (int i = 0; i < events; i++) {
                    event();
                }
                advance(0, Long.MAX_VALUE);
                advance(1, Long.MAX_VALUE);
                return results;
            }
        }

        private void event() throws Exception {
            int kind = random.nextInt(100);
            if (kind < 80) {
                send();
            } else if (kind < 93) {
                now += random.nextInt(12) == 0 ? window.unit() * 8 : step();
                int input = random.nextInt(2);
                advance(
                        input,
                        Math.max(watermarks[input], now - random.nextLong(2 * window.unit())));
            } else if (kind < 97) {
                subtasks.snapshot(++checkpoint);
                take();
            } else {
                restart();
            }
        }

        /** Often to the very end of a window. */
        private long step() {
            return random.nextInt(3) == 0
                    ? window.unit() - 1 - Math.floorMod(now, window.unit())
                    : random.nextLong(window.unit());
        }

        private void send() throws Exception {
            // Some are late.
            long time =
                    now
                            + window.unit() * 2
                            - random.nextLong(window.unit() * (random.nextInt(4) == 0 ? 12 : 5));
            int number = random.nextInt(3) == 0 ? 0 : random.nextInt(keys);
            BinaryRowData row =
                    window.row(number == 1 ? null : "k" + number, random.nextInt(5), time, rows++);
            if (random.nextBoolean()) {
                subtasks.of(key.getKey(row)).processElement1(new StreamRecord<>(row));
            } else {
                subtasks.of(key.getKey(row)).processElement2(new StreamRecord<>(row));
            }
        }

        private void advance(int input, long to) throws Exception {
            for (var subtask : subtasks.all()) {
                if (to > watermarks[input] && input == 0) {
                    subtask.processWatermark1(new Watermark(to));
                } else if (to > watermarks[input]) {
                    subtask.processWatermark2(new Watermark(to));
                }
            }
            watermarks[input] = to;
            take();
        }

        private void restart() throws Exception {
            OperatorSubtaskState[] states = subtasks.snapshot(++checkpoint);
            take();
            starts++;
            subtasks.restore(this::create, 1 + random.nextInt(3), states);
        }

        private void take() {
            List<String> taken = new ArrayList<>();
            for (var subtask : subtasks.all()) {
                subtask.extractOutputValues().forEach(row -> taken.add(WindowJoinCase.text(row)));
                subtask.getOutput().clear();
            }
            taken.sort(Comparator.comparing(text -> text.substring(0, text.indexOf(':'))));
            results.add(taken);
        }

        private KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData> create(
                int maxParallelism, int parallelism, int index) throws Exception {
            var subtask =
                    new KeyedTwoInputStreamOperatorTestHarness<>(
                            operators.apply(starts),
                            key,
                            key,
                            key.getProducedType(),
                            maxParallelism,
                            parallelism,
                            index);
            subtask.setStateBackend(TestBackends.of(backend));
            return subtask;
        }
    }
}
