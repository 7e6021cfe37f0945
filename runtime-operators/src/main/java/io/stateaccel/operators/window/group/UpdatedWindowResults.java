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
package io.stateaccel.operators.window.group;

import io.stateaccel.operators.window.WindowResults;
import io.stateaccel.operators.window.slice.CurrentKey;
import java.util.function.Consumer;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.generated.NamespaceAggsHandleFunction;
import org.apache.flink.table.runtime.generated.RecordEqualiser;
import org.apache.flink.table.runtime.operators.aggregate.RecordCounter;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.types.RowKind;

/**
 * Each result of a window takes back the one before it, which is in the state as Flink has it
 * there.
 */
final class UpdatedWindowResults implements WindowResults {

    private final NamespaceAggsHandleFunction<TimeWindow> functions;
    private final RecordCounter rows;
    private final CurrentKey current;
    private final InternalValueState<RowData, TimeWindow, RowData> previous;
    private final RecordEqualiser equaliser;
    private final Consumer<RowData> output;
    private final JoinedRowData result = new JoinedRowData();

    /**
     * @param functions that aggregate windows
     * @param rows counts those of an accumulator
     * @param current key of the operator
     * @param previous the results that were emitted last
     * @param equaliser compares results
     * @param output takes results, rows that are reused
     */
    UpdatedWindowResults(
            NamespaceAggsHandleFunction<TimeWindow> functions,
            RecordCounter rows,
            CurrentKey current,
            InternalValueState<RowData, TimeWindow, RowData> previous,
            RecordEqualiser equaliser,
            Consumer<RowData> output) {
        this.functions = functions;
        this.rows = rows;
        this.current = current;
        this.previous = previous;
        this.equaliser = equaliser;
        this.output = output;
    }

    @Override
    public void emit(RowData key, TimeWindow window) throws Exception {
        boolean isEmpty = rows.recordCountIsZero(functions.getAccumulators());
        RowData now = functions.getValue(window);
        current.tellBackend();
        previous.setCurrentNamespace(window);
        RowData before = previous.value();
        if (before == null) {
            if (!isEmpty) {
                emit(RowKind.INSERT, key, now);
                previous.update(now);
            }
        } else if (isEmpty) {
            emit(RowKind.DELETE, key, before);
            previous.clear();
        } else if (!equaliser.equals(now, before)) {
            emit(RowKind.UPDATE_BEFORE, key, before);
            emit(RowKind.UPDATE_AFTER, key, now);
            previous.update(now);
        }
    }

    private void emit(RowKind kind, RowData key, RowData value) {
        result.replace(key, value);
        result.setRowKind(kind);
        output.accept(result);
    }

    @Override
    public void forget(TimeWindow window) {
        current.tellBackend();
        previous.setCurrentNamespace(window);
        previous.clear();
    }
}
