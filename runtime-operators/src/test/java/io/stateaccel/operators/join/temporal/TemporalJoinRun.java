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
package io.stateaccel.operators.join.temporal;

import io.stateaccel.operators.TestBackends;
import io.stateaccel.operators.bundle.IdleTask;
import io.stateaccel.operators.clock.Subtasks;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.join.JoinCase.Selector;
import io.stateaccel.operators.join.temporal.TemporalScript.Clock;
import io.stateaccel.operators.join.temporal.TemporalScript.Event;
import io.stateaccel.operators.join.temporal.TemporalScript.Restart;
import io.stateaccel.operators.join.temporal.TemporalScript.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;

/** The sub-tasks of an operator, which restart with another parallelism now and then. */
final class TemporalJoinRun implements AutoCloseable {

    private final Selector keySelector = new Selector(JoinCase.KEY);
    private final Supplier<TwoInputStreamOperator<RowData, RowData, RowData>> operator;
    private final boolean rocksdb;
    private final boolean reuseRows;

    /** By key, in the order in which they came. */
    private final Map<String, List<String>> results = new HashMap<>();

    /** How many timers there were at each restart and at the end. */
    private final List<String> timers = new ArrayList<>();

    private final Subtasks<
                    KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData>>
            subtasks = new Subtasks<>();
    private int rows;
    private long clock;
    private long checkpoint;

    /**
     * @param reuseRows whether a row is overwritten as soon as the operator has seen it
     */
    TemporalJoinRun(
            Supplier<TwoInputStreamOperator<RowData, RowData, RowData>> operator,
            boolean rocksdb,
            boolean reuseRows)
            throws Exception {
        this.operator = operator;
        this.rocksdb = rocksdb;
        this.reuseRows = reuseRows;
        subtasks.start(this::create, 1);
    }

    void play(List<Event> events) throws Exception {
        for (Event event : events) {
            if (event instanceof Row row) {
                send(row.isLeft(), row.toRowData());
            } else if (event instanceof TemporalScript.Watermark advanced) {
                advance(advanced);
            } else if (event instanceof Clock passed) {
                setClock(passed.time());
            } else if (event instanceof Restart restart) {
                restart(restart.parallelism());
            }
        }
        countTimers();
        takeResults();
    }

    private void send(boolean isLeft, BinaryRowData row) throws Exception {
        rows++;
        var subtask = subtasks.of(keySelector.getKey(row));
        if (isLeft) {
            subtask.processElement1(new StreamRecord<>(row));
        } else {
            subtask.processElement2(new StreamRecord<>(row));
        }
        if (rows % 7 == 0) {
            IdleTask.idle(subtask);
        }
        if (reuseRows) {
            byte[] bytes = row.getSegments()[0].getArray();
            Arrays.fill(bytes, (byte) 0x55);
        }
    }

    private void advance(TemporalScript.Watermark advanced) throws Exception {
        Watermark mark = new Watermark(advanced.time());
        for (var subtask : subtasks.all()) {
            if (advanced.input() != 2) {
                subtask.processWatermark1(mark);
            }
            if (advanced.input() != 1) {
                subtask.processWatermark2(mark);
            }
        }
        takeResults();
    }

    /** Rows came before time passes, wherever they are. */
    private void setClock(long time) throws Exception {
        clock = time;
        for (var subtask : subtasks.all()) {
            subtask.prepareSnapshotPreBarrier(++checkpoint);
            subtask.setProcessingTime(time);
        }
    }

    private void restart(int parallelism) throws Exception {
        OperatorSubtaskState[] states = subtasks.snapshot(++checkpoint);
        countTimers();
        takeResults();
        subtasks.restore(this::create, parallelism, states);
        setClock(clock);
    }

    private void countTimers() throws Exception {
        int eventTime = 0;
        int processingTime = 0;
        for (var subtask : subtasks.all()) {
            eventTime += subtask.numEventTimeTimers();
            processingTime += subtask.numProcessingTimeTimers();
        }
        timers.add(eventTime + " and " + processingTime);
    }

    private KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData> create(
            int maxParallelism, int parallelism, int index) throws Exception {
        var subtask =
                new KeyedTwoInputStreamOperatorTestHarness<>(
                        operator.get(),
                        keySelector,
                        keySelector,
                        keySelector.getProducedType(),
                        maxParallelism,
                        parallelism,
                        index);
        subtask.setStateBackend(
                TestBackends.of(rocksdb ? TestBackends.ROCKSDB : TestBackends.HASHMAP));
        if (reuseRows) {
            subtask.getExecutionConfig().enableObjectReuse();
        }
        return subtask;
    }

    private void takeResults() {
        for (var subtask : subtasks.all()) {
            for (RowData row : subtask.extractOutputValues()) {
                String key =
                        row.isNullAt(JoinCase.KEY)
                                ? "null"
                                : row.getString(JoinCase.KEY).toString();
                results.computeIfAbsent(key, k -> new ArrayList<>()).add(describe(row));
            }
            subtask.getOutput().clear();
        }
    }

    private static String describe(RowData row) {
        int rightTime = 3 + TemporalJoinCase.TIME;
        return row.getRowKind().shortString()
                + row.getInt(JoinCase.VALUE)
                + "-"
                + (row.isNullAt(rightTime) ? "null" : row.getInt(3 + JoinCase.VALUE));
    }

    Map<String, List<String>> results() {
        return results;
    }

    List<String> timers() {
        return timers;
    }

    @Override
    public void close() throws Exception {
        subtasks.close();
    }
}
