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
package io.stateaccel.operators.clock;

import io.stateaccel.operators.TestBackends;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;

/** The sub-tasks of an operator, whose time and whose states' time are what a test says. */
public final class ClockedSubtasks implements AutoCloseable {

    private final RowDataKeySelector keySelector;
    private final String backend;
    private final Subtasks<KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData>>
            subtasks = new Subtasks<>();
    private long now;

    /**
     * @param backend {@code rocksdb} or {@code hashmap}
     * @param now milliseconds
     */
    public ClockedSubtasks(
            Supplier<OneInputStreamOperator<RowData, RowData>> operator,
            RowDataKeySelector keySelector,
            String backend,
            long now)
            throws Exception {
        this.keySelector = keySelector;
        this.backend = backend;
        this.now = now;
        subtasks.start(factory(operator), 1);
    }

    private Subtasks.Factory<KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData>>
            factory(Supplier<OneInputStreamOperator<RowData, RowData>> operator) {
        return (maxParallelism, parallelism, index) -> {
            var subtask =
                    new KeyedOneInputStreamOperatorTestHarness<>(
                            operator.get(),
                            keySelector,
                            keySelector.getProducedType(),
                            maxParallelism,
                            parallelism,
                            index);
            subtask.setStateBackend(TestBackends.of(backend));
            subtask.setStateTtlProcessingTime(now);
            subtask.setProcessingTime(now);
            return subtask;
        };
    }

    /** Sets the time. */
    public void at(long time) throws Exception {
        now = time;
        for (var subtask : subtasks.all()) {
            subtask.setStateTtlProcessingTime(time);
            subtask.setProcessingTime(time);
        }
    }

    public void process(RowData row) throws Exception {
        subtasks.of(keySelector.getKey(row)).processElement(new StreamRecord<>(row));
    }

    /** Ends the bundle, and returns what has been emitted since the last time. */
    public List<RowData> flush() throws Exception {
        List<RowData> emitted = new ArrayList<>();
        for (var subtask : subtasks.all()) {
            subtask.prepareSnapshotPreBarrier(1);
            emitted.addAll(subtask.extractOutputValues());
            subtask.getOutput().clear();
        }
        return emitted;
    }

    /** Goes on from a snapshot, some time later. */
    public void restore(
            Supplier<OneInputStreamOperator<RowData, RowData>> operator, int parallelism, long time)
            throws Exception {
        OperatorSubtaskState[] states = subtasks.snapshot(1);
        now = time;
        subtasks.restore(factory(operator), parallelism, states);
    }

    /** The states of a key, which is the current one from now on. */
    public KeyedStateBackend<RowData> states(RowData key) {
        KeyedStateBackend<RowData> states =
                ((AbstractStreamOperator<?>) subtasks.of(key).getOperator()).getKeyedStateBackend();
        states.setCurrentKey(key);
        return states;
    }

    @Override
    public void close() throws Exception {
        subtasks.close();
    }
}
