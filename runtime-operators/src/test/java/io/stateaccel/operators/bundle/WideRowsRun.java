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
package io.stateaccel.operators.bundle;

import io.stateaccel.operators.RowEqualiser;
import io.stateaccel.operators.RowOutput;
import io.stateaccel.operators.aggregate.CachedGroupAggregateOperator;
import io.stateaccel.operators.aggregate.CachedGroupAggregateSpec;
import io.stateaccel.operators.deduplicate.MiniBatchDeduplicateOperator;
import io.stateaccel.operators.deduplicate.MiniBatchDeduplicateSpec;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.join.JoinCase.Selector;
import io.stateaccel.operators.join.JoinSideSpec;
import io.stateaccel.operators.join.MiniBatchJoinOperator;
import io.stateaccel.operators.join.MiniBatchJoinSpec;
import io.stateaccel.operators.join.interval.IntervalJoinSideSpec;
import io.stateaccel.operators.join.interval.MiniBatchIntervalJoinOperator;
import io.stateaccel.operators.join.interval.MiniBatchIntervalJoinSpec;
import io.stateaccel.operators.join.temporal.MiniBatchTemporalJoinOperator;
import io.stateaccel.operators.join.temporal.MiniBatchTemporalJoinSpec;
import io.stateaccel.operators.join.temporal.TemporalJoinSideSpec;
import io.stateaccel.operators.rank.MiniBatchRankOperator;
import io.stateaccel.operators.rank.MiniBatchRankSpec;
import io.stateaccel.operators.rank.RankInput;
import io.stateaccel.operators.sink.MiniBatchSinkMaterializerOperator;
import io.stateaccel.operators.sink.MiniBatchSinkMaterializerSpec;
import io.stateaccel.views.join.InputChangelog;
import io.stateaccel.views.time.TimeToLive;
import java.util.Comparator;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.dataview.StateDataViewStore;
import org.apache.flink.table.runtime.generated.AggsHandleFunction;
import org.apache.flink.table.runtime.generated.GeneratedAggsHandleFunction;
import org.apache.flink.table.runtime.generated.GeneratedRecordComparator;
import org.apache.flink.table.runtime.generated.RecordComparator;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.apache.flink.table.runtime.operators.join.stream.utils.JoinInputSideSpec;
import org.apache.flink.table.runtime.operators.rank.ComparableRecordComparator;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.VarCharType;

/**
 * A bundle's worth of rows of 6 KiB, each with a key of its own as wide as that, through one
 * operator on RocksDB; prints how many results there are. {@link WideRowsHeapTest} runs it with a
 * small heap.
 */
public final class WideRowsRun {

    static final int ROWS = 20_000;

    private static final String FILLER = "x".repeat(6 << 10);

    private final BundleSettings bundle;
    private final Selector key = new Selector(JoinCase.KEY);
    private long results;

    private WideRowsRun(MemorySize maxBytes) {
        this.bundle = new BundleSettings(ROWS, 1000, maxBytes, false, true);
    }

    enum What {
        JOIN,
        INTERVAL_JOIN,
        TEMPORAL_JOIN,
        TOP_N_OF_INSERTIONS,
        TOP_N_OF_UPSERTS,
        TOP_N_OF_ALL_CHANGES,
        DEDUPLICATE,
        SINK,
        AGGREGATE
    }

    /**
     * @param arguments the operator and the limit of bytes
     */
    public static void main(String[] arguments) throws Exception {
        new WideRowsRun(new MemorySize(Long.parseLong(arguments[1])))
                .run(What.valueOf(arguments[0]));
    }

    private void run(What what) throws Exception {
        switch (what) {
            case JOIN -> runTwoInputs(join());
            case INTERVAL_JOIN -> runTwoInputs(intervalJoin());
            case TEMPORAL_JOIN -> runTwoInputs(temporalJoin());
            case TOP_N_OF_INSERTIONS -> runOneInput(topN(RankInput.APPEND));
            case TOP_N_OF_UPSERTS -> runOneInput(topN(RankInput.UPDATE));
            case TOP_N_OF_ALL_CHANGES -> runOneInput(topN(RankInput.RETRACT));
            case DEDUPLICATE -> runOneInput(deduplicate());
            case SINK -> runOneInput(sink());
            case AGGREGATE -> runOneInput(aggregate());
        }
        System.out.println("results " + results);
    }

    private MiniBatchJoinOperator join() {
        JoinSideSpec side =
                new JoinSideSpec(
                        JoinCase.ROW,
                        key,
                        JoinInputSideSpec.withoutUniqueKey(),
                        InputChangelog.INSERT_ONLY,
                        TimeToLive.FOREVER);
        return new MiniBatchJoinOperator(
                new MiniBatchJoinSpec(
                        FlinkJoinType.LEFT,
                        side,
                        side,
                        new JoinCase.TestCondition(false),
                        new boolean[] {true},
                        true,
                        bundle));
    }

    private MiniBatchIntervalJoinOperator intervalJoin() {
        IntervalJoinSideSpec side = new IntervalJoinSideSpec(JoinCase.ROW, key, JoinCase.ID, false);
        return new MiniBatchIntervalJoinOperator(
                new MiniBatchIntervalJoinSpec(
                        side,
                        side,
                        -10,
                        10,
                        0,
                        new JoinCase.TestCondition(false),
                        new boolean[] {true},
                        bundle));
    }

    private MiniBatchTemporalJoinOperator temporalJoin() {
        TemporalJoinSideSpec side = new TemporalJoinSideSpec(JoinCase.ROW, key, JoinCase.ID);
        return new MiniBatchTemporalJoinOperator(
                new MiniBatchTemporalJoinSpec(
                        side, side, false, new JoinCase.TestCondition(false), 0, 0, bundle));
    }

    private MiniBatchRankOperator topN(RankInput input) {
        Comparator<RowData> byId = Comparator.comparingLong(row -> row.getLong(0));
        Comparator<RowData> byIdOfRow = Comparator.comparingLong(row -> row.getLong(JoinCase.ID));
        Selector id = new Selector(JoinCase.ID);
        return new MiniBatchRankOperator(
                new MiniBatchRankSpec(
                        input,
                        JoinCase.ROW,
                        key,
                        new Order(byIdOfRow),
                        id,
                        new ComparableRecordComparator(
                                new Order(byId),
                                new int[] {0},
                                new LogicalType[] {new BigIntType()},
                                new boolean[] {true},
                                new boolean[] {true}),
                        input == RankInput.UPDATE ? id : null,
                        1,
                        3,
                        null,
                        false,
                        true,
                        false,
                        false,
                        0,
                        TimeToLive.FOREVER,
                        bundle));
    }

    private MiniBatchDeduplicateOperator deduplicate() {
        return new MiniBatchDeduplicateOperator(
                new MiniBatchDeduplicateSpec(
                        JoinCase.ROW,
                        key,
                        JoinCase.ID,
                        true,
                        true,
                        true,
                        new RowEqualiser(),
                        TimeToLive.FOREVER,
                        bundle));
    }

    private MiniBatchSinkMaterializerOperator sink() {
        return new MiniBatchSinkMaterializerOperator(
                new MiniBatchSinkMaterializerSpec(
                        JoinCase.ROW, key, null, "values", TimeToLive.FOREVER, bundle));
    }

    private CachedGroupAggregateOperator aggregate() {
        return new CachedGroupAggregateOperator(
                new CachedGroupAggregateSpec(
                        new LastText(),
                        null,
                        new RowEqualiser(),
                        null,
                        new LogicalType[] {new VarCharType(VarCharType.MAX_LENGTH)},
                        -1,
                        true,
                        key,
                        TimeToLive.FOREVER,
                        bundle,
                        0,
                        false));
    }

    private static StateBackend rocksDb() {
        EmbeddedRocksDBStateBackend backend = new EmbeddedRocksDBStateBackend(false);
        // What the harness has to manage is so little that RocksDB 6 flushes each row to a file.
        backend.getMemoryConfiguration().setUseManagedMemory(false);
        return backend;
    }

    private void runOneInput(OneInputStreamOperator<RowData, RowData> operator) throws Exception {
        try (var harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        operator, key, key.getProducedType())) {
            harness.setStateBackend(rocksDb());
            RowOutput.of(harness, row -> results++);
            harness.open();
            for (int i = 0; i < ROWS; i++) {
                harness.processElement(row(i));
            }
            harness.prepareSnapshotPreBarrier(1);
        }
    }

    private void runTwoInputs(TwoInputStreamOperator<RowData, RowData, RowData> operator)
            throws Exception {
        try (var harness =
                new KeyedTwoInputStreamOperatorTestHarness<>(
                        operator, key, key, key.getProducedType())) {
            harness.setStateBackend(rocksDb());
            RowOutput.of(harness, row -> results++);
            harness.open();
            boolean isInner = !(operator instanceof MiniBatchJoinOperator);
            for (int i = 0; i < ROWS; i++) {
                harness.processElement1(row(i));
                if (isInner) {
                    harness.processElement2(row(i));
                }
            }
            harness.prepareSnapshotPreBarrier(1);
            // An interval join has its results by now. Its timers are Flink's, a key each, and to
            // look for the next one takes the longer the more have fired.
            if (operator instanceof MiniBatchTemporalJoinOperator) {
                harness.processBothWatermarks(new Watermark(ROWS));
            }
        }
    }

    private static StreamRecord<RowData> row(int i) {
        return new StreamRecord<>(JoinCase.row(i + FILLER, i, 0));
    }

    private static final class Order extends GeneratedRecordComparator {
        private final transient Comparator<RowData> order;

        Order(Comparator<RowData> order) {
            super("Order", "", new Object[0]);
            this.order = order;
        }

        @Override
        public RecordComparator newInstance(ClassLoader classLoader) {
            return order::compare;
        }
    }

    /** The text of the last row of each group. */
    private static final class LastText extends GeneratedAggsHandleFunction {
        LastText() {
            super("LastText", "", new Object[0]);
        }

        @Override
        public AggsHandleFunction newInstance(ClassLoader classLoader) {
            return new LastTextFunction();
        }
    }

    private static final class LastTextFunction implements AggsHandleFunction {
        private StringData text;

        @Override
        public void open(StateDataViewStore store) {}

        @Override
        public void accumulate(RowData row) {
            text = StringData.fromString(row.getString(JoinCase.KEY).toString());
        }

        @Override
        public void retract(RowData row) {
            throw new UnsupportedOperationException("Nothing is retracted");
        }

        @Override
        public void merge(RowData accumulators) {
            throw new UnsupportedOperationException("Nothing is merged");
        }

        @Override
        public void setAccumulators(RowData accumulators) {
            text = accumulators.isNullAt(0) ? null : accumulators.getString(0);
        }

        @Override
        public void resetAccumulators() {
            text = null;
        }

        @Override
        public RowData getAccumulators() {
            return GenericRowData.of(text);
        }

        @Override
        public RowData createAccumulators() {
            return GenericRowData.of((Object) null);
        }

        @Override
        public RowData getValue() {
            return GenericRowData.of(text);
        }

        @Override
        public void setWindowSize(int size) {}

        @Override
        public void cleanup() {}

        @Override
        public void close() {}
    }
}
