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
package io.stateaccel.operators.window;

import io.stateaccel.operators.TestBackends;
import io.stateaccel.operators.clock.Subtasks;
import io.stateaccel.operators.join.JoinCase;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import org.apache.flink.api.common.JobID;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.metrics.groups.TaskManagerMetricGroup;
import org.apache.flink.runtime.metrics.groups.TaskMetricGroup;
import org.apache.flink.runtime.metrics.util.TestingMetricRegistry;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.types.RowKind;

/**
 * Random rows, watermarks, times, checkpoints and restarts with another parallelism, the same for
 * each operator that plays them.
 *
 * @param seed of all that
 * @param backend {@code rocksdb} or {@code hashmap}
 */
public record WindowRun(WindowQuery window, long seed, String backend) {

    /**
     * @param operators by how often there was a restart before
     * @return the results of each key and window between one event and the next, and how many rows
     *     were late
     */
    public List<List<String>> play(IntFunction<OneInputStreamOperator<RowData, RowData>> operators)
            throws Exception {
        return new Player(operators).play();
    }

    private final class Player {

        private final JoinCase.Selector key = new JoinCase.Selector(WindowQuery.KEY);
        private final Random random = new Random(seed);
        private final IntFunction<OneInputStreamOperator<RowData, RowData>> operators;
        private final Subtasks<KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData>>
                subtasks = new Subtasks<>();
        private final List<List<String>> results = new ArrayList<>();

        /** What the operators count as late. */
        private final List<Counter> lateRows = new ArrayList<>();

        private final int keys = 1 + random.nextInt(12);
        private long now = window.begin();
        private long watermark = Long.MIN_VALUE;
        private int starts;
        private long rows;
        private long checkpoint;

        private Player(IntFunction<OneInputStreamOperator<RowData, RowData>> operators) {
            this.operators = operators;
        }

        private List<List<String>> play() throws Exception {
            try (subtasks) {
                subtasks.start(this::create, 1 + random.nextInt(2));
                int events = random.nextInt(400);
                for (int i = 0; i < events; i++) {
                    event();
                }
                now += 10 * window.unit();
                advance(Long.MAX_VALUE);
                return results;
            }
        }

        private void event() throws Exception {
            int kind = random.nextInt(100);
            if (kind < 80) {
                send();
            } else if (kind < 93) {
                now += random.nextInt(12) == 0 ? window.unit() * 8 : step();
                if (!window.isEventTime() && Math.floorMod(now + 1, window.unit()) == 0) {
                    // What Flink makes of a row in the millisecond in which its window has ended
                    // already depends on when its buffer is written.
                    now++;
                }
                advance(Math.max(watermark, now - random.nextLong(2 * window.unit())));
            } else if (kind < 97) {
                snapshot();
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
            // Some are late, for their slice or for all of its windows.
            long time =
                    now
                            + window.unit() * 2
                            - random.nextLong(window.unit() * (random.nextInt(4) == 0 ? 12 : 5));
            BinaryRowData row =
                    window.row(
                            window.retracts() && random.nextInt(3) == 0
                                    ? RowKind.DELETE
                                    : RowKind.INSERT,
                            "k" + (random.nextInt(3) == 0 ? 0 : random.nextInt(keys)),
                            random.nextInt(5),
                            time,
                            rows++);
            subtasks.of(key.getKey(row)).processElement(new StreamRecord<>(row));
        }

        private void advance(long to) throws Exception {
            for (var subtask : subtasks.all()) {
                subtask.setProcessingTime(now);
                if (to > watermark) {
                    subtask.processWatermark(new Watermark(to));
                }
            }
            watermark = to;
            take();
        }

        private OperatorSubtaskState[] snapshot() throws Exception {
            return subtasks.snapshot(++checkpoint);
        }

        private void restart() throws Exception {
            OperatorSubtaskState[] states = snapshot();
            take();
            starts++;
            lateRows.clear();
            subtasks.restore(this::create, 1 + random.nextInt(3), states);
        }

        private void take() {
            List<String> taken = new ArrayList<>();
            for (var subtask : subtasks.all()) {
                subtask.extractOutputValues().forEach(row -> taken.add(window.text(row)));
                subtask.getOutput().clear();
            }
            taken.sort(Comparator.comparing(text -> text.substring(0, text.indexOf(':'))));
            long late = 0;
            for (Counter counter : lateRows) {
                late += counter.getCount();
            }
            taken.add("late: " + late);
            results.add(taken);
        }

        private KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> create(
                int maxParallelism, int parallelism, int index) throws Exception {
            var subtask =
                    new KeyedOneInputStreamOperatorTestHarness<>(
                            operators.apply(starts),
                            key,
                            key.getProducedType(),
                            new MockEnvironmentBuilder()
                                    .setMetricGroup(metrics())
                                    .setManagedMemorySize(3 << 20)
                                    .setMaxParallelism(maxParallelism)
                                    .setParallelism(parallelism)
                                    .setSubtaskIndex(index)
                                    .build());
            subtask.setStateBackend(TestBackends.of(backend));
            subtask.setProcessingTime(now);
            return subtask;
        }

        private TaskMetricGroup metrics() {
            TestingMetricRegistry registry =
                    TestingMetricRegistry.builder()
                            .setRegisterConsumer(
                                    (metric, name, group) -> {
                                        if (name.equals("numLateRecordsDropped")) {
                                            lateRows.add((Counter) metric);
                                        }
                                    })
                            .build();
            return TaskManagerMetricGroup.createTaskManagerMetricGroup(
                            registry, "host", ResourceID.generate())
                    .addJob(new JobID(), "job")
                    .addTask(ExecutionAttemptID.randomId(), "task");
        }
    }
}
