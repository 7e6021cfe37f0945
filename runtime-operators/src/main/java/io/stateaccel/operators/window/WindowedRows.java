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

import io.stateaccel.operators.bundle.HeapBudget;
import java.io.Serializable;
import java.time.ZoneId;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * Rows that tell the end of their window, of row time.
 *
 * @param type the rows
 * @param windowEndIndex the column that has the end of the window
 * @param shiftTimeZone of the windows
 * @param heapBytes what rows may take on the heap, see {@link HeapBudget#open}
 */
public record WindowedRows(
        InternalTypeInfo<RowData> type, int windowEndIndex, ZoneId shiftTimeZone, long heapBytes)
        implements Serializable {}
