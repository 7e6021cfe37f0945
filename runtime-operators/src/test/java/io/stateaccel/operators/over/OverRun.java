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
import java.util.function.Supplier;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;

/**
 * Random rows, watermarks, times, checkpoints and restarts with another parallelism, the same for
 * each operator that plays them.
 *
 * @param seed of all that
 * @param backend {@code rocksdb} or {@code hashmap}
 */
record OverRun(OverCase over, long seed, String backend) {

    /** What came of it for each watermark: the results by key, in order. */
    List<Map<String, List<String>>> play(
            Supplier<OneInputStreamOperator<RowData, RowData>> operators) throws Exception {
        return new Player(operators).play();
    }

    private final class Player {

        private final JoinCase.Selector key = new JoinCase.Selector(OverCase.KEY);
        private final Random random = new Random(seed);
        private final Supplier<OneInputStreamOperator<RowData, RowData>> operators;
        private final Subtasks<KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData>>
                subtasks = new Subtasks<>();
        private final List<Map<String, List<String>>> results = new ArrayList<>();
        private final int keys = 1 + random.nextInt(12);
        private final String padding = "-".repeat(random.nextInt(4) == 0 ? 1_500 : 0);
        private final boolean isOftenRestarted = random.nextInt(4) == 0;

        /**
         * Around which rows are. Flink's time begins at 0; one of its functions for unbounded
         * frames has earlier rows wait for that.
         */
        private long rowTime = over.isBounded() && random.nextInt(4) == 0 ? -100 : 1_000;

        private long latest = Long.MIN_VALUE;
        private long now = 1_000;
        private long watermark = Long.MIN_VALUE;
        private long checkpoint;

        private Player(Supplier<OneInputStreamOperator<RowData, RowData>> operators) {
            this.operators = operators;
        }

        private List<Map<String, List<String>>> play() throws Exception {
            try (subtasks) {
                subtasks.start(this::create, 1 + random.nextInt(2));
                int events = random.nextInt(600);
                for (int i = 0; i < events; i++) {
                    event();
                }
                advance(Long.MAX_VALUE);
                return results;
            }
        }

        private void event() throws Exception {
            int kind = random.nextInt(100);
            if (kind < 80) {
                send();
            } else if (kind < 93) {
                rowTime += random.nextInt(12) == 0 ? 300 : random.nextInt(20);
                advance(Math.max(watermark, rowTime - random.nextInt(40)));
            } else if (kind < 96 && over.retention().ends()) {
                // Whatever has come is through: with rows that wait, the end of a partition is put
                // off by when they came in Flink and by when they are visited in ours.
                advance(Math.max(watermark + 1, latest));
                now += random.nextLong(over.retention().maxMillis());
                for (var subtask : subtasks.all()) {
                    subtask.setProcessingTime(now);
                }
            } else if (kind < 97) {
                subtasks.snapshot(++checkpoint);
            } else if (isOftenRestarted || random.nextInt(4) == 0) {
                restart();
            }
        }

        private void send() throws Exception {
            // Some are late.
            long time = rowTime + 20 - random.nextInt(random.nextInt(4) == 0 ? 120 : 40);
            latest = Math.max(latest, time);

            BinaryRowData row =
                    OverCase.row(
                            "k" + (random.nextInt(3) == 0 ? 0 : random.nextInt(keys)),
                            random.nextInt(5),
                            time,
                            padding);
            subtasks.of(key.getKey(row)).processElement(new StreamRecord<>(row));
        }

        private void advance(long to) throws Exception {
            if (to <= watermark) {
                return;
            }
            watermark = to;
            for (var subtask : subtasks.all()) {
                subtask.processWatermark(new Watermark(to));
            }
            Map<String, List<String>> taken = new TreeMap<>();
            for (var subtask : subtasks.all()) {
                for (RowData row : subtask.extractOutputValues()) {
                    taken.computeIfAbsent(OverCase.keyOf(row), key -> new ArrayList<>())
                            .add(OverCase.text(row));
                }
                subtask.getOutput().clear();
            }
            results.add(taken);
        }

        private void restart() throws Exception {
            OperatorSubtaskState[] states = subtasks.snapshot(++checkpoint);
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
                            operators.get(),
                            key,
                            key.getProducedType(),
                            maxParallelism,
                            parallelism,
                            index);
            subtask.setStateBackend(TestBackends.of(backend));
            subtask.setProcessingTime(now);
            return subtask;
        }
    }
}
