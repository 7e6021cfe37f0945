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
package io.stateaccel.operators.bundle;

import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;

/** Makes rows that come in ones that may be kept until the flush. For one thread. */
public final class RowKeeper {

    private final RowDataSerializer serializer;
    private final boolean copyRows;

    /**
     * @param type the rows
     * @param copyRows whether a row may be reused by whoever sent it
     */
    public RowKeeper(InternalTypeInfo<RowData> type, boolean copyRows) {
        this.serializer = type.toRowSerializer();
        this.copyRows = copyRows;
    }

    /** The row as it may be kept; that row itself where possible. */
    public BinaryRowData keep(RowData row) {
        BinaryRowData binary = serializer.toBinaryRow(row);
        // Converting reuses one row per serializer.
        return copyRows || binary != row ? binary.copy() : binary;
    }
}
