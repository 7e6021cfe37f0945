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
package io.stateaccel.operators.deduplicate;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.bundle.HeapBudget;
import io.stateaccel.views.time.TimeToLive;
import java.io.Serializable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * Everything a {@link RowTimeFirstRowOperator} is made of.
 *
 * @param rowType the rows
 * @param keySelector extracts the key that is to have one row
 * @param timeColumn the row time, in milliseconds
 * @param ttl of what is known of a key whose row has been emitted
 * @param bundle when a bundle is flushed, which it is at watermarks
 * @param heapBytes that rows which wait may take before they go to the state, see {@link
 *     HeapBudget#open}
 */
public record RowTimeFirstRowSpec(
        InternalTypeInfo<RowData> rowType,
        RowDataKeySelector keySelector,
        int timeColumn,
        TimeToLive ttl,
        BundleSettings bundle,
        long heapBytes)
        implements Serializable {}
