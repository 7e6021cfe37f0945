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

import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.join.MiniBatchJoinOperator;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;

/**
 * A join, with what is made of its results or without, whose time and whose states' time are what a
 * test says.
 */
public final class ClockedJoin implements AutoCloseable {

    private final Factory operator;
    private final InternalTypeInfo<RowData> results;
    private final String backend;
    private KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData> harness;
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
        open(null);
    }

    private void open(OperatorSubtaskState snapshot) throws Exception {
        JoinCase.Selector key = new JoinCase.Selector(JoinCase.KEY);
        harness =
                new KeyedTwoInputStreamOperatorTestHarness<>(
                        operator.create(), key, key, key.getProducedType());
        harness.setStateBackend(
                backend.equals("rocksdb")
                        ? new EmbeddedRocksDBStateBackend(false)
                        : new HashMapStateBackend());
        at(now);
        harness.setup();
        if (snapshot != null) {
            harness.initializeState(snapshot);
        }
        harness.open();
    }

    /** Sets the time, in milliseconds. */
    public void at(long time) throws Exception {
        now = time;
        harness.setStateTtlProcessingTime(time);
        harness.setProcessingTime(time);
    }

    /** Gives it the rows of this index, as far as there are any. */
    public void process(int index, List<BinaryRowData> left, List<BinaryRowData> right)
            throws Exception {
        if (index < left.size()) {
            harness.processElement1(new StreamRecord<>(left.get(index).copy()));
        }
        if (index < right.size()) {
            harness.processElement2(new StreamRecord<>(right.get(index).copy()));
        }
    }

    /** Ends the bundle; what has been emitted since the last one. */
    public List<RowData> flush() throws Exception {
        harness.prepareSnapshotPreBarrier(1);
        RowDataSerializer serializer = results.toRowSerializer();
        List<RowData> rows = new ArrayList<>();
        for (RowData row : harness.extractOutputValues()) {
            rows.add(
                    row.getArity() == results.toRowSize()
                            ? serializer.toBinaryRow(row).copy()
                            : row);
        }
        harness.getOutput().clear();
        return rows;
    }

    /** Goes on from a snapshot. */
    public void restore() throws Exception {
        OperatorSubtaskState snapshot = harness.snapshot(1, 1);
        harness.close();
        open(snapshot);
    }

    @Override
    public void close() throws Exception {
        harness.close();
    }

    /** Makes operators. */
    @FunctionalInterface
    public interface Factory {
        MiniBatchJoinOperator create();
    }
}
