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
package io.stateaccel.operators.over;

import io.stateaccel.operators.TestBackends;
import io.stateaccel.operators.clock.Subtasks;
import io.stateaccel.operators.join.JoinCase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;

/**
 * Random rows, times, watermarks, checkpoints and restarts with another parallelism, the same for
 * each operator that plays them.
 *
 * @param seed of all that
 * @param backend {@code rocksdb} or {@code hashmap}
 */
record ProcessingTimeOverRun(ProcessingTimeOverCase over, long seed, String backend) {

    /**
     * What came of it up to each checkpoint: the results by key, in order.
     *
     * @param operators by how often the job has been restarted
     */
    List<Map<String, List<String>>> play(
            IntFunction<OneInputStreamOperator<RowData, RowData>> operators) throws Exception {
        return new Player(operators).play();
    }

    private final class Player {

        private final JoinCase.Selector key = new JoinCase.Selector(OverCase.KEY);
        private final Random random = new Random(seed);
        private final IntFunction<OneInputStreamOperator<RowData, RowData>> operators;
        private final Subtasks<KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData>>
                subtasks = new Subtasks<>();
        private final List<Map<String, List<String>>> results = new ArrayList<>();
        private final int keys = 1 + random.nextInt(12);
        private final String padding = "-".repeat(random.nextInt(4) == 0 ? 1_500 : 0);
        private final boolean isOftenRestarted = random.nextInt(4) == 0;
        private final int rowsPerMillisecond = 1 + random.nextInt(5);

        private long now = 1_000;
        private long checkpoint;
        private int restarts;

        private Player(IntFunction<OneInputStreamOperator<RowData, RowData>> operators) {
            this.operators = operators;
        }

        private List<Map<String, List<String>>> play() throws Exception {
            try (subtasks) {
                subtasks.start(this::create, 1 + random.nextInt(2));
                int events = random.nextInt(600);
                for (int i = 0; i < events; i++) {
                    event();
                }
                advance(1);
                checkpoint();
                return results;
            }
        }

        private void event() throws Exception {
            if (random.nextInt(rowsPerMillisecond) == 0) {
                advance(1 + random.nextInt(random.nextInt(40) == 0 ? 300 : 12));
            }
            int kind = random.nextInt(100);
            if (kind < 92) {
                send();
            } else if (kind < 95) {
                for (var subtask : subtasks.all()) {
                    subtask.processWatermark(new Watermark(now));
                }
            } else if (kind < 98) {
                checkpoint();
            } else if (isOftenRestarted || random.nextInt(4) == 0) {
                restart();
            }
        }

        private void send() throws Exception {
            BinaryRowData row =
                    OverCase.row(
                            "k" + (random.nextInt(3) == 0 ? 0 : random.nextInt(keys)),
                            random.nextInt(5),
                            now,
                            padding);
            subtasks.of(key.getKey(row)).processElement(new StreamRecord<>(row));
        }

        private void advance(long millis) throws Exception {
            now += millis;
            for (var subtask : subtasks.all()) {
                setTime(subtask);
            }
        }

        private void setTime(
                KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> subtask)
                throws Exception {
            subtask.setStateTtlProcessingTime(now);
            subtask.setProcessingTime(now);
        }

        private OperatorSubtaskState[] checkpoint() throws Exception {
            OperatorSubtaskState[] states = subtasks.snapshot(++checkpoint);
            Map<String, List<String>> taken = new TreeMap<>();
            for (var subtask : subtasks.all()) {
                for (RowData row : subtask.extractOutputValues()) {
                    taken.computeIfAbsent(OverCase.keyOf(row), added -> new ArrayList<>())
                            .add(OverCase.text(row));
                }
                subtask.getOutput().clear();
            }
            results.add(taken);
            return states;
        }

        private void restart() throws Exception {
            OperatorSubtaskState[] states = checkpoint();
            restarts++;
            subtasks.restore(this::create, 1 + random.nextInt(3), states);
            advance(random.nextInt(4) == 0 ? 300 : random.nextInt(3));
        }

        private KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> create(
                int maxParallelism, int parallelism, int index) throws Exception {
            var subtask =
                    new KeyedOneInputStreamOperatorTestHarness<>(
                            operators.apply(restarts),
                            key,
                            key.getProducedType(),
                            maxParallelism,
                            parallelism,
                            index) {
                        @Override
                        public void close() throws Exception {
                            // As long as there are timers to be had.
                            getOperator().finish();
                            super.close();
                        }
                    };
            subtask.setStateBackend(TestBackends.of(backend));
            setTime(subtask);
            return subtask;
        }
    }
}
