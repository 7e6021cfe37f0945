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

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.bundle.HeapBudget;
import java.io.Serializable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.GeneratedAggsHandleFunction;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * Everything a {@link RowTimeOverOperator} is made of.
 *
 * @param inputType the rows
 * @param keySelector extracts what they are partitioned by
 * @param timeColumn the row time, in milliseconds
 * @param isRows whether the frame is of ROWS, and not a RANGE of time
 * @param preceding the first row of a frame that has one: how many rows there are at most, the
 *     current one included, or milliseconds before the current row; {@link #UNBOUNDED} for all
 * @param aggregates the generated aggregate functions, which retract where frames have a first row
 * @param accumulatorTypes the fields of the accumulator
 * @param retention how long a partition is kept that gets no row; only where Flink has that, which
 *     is not for a RANGE with a first row
 * @param bundle not made use of: rows are worked off when a watermark comes
 * @param heapBytes that rows which wait may take before they go to the state, see {@link
 *     HeapBudget#open}
 */
public record RowTimeOverSpec(
        InternalTypeInfo<RowData> inputType,
        RowDataKeySelector keySelector,
        int timeColumn,
        boolean isRows,
        long preceding,
        GeneratedAggsHandleFunction aggregates,
        LogicalType[] accumulatorTypes,
        IdleRetention retention,
        BundleSettings bundle,
        long heapBytes)
        implements Serializable {

    /** Of frames from the first row of the partition on. */
    public static final long UNBOUNDED = -1;

    boolean isBounded() {
        return preceding != UNBOUNDED;
    }

    /** Whether what a frame has lost, and nothing else, says when a partition may be dropped. */
    boolean isDroppedByRowTime() {
        return isBounded() && !isRows;
    }
}
