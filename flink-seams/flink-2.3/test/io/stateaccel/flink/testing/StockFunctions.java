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
package io.stateaccel.flink.testing;

import javax.annotation.Nullable;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.GeneratedFilterCondition;
import org.apache.flink.table.runtime.generated.GeneratedRecordEqualiser;
import org.apache.flink.table.runtime.operators.deduplicate.ProcTimeDeduplicateKeepLastRowFunction;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/** Flink's functions, for tests that compare with them; constructors differ between lines. */
public final class StockFunctions {

    private StockFunctions() {}

    /** Keeps the last row to come of rows that are only inserted. */
    public static KeyedProcessFunction<RowData, RowData, RowData> lastRow(
            InternalTypeInfo<RowData> type,
            long ttlMillis,
            boolean generateUpdateBefore,
            boolean generateInsert,
            GeneratedRecordEqualiser equaliser) {
        return new ProcTimeDeduplicateKeepLastRowFunction(
                type, ttlMillis, generateUpdateBefore, generateInsert, true, equaliser, null);
    }

    /**
     * Normalises a changelog.
     *
     * @param condition that rows have to meet, null if none
     */
    public static KeyedProcessFunction<RowData, RowData, RowData> normalize(
            InternalTypeInfo<RowData> type,
            long ttlMillis,
            boolean generateUpdateBefore,
            @Nullable GeneratedFilterCondition condition,
            GeneratedRecordEqualiser equaliser) {
        return new ProcTimeDeduplicateKeepLastRowFunction(
                type, ttlMillis, generateUpdateBefore, true, false, equaliser, condition);
    }
}
