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
package io.stateaccel.operators.join;

import io.stateaccel.flink.operator.KeySelectors;
import io.stateaccel.operators.bundle.RowKeeper;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.operators.join.NullAwareJoinHelper;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/** What a join does with the rows of one input before it looks at the other. */
public final class JoinSideInput {

    private final RowDataKeySelector keySelector;
    private final RowKeeper keeper;
    private final int[] nullFilteredKeys;

    /**
     * @param type the rows of this input
     * @param keySelector extracts the join key
     * @param filterNullKeys per key column, whether NULL matches nothing
     * @param copyRows whether a row may be reused by whoever sent it
     */
    public JoinSideInput(
            InternalTypeInfo<RowData> type,
            RowDataKeySelector keySelector,
            boolean[] filterNullKeys,
            boolean copyRows) {
        this.keySelector = KeySelectors.copy(keySelector);
        this.keeper = new RowKeeper(type, copyRows);
        this.nullFilteredKeys = NullAwareJoinHelper.getNullFilterKeys(filterNullKeys);
    }

    public RowData keyOf(RowData row) throws Exception {
        return keySelector.getKey(row);
    }

    /** Whether a NULL in the key keeps the row from ever having a match, or being one. */
    public boolean matchesNothing(RowData key) {
        return nullFilteredKeys.length > 0 && ((BinaryRowData) key).anyNull(nullFilteredKeys);
    }

    /** The row as it may be kept until the flush. */
    public BinaryRowData toBuffer(RowData row) {
        return keeper.keep(row);
    }
}
