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

import io.stateaccel.flink.operator.SessionRowsOperator;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;

/** Flink's operator, made as ours is in each line. */
final class StockSessionRows extends SessionRowsOperator {

    private static final long serialVersionUID = 1L;

    StockSessionRows(SessionWindows windows, RowDataSerializer rowSerializer) {
        super(
                HeapSessionRows.assigner(windows),
                rowSerializer,
                windows.timeIndex(),
                windows.shiftTimeZone());
    }
}
