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
package io.stateaccel.operators.window;

import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.generated.NamespaceAggsHandleFunction;
import org.apache.flink.table.runtime.generated.NamespaceAggsHandleFunctionBase;
import org.apache.flink.table.runtime.generated.NamespaceTableAggsHandleFunction;
import org.apache.flink.table.runtime.operators.aggregate.RecordCounter;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.util.Collector;

/** Emits what windows come to. */
public interface WindowResults {

    /**
     * @param key of the window
     * @param window whose accumulators the functions have that aggregate it
     */
    void emit(RowData key, TimeWindow window) throws Exception;

    /** Nothing more is emitted of the window. */
    default void forget(TimeWindow window) throws Exception {}

    /**
     * Each emission stands for itself: of aggregates it is one row, of a table aggregate any number
     * of them.
     *
     * @param functions that aggregate windows
     * @param indexOfCountStar the field of their accumulators that counts rows, negative if none
     *     does
     * @param output takes results, rows that are reused
     */
    static WindowResults of(
            NamespaceAggsHandleFunctionBase<TimeWindow> functions,
            int indexOfCountStar,
            Consumer<RowData> output) {
        RecordCounter rows = RecordCounter.of(indexOfCountStar);
        return functions instanceof NamespaceTableAggsHandleFunction<TimeWindow> table
                ? ofTable(table, rows, output)
                : ofAggregates((NamespaceAggsHandleFunction<TimeWindow>) functions, rows, output);
    }

    private static WindowResults ofAggregates(
            NamespaceAggsHandleFunction<TimeWindow> functions,
            RecordCounter rows,
            Consumer<RowData> output) {
        JoinedRowData result = new JoinedRowData();
        return (key, window) -> {
            RowData value = functions.getValue(window);
            if (!rows.recordCountIsZero(functions.getAccumulators())) {
                output.accept(result.replace(key, value));
            }
        };
    }

    private static WindowResults ofTable(
            NamespaceTableAggsHandleFunction<TimeWindow> functions,
            RecordCounter rows,
            Consumer<RowData> output) {
        Collector<RowData> collector =
                new Collector<>() {
                    @Override
                    public void collect(RowData result) {
                        output.accept(result);
                    }

                    @Override
                    public void close() {}
                };
        return (key, window) -> {
            if (!rows.recordCountIsZero(functions.getAccumulators())) {
                functions.emitValue(window, key, collector);
            }
        };
    }
}
