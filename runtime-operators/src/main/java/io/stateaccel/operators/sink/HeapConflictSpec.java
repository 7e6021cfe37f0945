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
package io.stateaccel.operators.sink;

import io.stateaccel.operators.bundle.HeapBudget;
import io.stateaccel.views.time.TimeToLive;
import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.GeneratedRecordEqualiser;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * Everything a {@link HeapConflictOperator} is made of.
 *
 * @param failsOnConflict whether rows that are in conflict fail the job; the first one stays
 *     otherwise
 * @param rowType the rows
 * @param rows compares them
 * @param upsertKeys compares what the query knows its rows by, null where that is all of a row
 * @param upsertKey these columns, null likewise
 * @param primaryKey the columns of the sink's primary key
 * @param primaryKeyNames their names
 * @param ttl of the row of a key that is in the sink
 * @param heapBytes that changes which wait may take before they go to the state, see {@link
 *     HeapBudget#open}
 */
public record HeapConflictSpec(
        boolean failsOnConflict,
        InternalTypeInfo<RowData> rowType,
        GeneratedRecordEqualiser rows,
        @Nullable GeneratedRecordEqualiser upsertKeys,
        @Nullable int[] upsertKey,
        RowType primaryKey,
        String[] primaryKeyNames,
        TimeToLive ttl,
        long heapBytes)
        implements Serializable {}
