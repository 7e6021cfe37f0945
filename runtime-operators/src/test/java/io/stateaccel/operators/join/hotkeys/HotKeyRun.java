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
package io.stateaccel.operators.join.hotkeys;

import io.stateaccel.operators.RowOutput;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.join.JoinCase.Selector;
import io.stateaccel.operators.join.JoinCase.Side;
import io.stateaccel.operators.join.JoinCase.UniqueKey;
import io.stateaccel.operators.join.MiniBatchJoinOperator;
import io.stateaccel.views.join.InputChangelog;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.apache.flink.types.RowKind;

/**
 * One join key with many rows on the left side: fills it, joins one row with it, and prints the
 * largest value that the state holds. {@link HotKeyHeapTest} runs it with a small heap; by hand
 * with more rows:
 *
 * <pre>java -Xmx96m -cp ... io.stateaccel.operators.join.hotkeys.HotKeyRun 5000000 distinct</pre>
 */
public final class HotKeyRun {

    private static final String KEY = "a key";
    private static final int BUNDLE = 20_000;
    private static final int MATCHING = 5;

    private final int rows;
    private final JoinCase join;
    private final boolean distinct;

    private HotKeyRun(int rows, String what) {
        this.rows = rows;
        this.distinct = !what.equals("equal");
        InputChangelog changelog =
                what.equals("inserts") ? InputChangelog.INSERT_ONLY : InputChangelog.RETRACT;
        this.join =
                new JoinCase(
                        FlinkJoinType.LEFT,
                        new Side(UniqueKey.NONE, changelog),
                        new Side(UniqueKey.NONE, InputChangelog.INSERT_ONLY),
                        true,
                        false,
                        BUNDLE,
                        0,
                        0);
    }

    /**
     * @param arguments rows, and {@code inserts}, {@code distinct} or {@code equal}: insert-only
     *     rows, or retractable ones that differ or are all the same
     */
    public static void main(String[] arguments) throws Exception {
        new HotKeyRun(Integer.parseInt(arguments[0]), arguments[1]).run();
    }

    private void run() throws Exception {
        MiniBatchJoinOperator operator = join.accelerated();
        Count count = new Count();
        Selector key = new Selector(JoinCase.KEY);
        try (var harness =
                new KeyedTwoInputStreamOperatorTestHarness<>(
                        operator, key, key, key.getProducedType())) {
            harness.setStateBackend(new EmbeddedRocksDBStateBackend(false));
            RowOutput.of(harness, count::add);
            harness.open();
            fill(harness);
            // Values below 0 match: the first few.
            harness.processElement2(new StreamRecord<>(JoinCase.row(KEY, 0, 0)));
            harness.prepareSnapshotPreBarrier(1);
            long matching = distinct ? MATCHING : rows;
            System.out.printf(
                    "rows %d padded %d pairs %d of %d largest %d%n",
                    rows, count.padded, count.pairs, matching, largestValue(operator));
        }
    }

    private void fill(
            KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData> harness)
            throws Exception {
        for (int i = 0; i < rows; i++) {
            BinaryRowData row =
                    distinct
                            ? JoinCase.row(KEY, i, i < MATCHING ? -1 : 1)
                            : JoinCase.row(KEY, 0, -1);
            harness.processElement1(new StreamRecord<>(row));
        }
        harness.prepareSnapshotPreBarrier(1);
    }

    private static long largestValue(MiniBatchJoinOperator operator) throws Exception {
        KeyedStateBackend<RowData> backend = operator.getKeyedStateBackend();
        @SuppressWarnings("unchecked")
        InternalListState<RowData, Integer, RowData> state =
                (InternalListState<RowData, Integer, RowData>)
                        backend.getOrCreateKeyedState(
                                IntSerializer.INSTANCE,
                                new ListStateDescriptor<>(
                                        "left-records", JoinCase.ROW.toRowSerializer()));
        long largest = 0;
        List<Tuple2<RowData, Integer>> chunks;
        try (Stream<Tuple2<RowData, Integer>> all = backend.getKeysAndNamespaces("left-records")) {
            chunks = all.toList();
        }
        for (Tuple2<RowData, Integer> chunk : chunks) {
            backend.setCurrentKey(chunk.f0);
            state.setCurrentNamespace(chunk.f1);
            long bytes = 0;
            for (RowData row : state.get()) {
                bytes += ((BinaryRowData) row).getSizeInBytes() + Integer.BYTES + 1;
            }
            largest = Math.max(largest, bytes);
        }
        return largest;
    }

    private static final class Count {

        private long padded;
        private long pairs;

        void add(RowData row) {
            if (row.getRowKind() == RowKind.INSERT) {
                if (row.isNullAt(3)) {
                    padded++;
                } else {
                    pairs++;
                }
            }
        }
    }
}
