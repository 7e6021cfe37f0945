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
package io.stateaccel.flink.operator;

import org.apache.flink.api.common.functions.DefaultOpenContext;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.functions.util.FunctionUtils;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.FilterCondition;
import org.apache.flink.table.runtime.generated.GeneratedFilterCondition;

/** A generated {@link FilterCondition}, which before 2.1 knows nothing but the row. */
public final class RowCondition {

    private final FilterCondition condition;

    /**
     * @param times not asked for in this line
     */
    public RowCondition(
            GeneratedFilterCondition generated, RuntimeContext runtime, CurrentTimes times)
            throws Exception {
        condition = generated.newInstance(runtime.getUserCodeClassLoader());
        FunctionUtils.setFunctionRuntimeContext(condition, runtime);
        FunctionUtils.openFunction(condition, DefaultOpenContext.INSTANCE);
    }

    /** Whether the row has what is asked for. */
    public boolean holds(StreamRecord<RowData> row) {
        return condition.apply(row.getValue());
    }

    public void close() throws Exception {
        FunctionUtils.closeFunction(condition);
    }
}
