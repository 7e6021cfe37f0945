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
import io.stateaccel.operators.aggregate.TestAggregates;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.join.JoinCase.Selector;
import io.stateaccel.operators.join.JoinCase.Side;
import io.stateaccel.operators.join.JoinCase.UniqueKey;
import io.stateaccel.operators.join.fused.FusedCase;
import io.stateaccel.operators.join.fused.FusedCase.Above;
import io.stateaccel.operators.join.fused.FusedCase.Ranks;
import io.stateaccel.views.join.InputChangelog;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.state.rocksdb.PredefinedOptions;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.apache.flink.types.RowKind;

/**
 * One join key with many rows on the left side, and what is made of its results in the same
 * operator: fills it, joins a row with it, and updates that row, so that as many results go as
 * come. Prints what is live in the end. {@link HotKeyHeapTest} runs it with a small heap.
 */
public final class FusedHotKeyRun {

    /** Left rows that have one value, and so tie. */
    static final int ROWS_PER_VALUE = 500;

    private static final String KEY = "a key";
    private static final int BUNDLE = 20_000;

    /** Of the join, whose rows are not what is to be bounded. */
    private static final int BUNDLE_OF_LONG_KEYS = 1_000;

    private static final long HEAP_BYTES = 16 << 20;

    private final int rows;
    private final int keyLength;
    private final boolean interleaved;
    private final FusedCase fused;

    private long added;
    private long removed;

    /** The sum over all live rows of the last column, where that is a number. */
    private long sum;

    private FusedHotKeyRun(int rows, Above above, int keyLength, boolean interleaved) {
        this.rows = rows;
        this.keyLength = keyLength;
        this.interleaved = interleaved;
        InputChangelog right =
                switch (above) {
                    case SUM, TOP_APPEND -> InputChangelog.INSERT_ONLY;
                    case TOP_UPDATE -> InputChangelog.UPSERT;
                    default -> InputChangelog.RETRACT;
                };
        JoinCase join =
                new JoinCase(
                        FlinkJoinType.INNER,
                        new Side(UniqueKey.ID, InputChangelog.INSERT_ONLY),
                        new Side(UniqueKey.JOIN_KEY, right),
                        false,
                        false,
                        keyLength > 0 ? BUNDLE_OF_LONG_KEYS : BUNDLE,
                        0,
                        0);
        this.fused =
                new FusedCase(join, above, new Ranks(1, 5, true, true, true), BUNDLE, HEAP_BYTES);
    }

    /**
     * @param arguments rows, {@link Above}, how long the join key is, and whether rows of one value
     *     come far from each other
     */
    public static void main(String[] arguments) throws Exception {
        new FusedHotKeyRun(
                        Integer.parseInt(arguments[0]),
                        Above.valueOf(arguments[1]),
                        Integer.parseInt(arguments[2]),
                        Boolean.parseBoolean(arguments[3]))
                .run();
    }

    private void run() throws Exception {
        Selector key = new Selector(JoinCase.KEY);
        try (var harness =
                new KeyedTwoInputStreamOperatorTestHarness<>(
                        fused.accelerated(), key, key, key.getProducedType())) {
            harness.setStateBackend(backend());
            RowOutput.of(harness, this::count);
            harness.open();
            for (int i = 0; i < rows; i++) {
                harness.processElement1(new StreamRecord<>(row(i, valueOf(i))));
            }
            harness.prepareSnapshotPreBarrier(1);
            harness.processElement2(new StreamRecord<>(row(0, 0)));
            harness.prepareSnapshotPreBarrier(2);
            switch (fused.join().right().changelog()) {
                case INSERT_ONLY -> {}
                case UPSERT -> update(harness, 1);
                case RETRACT -> {
                    BinaryRowData before = row(0, 0);
                    before.setRowKind(RowKind.UPDATE_BEFORE);
                    harness.processElement2(new StreamRecord<>(before));
                    update(harness, 1);
                }
            }
            harness.prepareSnapshotPreBarrier(3);
        }
        System.out.printf("live %d sum %d%n", added - removed, sum);
    }

    /** With filters and a large cache of blocks: what is read is not what is to be bounded. */
    private static EmbeddedRocksDBStateBackend backend() {
        EmbeddedRocksDBStateBackend backend = new EmbeddedRocksDBStateBackend(false);
        backend.setPredefinedOptions(PredefinedOptions.SPINNING_DISK_OPTIMIZED_HIGH_MEM);
        return backend;
    }

    private int valueOf(int i) {
        return interleaved ? i % (rows / ROWS_PER_VALUE) : i / ROWS_PER_VALUE;
    }

    private void update(
            KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData> harness,
            int value)
            throws Exception {
        BinaryRowData after = row(0, value);
        after.setRowKind(RowKind.UPDATE_AFTER);
        harness.processElement2(new StreamRecord<>(after));
    }

    private BinaryRowData row(long id, int value) {
        return JoinCase.row(KEY + "-".repeat(keyLength), id, value);
    }

    private void count(RowData row) {
        boolean adds = RowDataUtil.isAccumulateMsg(row);
        if (adds) {
            added++;
        } else {
            removed++;
        }
        sum += (adds ? 1 : -1) * number(row);
    }

    private long number(RowData row) {
        int last = row.getArity() - 1;
        return switch (fused.above()) {
            // Groups that all have one row.
            case SUM, DISTINCT, LOCAL_SUM -> row.getLong(last);
            case TEXT -> row.getLong(last - 1);
            case LOCAL_IDS ->
                    TestAggregates.idsOf(row, last).values().stream()
                            .mapToLong(Long::longValue)
                            .sum();
            case TOP_APPEND, TOP_UPDATE, TOP_RETRACT -> row.getInt(JoinCase.VALUE);
        };
    }
}
