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
import io.stateaccel.views.time.TimeToLive;
import java.io.Serializable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.GeneratedAggsHandleFunction;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * Everything a {@link ProcessingTimeOverOperator} is made of.
 *
 * @param inputType the rows
 * @param keySelector extracts what they are partitioned by
 * @param isRows whether the frame is of ROWS, and not a RANGE of time; makes no difference where it
 *     has no first row
 * @param preceding the first row of a frame that has one: how many rows there are at most, the
 *     current one included, which are at least two; or milliseconds before the current row, at
 *     least one; {@link RowTimeOverSpec#UNBOUNDED} for all
 * @param aggregates the generated aggregate functions, which retract where frames have a first row
 * @param accumulatorTypes the fields of the accumulator
 * @param ttl of an accumulator after its last row, where frames have no first row
 * @param retention how long a partition is kept that gets no row, where the frame is of so many
 *     rows
 * @param bundle when bundles end
 */
public record ProcessingTimeOverSpec(
        InternalTypeInfo<RowData> inputType,
        RowDataKeySelector keySelector,
        boolean isRows,
        long preceding,
        GeneratedAggsHandleFunction aggregates,
        LogicalType[] accumulatorTypes,
        TimeToLive ttl,
        IdleRetention retention,
        BundleSettings bundle)
        implements Serializable {

    boolean isBounded() {
        return preceding != RowTimeOverSpec.UNBOUNDED;
    }
}
