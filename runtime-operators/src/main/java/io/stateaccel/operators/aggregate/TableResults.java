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
package io.stateaccel.operators.aggregate;

import io.stateaccel.operators.bundle.HeapBytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.generated.TableAggsHandleFunction;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;

/**
 * Any number of rows per group, those that a table aggregate emits of it. Of an update only those
 * rows are emitted that were not there before, and those that are there no longer: stock takes all
 * of them back and emits all of them again, which gives the same table.
 */
final class TableResults implements GroupResults<List<BinaryRowData>> {

    private final TableAggsHandleFunction function;
    private final RowDataSerializer serializer;
    private final Collector<RowData> out;
    private final Rows rows = new Rows();

    /**
     * @param serializer of what is emitted: the group and the values of a row
     * @param out gets rows that are not used again
     */
    TableResults(
            TableAggsHandleFunction function,
            RowDataSerializer serializer,
            Collector<RowData> out) {
        this.function = function;
        this.serializer = serializer;
        this.out = out;
    }

    @Override
    public List<BinaryRowData> current(RowData key) throws Exception {
        rows.collected = new ArrayList<>();
        function.emitValue(rows, key, false);
        return rows.collected;
    }

    @Override
    public long heapBytes(List<BinaryRowData> results, long accumulatorBytes) {
        return results.stream().mapToLong(HeapBytes::ofRow).sum();
    }

    @Override
    public void inserted(RowData key, List<BinaryRowData> after) {
        emit(RowKind.INSERT, after);
    }

    @Override
    public void deleted(RowData key, List<BinaryRowData> before) {
        emit(RowKind.DELETE, before);
    }

    @Override
    public void updated(
            RowData key,
            List<BinaryRowData> before,
            List<BinaryRowData> after,
            boolean evenIfEqual) {
        if (evenIfEqual) {
            emit(RowKind.DELETE, before);
            emit(RowKind.INSERT, after);
        } else if (!before.equals(after)) {
            emitDifference(before, after);
        }
    }

    /** A row may be there more than once. */
    private void emitDifference(List<BinaryRowData> before, List<BinaryRowData> after) {
        Map<RowData, Integer> gone = new HashMap<>();
        for (BinaryRowData row : before) {
            gone.merge(row, 1, Integer::sum);
        }
        List<BinaryRowData> came = new ArrayList<>(after);
        came.removeIf(row -> take(gone, row));
        List<BinaryRowData> went = new ArrayList<>(before);
        went.removeIf(row -> !take(gone, row));
        emit(RowKind.DELETE, went);
        emit(RowKind.INSERT, came);
    }

    /** Takes one from the count of a row; false if there is none. */
    private static boolean take(Map<RowData, Integer> counts, BinaryRowData row) {
        Integer count = counts.get(row);
        if (count == null) {
            return false;
        }
        if (count == 1) {
            counts.remove(row);
        } else {
            counts.put(row, count - 1);
        }
        return true;
    }

    @Override
    public boolean areRetractedFromNothing() {
        return true;
    }

    private void emit(RowKind kind, List<BinaryRowData> some) {
        for (BinaryRowData row : some) {
            row.setRowKind(kind);
            out.collect(row);
        }
    }

    /** Keeps copies of the rows that the function emits, which are one object. */
    private final class Rows implements Collector<RowData> {
        private List<BinaryRowData> collected;

        @Override
        public void collect(RowData row) {
            collected.add(serializer.toBinaryRow(row).copy());
        }

        @Override
        public void close() {}
    }
}
