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
package io.stateaccel.operators.sort;

import io.stateaccel.operators.bundle.HeapBudget;
import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.GeneratedRecordComparator;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * Everything a {@link HeapRowTimeSortOperator} is made of.
 *
 * @param inputType the rows
 * @param timeColumn the row time, in milliseconds
 * @param comparator of rows of one time; null where they stay as they came
 * @param heapBytes that rows which wait may take before they go to the state, see {@link
 *     HeapBudget#open}
 */
public record HeapRowTimeSortSpec(
        InternalTypeInfo<RowData> inputType,
        int timeColumn,
        @Nullable GeneratedRecordComparator comparator,
        long heapBytes)
        implements Serializable {}
