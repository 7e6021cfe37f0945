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

import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.generated.AggsHandleFunction;
import org.apache.flink.table.runtime.generated.RecordEqualiser;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;

/** A row per group: the group and the values of its aggregates. */
final class SingleResults implements GroupResults<RowData> {

    private final AggsHandleFunction function;
    private final RecordEqualiser equaliser;
    private final boolean generateUpdateBefore;
    private final Collector<RowData> out;
    private final JoinedRowData result = new JoinedRowData();

    SingleResults(
            AggsHandleFunction function,
            RecordEqualiser equaliser,
            boolean generateUpdateBefore,
            Collector<RowData> out) {
        this.function = function;
        this.equaliser = equaliser;
        this.generateUpdateBefore = generateUpdateBefore;
        this.out = out;
    }

    @Override
    public RowData current(RowData key) throws Exception {
        return function.getValue();
    }

    @Override
    public void inserted(RowData key, RowData after) {
        emit(RowKind.INSERT, key, after);
    }

    @Override
    public void deleted(RowData key, RowData before) {
        emit(RowKind.DELETE, key, before);
    }

    @Override
    public void updated(RowData key, RowData before, RowData after, boolean evenIfEqual) {
        if (!evenIfEqual && equaliser.equals(before, after)) {
            return;
        }
        if (generateUpdateBefore) {
            emit(RowKind.UPDATE_BEFORE, key, before);
        }
        emit(RowKind.UPDATE_AFTER, key, after);
    }

    @Override
    public boolean areRetractedFromNothing() {
        return false;
    }

    private void emit(RowKind kind, RowData key, RowData value) {
        result.replace(key, value).setRowKind(kind);
        out.collect(result);
    }
}
