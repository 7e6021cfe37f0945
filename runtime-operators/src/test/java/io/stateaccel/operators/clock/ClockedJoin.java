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
import io.stateaccel.operators.join.JoinCase;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.storage.JobManagerCheckpointStorage;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;

/**
 * The sub-tasks of a join, ours or Flink's, with what is made of its results or without, whose time
 * and whose states' time are what a test says.
 */
public final class ClockedJoin implements AutoCloseable {

    private static final JoinCase.Selector KEY = new JoinCase.Selector(JoinCase.KEY);

    /** Bytes of a snapshot. */
    private static final int LARGE = 1 << 28;

    private final Factory operator;
    private final InternalTypeInfo<RowData> results;
    private final String backend;
    private final Subtasks<
                    KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData>>
            subtasks = new Subtasks<>();
    private long now;

    /**
     * @param operator makes operators of one kind
     * @param results what they emit, where that is rows of this type
     * @param backend {@code rocksdb} or {@code hashmap}
     */
    public ClockedJoin(Factory operator, InternalTypeInfo<RowData> results, String backend)
            throws Exception {
        this.results = results;
        this.operator = operator;
        this.backend = backend;
        subtasks.start(this::create, 1);
    }

    private KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData> create(
            int maxParallelism, int parallelism, int index) throws Exception {
        var subtask =
                new KeyedTwoInputStreamOperatorTestHarness<>(
                        operator.create(),
                        KEY,
                        KEY,
                        KEY.getProducedType(),
                        maxParallelism,
                        parallelism,
                        index);
        subtask.setStateBackend(TestBackends.of(backend));
        subtask.setCheckpointStorage(new JobManagerCheckpointStorage(LARGE));
        subtask.setStateTtlProcessingTime(now);
        subtask.setProcessingTime(now);
        return subtask;
    }

    /** Sets the time, in milliseconds. */
    public void at(long time) throws Exception {
        now = time;
        for (var subtask : subtasks.all()) {
            subtask.setStateTtlProcessingTime(time);
            subtask.setProcessingTime(time);
        }
    }

    /** Gives it the rows of this index, as far as there are any. */
    public void process(int index, List<BinaryRowData> left, List<BinaryRowData> right)
            throws Exception {
        if (index < left.size()) {
            process(true, left.get(index));
        }
        if (index < right.size()) {
            process(false, right.get(index));
        }
    }

    /** Gives it a copy of a row of one side. */
    public void process(boolean isLeft, BinaryRowData row) throws Exception {
        StreamRecord<RowData> element = new StreamRecord<>(row.copy());
        if (isLeft) {
            subtasks.of(KEY.getKey(row)).processElement1(element);
        } else {
            subtasks.of(KEY.getKey(row)).processElement2(element);
        }
    }

    /** Ends the bundle; what has been emitted since the last one. */
    public List<RowData> flush() throws Exception {
        RowDataSerializer serializer = results.toRowSerializer();
        List<RowData> rows = new ArrayList<>();
        for (var subtask : subtasks.all()) {
            subtask.prepareSnapshotPreBarrier(1);
            for (RowData row : subtask.extractOutputValues()) {
                rows.add(
                        row.getArity() == results.toRowSize()
                                ? serializer.toBinaryRow(row).copy()
                                : row);
            }
            subtask.getOutput().clear();
        }
        return rows;
    }

    /** Goes on from a snapshot, with as many sub-tasks, at this time. */
    public void restore(int parallelism, long time) throws Exception {
        OperatorSubtaskState[] states = subtasks.snapshot(1);
        now = time;
        subtasks.restore(this::create, parallelism, states);
    }

    @Override
    public void close() throws Exception {
        subtasks.close();
    }

    /** Makes operators. */
    @FunctionalInterface
    public interface Factory {
        TwoInputStreamOperator<RowData, RowData, RowData> create();
    }
}
