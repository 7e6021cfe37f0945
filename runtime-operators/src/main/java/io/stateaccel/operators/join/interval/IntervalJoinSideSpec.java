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
package io.stateaccel.operators.join.interval;

import java.io.Serializable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * One input of an accelerated interval join, insert-only.
 *
 * @param type the rows of this input
 * @param keySelector extracts the join key
 * @param timeColumn the row time, in milliseconds; {@link #ARRIVAL} where rows go by the processing
 *     time at which they came
 * @param isOuter whether rows without a match are in the result, with NULL for the other side
 */
public record IntervalJoinSideSpec(
        InternalTypeInfo<RowData> type,
        RowDataKeySelector keySelector,
        int timeColumn,
        boolean isOuter)
        implements Serializable {

    /** In place of a column. */
    public static final int ARRIVAL = -1;
}
