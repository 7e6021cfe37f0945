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
package io.stateaccel.operators;

import io.stateaccel.operators.bundle.IdleTask;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;

/**
 * Rows that an operator gets, with watermarks, moments without input and restores from a checkpoint
 * in between.
 *
 * @param rows copied before the operator sees them
 * @param disturbance seed of what comes in between
 * @param backend {@code rocksdb} or {@code hashmap}
 */
public record DisturbedRun(
        List<BinaryRowData> rows, RowDataKeySelector key, long disturbance, String backend) {

    /**
     * @param operators by how many there were before
     * @param output takes what has been emitted, as often as there may be something
     */
    public void play(
            IntFunction<OneInputStreamOperator<RowData, RowData>> operators,
            Consumer<List<RowData>> output)
            throws Exception {
        Random random = new Random(disturbance);
        OperatorSubtaskState snapshot = null;
        int next = 0;
        int start = 0;
        boolean done = false;
        while (!done) {
            try (var harness = harness(operators.apply(start++))) {
                harness.setup();
                if (snapshot != null) {
                    harness.initializeState(snapshot);
                }
                harness.open();
                boolean restore = false;
                while (!restore && !(done = next == rows.size())) {
                    harness.processElement(new StreamRecord<>(rows.get(next++).copy()));
                    take(harness, output);
                    if (random.nextInt(30) == 0) {
                        harness.processWatermark(new Watermark(next));
                        take(harness, output);
                    }
                    if (random.nextInt(15) == 0) {
                        IdleTask.idle(harness);
                        take(harness, output);
                    }
                    restore = random.nextInt(50) == 0;
                }
                harness.prepareSnapshotPreBarrier(1);
                snapshot = harness.snapshot(1, 1);
                take(harness, output);
            }
        }
    }

    private KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> harness(
            OneInputStreamOperator<RowData, RowData> operator) throws Exception {
        var harness =
                new KeyedOneInputStreamOperatorTestHarness<>(operator, key, key.getProducedType());
        harness.setStateBackend(TestBackends.of(backend));
        return harness;
    }

    private static void take(
            KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> harness,
            Consumer<List<RowData>> output) {
        List<RowData> emitted = harness.extractOutputValues();
        harness.getOutput().clear();
        output.accept(emitted);
    }
}
