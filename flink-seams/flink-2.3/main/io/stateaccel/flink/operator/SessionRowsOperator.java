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

import java.time.ZoneId;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.table.runtime.operators.window.groupwindow.assigners.GroupWindowAssigner;
import org.apache.flink.table.runtime.operators.window.tvf.operator.UnalignedWindowTableFunctionOperator;

/** {@link UnalignedWindowTableFunctionOperator}, which is told the precision of times. */
public abstract class SessionRowsOperator extends UnalignedWindowTableFunctionOperator {

    /**
     * @param windows opened by rows
     * @param rows their serializer
     * @param timeIndex the column with the time of a row, on row time
     * @param shiftTimeZone of the windows
     */
    protected SessionRowsOperator(
            GroupWindowAssigner<TimeWindow> windows,
            TypeSerializer<RowData> rows,
            int timeIndex,
            ZoneId shiftTimeZone) {
        super(windows, new TimeWindow.Serializer(), rows, timeIndex, 3, shiftTimeZone);
    }
}
