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
package io.stateaccel.nexmark.checksum;

import java.util.List;
import java.util.Set;
import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.common.accumulators.LongMaximum;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.Collector;

/**
 * Adds the hashes of inserted rows and subtracts those of retracted rows. The sums are the
 * function's state and, as accumulators, its result. Emits nothing.
 */
final class ChecksumFunction extends ProcessFunction<RowData, RowData>
        implements CheckpointedFunction {

    private static final long serialVersionUID = 1L;

    private final String table;
    private final RowType rowType;
    private final Set<String> ignoredColumns;
    private final Set<String> columnsBesideKey;

    private transient RowHasher hasher;
    private transient RowHasher keyHasher;
    private transient UpsertedRows upserted;
    private transient LongCounter rows;
    private transient LongCounter high;
    private transient LongCounter low;
    private transient LongCounter changes;
    private transient LongMaximum endedAt;
    private transient ListState<long[]> state;

    /**
     * @param table names the accumulators, see {@link Checksum#fromAccumulators}
     * @param columnsBesideKey of a table that is given upserts, the columns that are not its key;
     *     none where every row that is replaced is given too
     */
    ChecksumFunction(
            String table,
            RowType rowType,
            Set<String> ignoredColumns,
            Set<String> columnsBesideKey) {
        this.table = table;
        this.rowType = rowType;
        this.ignoredColumns = ignoredColumns;
        this.columnsBesideKey = columnsBesideKey;
    }

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        rows = new LongCounter();
        high = new LongCounter();
        low = new LongCounter();
        changes = new LongCounter();
        state =
                context.getOperatorStateStore()
                        .getListState(
                                new ListStateDescriptor<>(
                                        "checksum",
                                        PrimitiveArrayTypeInfo.LONG_PRIMITIVE_ARRAY_TYPE_INFO));
        // Sums may be restored by any sub-task: only their total means anything.
        for (long[] sums : state.get()) {
            if (!columnsBesideKey.isEmpty()) {
                throw new IllegalStateException(
                        "Table "
                                + table
                                + " is given upserts: what it holds is in no checkpoint, so a job"
                                + " cannot go on from one");
            }
            rows.add(sums[0]);
            high.add(sums[1]);
            low.add(sums[2]);
            changes.add(sums[3]);
        }
    }

    @Override
    public void open(OpenContext openContext) {
        hasher = new RowHasher(rowType, ignoredColumns);
        if (!columnsBesideKey.isEmpty()) {
            keyHasher = new RowHasher(rowType, columnsBesideKey);
            upserted = new UpsertedRows();
        }
        endedAt = new LongMaximum();
        getRuntimeContext().addAccumulator(Checksum.endedAtAccumulator(table), endedAt);
        getRuntimeContext().addAccumulator(Checksum.Part.ROWS.accumulator(table), rows);
        getRuntimeContext().addAccumulator(Checksum.Part.HIGH.accumulator(table), high);
        getRuntimeContext().addAccumulator(Checksum.Part.LOW.accumulator(table), low);
        getRuntimeContext().addAccumulator(Checksum.Part.CHANGES.accumulator(table), changes);
    }

    @Override
    public void processElement(RowData row, Context context, Collector<RowData> out) {
        changes.add(1);
        boolean adds =
                switch (row.getRowKind()) {
                    case INSERT, UPDATE_AFTER -> true;
                    case UPDATE_BEFORE, DELETE -> false;
                };
        if (upserted != null) {
            upsert(row, adds);
            return;
        }
        hasher.hash(row);
        add(adds ? 1 : -1, hasher.high(), hasher.low());
    }

    private void upsert(RowData row, boolean isThere) {
        keyHasher.hash(row);
        int at = upserted.find(keyHasher.high());
        if (upserted.high(at) != 0 || upserted.low(at) != 0) {
            add(-1, upserted.high(at), upserted.low(at));
            upserted.set(at, 0, 0);
        }
        if (isThere) {
            hasher.hash(row);
            add(1, hasher.high(), hasher.low());
            upserted.set(at, hasher.high(), hasher.low());
        }
    }

    private void add(int sign, long rowHigh, long rowLow) {
        rows.add(sign);
        high.add(sign * rowHigh);
        low.add(sign * rowLow);
    }

    /** Notes that the input has ended. */
    void endInput() {
        endedAt.add(System.currentTimeMillis());
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        state.update(
                List.of(
                        new long[] {
                            rows.getLocalValuePrimitive(),
                            high.getLocalValuePrimitive(),
                            low.getLocalValuePrimitive(),
                            changes.getLocalValuePrimitive()
                        }));
    }
}
