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
package io.stateaccel.operators.join.interval;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.TestBackends;
import io.stateaccel.operators.bundle.IdleTask;
import io.stateaccel.operators.clock.Subtasks;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.join.JoinCase.Selector;
import io.stateaccel.operators.join.interval.IntervalScript.Event;
import io.stateaccel.operators.join.interval.IntervalScript.Restart;
import io.stateaccel.operators.join.interval.IntervalScript.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.TestableKeyedStateBackend;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.types.RowKind;

/** The sub-tasks of an operator, which restart with another parallelism now and then. */
final class IntervalJoinRun implements AutoCloseable {

    private final Selector keySelector = new Selector(JoinCase.KEY);
    private final Supplier<TwoInputStreamOperator<RowData, RowData, RowData>> operator;
    private final boolean rocksdb;
    private final boolean reuseRows;

    /** {@code left-right} by the numbers of the rows, {@code null} for one that is not there. */
    private final List<String> pairs = new ArrayList<>();

    /**
     * The watermark at which each pair was there first, {@code Long.MIN_VALUE} before the first.
     */
    private final Map<String, Long> watermarks = new HashMap<>();

    private final Subtasks<
                    KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData>>
            subtasks = new Subtasks<>();
    private int rows;
    private long watermark = Long.MIN_VALUE;
    private long checkpoint;

    /**
     * @param reuseRows whether a row is overwritten as soon as the operator has seen it
     */
    IntervalJoinRun(
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
            } else if (event instanceof IntervalScript.Watermark advanced) {
                advance(advanced.time());
            } else if (event instanceof Restart restart) {
                restart(restart.parallelism());
            }
        }
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

    void advance(long time) throws Exception {
        takePairs();
        watermark = time;
        for (var subtask : subtasks.all()) {
            subtask.processBothWatermarks(new Watermark(time));
        }
    }

    /** State and timers of all sub-tasks. */
    int entries() throws Exception {
        int entries = 0;
        for (var subtask : subtasks.all()) {
            // RocksDB's timers are written in batches, which are part of a snapshot.
            subtask.snapshot(++checkpoint, checkpoint);
            var operator = (AbstractStreamOperator<?>) subtask.getOperator();
            entries +=
                    ((TestableKeyedStateBackend<?>) operator.getKeyedStateBackend())
                                    .numKeyValueStateEntries()
                            + subtask.numEventTimeTimers();
        }
        return entries;
    }

    List<String> pairs() {
        takePairs();
        return pairs;
    }

    /** At which watermark each row without a match came. */
    Map<String, Long> watermarksOfPaddedRows() {
        takePairs();
        Map<String, Long> padded = new TreeMap<>(watermarks);
        padded.keySet().removeIf(pair -> !pair.contains("null"));
        return padded;
    }

    private void restart(int parallelism) throws Exception {
        OperatorSubtaskState[] states = subtasks.snapshot(++checkpoint);
        takePairs();
        subtasks.restore(this::create, parallelism, states);
        if (watermark > Long.MIN_VALUE) {
            // The source's watermark goes on from where it was.
            advance(watermark);
        }
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

    private void takePairs() {
        for (var subtask : subtasks.all()) {
            for (RowData pair : subtask.extractOutputValues()) {
                boolean isPadded =
                        pair.isNullAt(JoinCase.VALUE) || pair.isNullAt(3 + JoinCase.VALUE);
                assertThat(isPadded || sameKey(pair)).isTrue();
                assertThat(pair.getRowKind()).isEqualTo(RowKind.INSERT);
                String numbers = numberIn(pair, 0) + "-" + numberIn(pair, 3);
                pairs.add(numbers);
                watermarks.put(numbers, watermark);
            }
            subtask.getOutput().clear();
        }
    }

    private static boolean sameKey(RowData pair) {
        return Objects.equals(pair.getString(JoinCase.KEY), pair.getString(3 + JoinCase.KEY));
    }

    private static String numberIn(RowData pair, int side) {
        int column = side + JoinCase.VALUE;
        return pair.isNullAt(column) ? "null" : String.valueOf(pair.getInt(column));
    }

    @Override
    public void close() throws Exception {
        takePairs();
        subtasks.close();
    }
}
