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
package io.stateaccel.operators.over;

import io.stateaccel.views.list.RowQueue;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.generated.AggsHandleFunction;

/** Which rows are aggregated to the result of a row. For the task thread. */
interface OverFrame {

    /**
     * Aggregates the rows of one time, and emits each with its result.
     *
     * @param time later than that of all rows before
     * @param rows as they came; they belong to the frame from now on
     * @param partition theirs, whose accumulator and queue are current
     */
    void process(long time, List<RowData> rows, Partition partition) throws Exception;

    /** Emits a row with its result. */
    @FunctionalInterface
    interface Results {
        void emit(RowData row, RowData result);
    }

    /**
     * @param function opened
     * @param queue of the rows of a frame that has a first row
     */
    static OverFrame of(
            RowTimeOverSpec spec, AggsHandleFunction function, RowQueue queue, Results results) {
        if (!spec.isBounded()) {
            return spec.isRows()
                    ? (time, rows, partition) -> eachRow(rows, function, results)
                    : (time, rows, partition) -> allRows(rows, function, results);
        }
        return bounded(
                spec.isRows(),
                spec.preceding(),
                FrameRows.timedBy(spec.timeColumn()),
                function,
                queue,
                results);
    }

    /**
     * A frame that has a first row.
     *
     * @param isRows whether it is of so many rows
     * @param preceding how many they are, or milliseconds before the current row
     * @param frameRows how a range of time keeps them
     * @param function opened
     * @param queue of the rows as they are kept
     */
    static OverFrame bounded(
            boolean isRows,
            long preceding,
            FrameRows frameRows,
            AggsHandleFunction function,
            RowQueue queue,
            Results results) {
        return isRows
                ? new LastRows(preceding, function, queue, results)
                : new Range(preceding, frameRows, function, queue, results);
    }

    private static void eachRow(List<RowData> rows, AggsHandleFunction function, Results results)
            throws Exception {
        for (RowData row : rows) {
            function.accumulate(row);
            results.emit(row, function.getValue());
        }
    }

    private static void allRows(List<RowData> rows, AggsHandleFunction function, Results results)
            throws Exception {
        for (RowData row : rows) {
            function.accumulate(row);
        }
        RowData result = function.getValue();
        for (RowData row : rows) {
            results.emit(row, result);
        }
    }

    /**
     * So many rows, the current one the last of them.
     *
     * @param most of them, at least 1
     */
    record LastRows(long most, AggsHandleFunction function, RowQueue queue, Results results)
            implements OverFrame {

        @Override
        public void process(long time, List<RowData> rows, Partition partition) throws Exception {
            for (RowData row : rows) {
                queue.add((BinaryRowData) row);
                if (queue.size() > most) {
                    function.retract(queue.removeFirst());
                }
                function.accumulate(row);
                results.emit(row, function.getValue());
            }
        }
    }

    /**
     * The rows from some time before that of the current one up to that.
     *
     * @param millis how long before
     */
    record Range(
            long millis,
            FrameRows frameRows,
            AggsHandleFunction function,
            RowQueue queue,
            Results results)
            implements OverFrame {

        @Override
        public void process(long time, List<RowData> rows, Partition partition) throws Exception {
            while (queue.size() > 0 && time - partition.oldest > millis) {
                function.retract(queue.removeFirst());
                if (queue.size() > 0) {
                    partition.oldest = frameRows.timeOf(queue.first());
                }
            }
            if (queue.size() == 0) {
                partition.oldest = time;
            }
            for (RowData row : rows) {
                queue.add(frameRows.toKeep((BinaryRowData) row, time));
            }
            allRows(rows, function, results);
        }
    }
}
