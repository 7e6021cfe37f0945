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

import java.util.Collections;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.operators.join.NullAwareJoinHelper;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;

/** What a join does with the rows of one input before it looks at the other. */
final class JoinSideInput {

    private static final SideChanges NO_CHANGES =
            new SideChanges(Collections.emptyList(), Collections.emptyList());

    private final RowDataKeySelector keySelector;
    private final RowDataSerializer serializer;
    private final int[] nullFilteredKeys;
    private final boolean copyRows;
    private final BundleFold fold;

    /**
     * @param filterNullKeys per key column, whether NULL matches nothing
     * @param copyRows whether a row may be reused by whoever sent it
     */
    JoinSideInput(JoinSideSpec spec, boolean[] filterNullKeys, boolean copyRows) {
        this.keySelector = spec.keySelector().copy();
        this.serializer = spec.type().toRowSerializer();
        this.nullFilteredKeys = NullAwareJoinHelper.getNullFilterKeys(filterNullKeys);
        this.copyRows = copyRows;
        this.fold = foldOf(spec);
    }

    RowData keyOf(RowData row) throws Exception {
        return keySelector.getKey(row);
    }

    /** Whether a NULL in the key keeps the row from ever having a match, or being one. */
    boolean matchesNothing(RowData key) {
        return nullFilteredKeys.length > 0 && ((BinaryRowData) key).anyNull(nullFilteredKeys);
    }

    /** The row as it may be kept until the flush. */
    RowData toBuffer(RowData row) {
        BinaryRowData binary = serializer.toBinaryRow(row);
        // Converting reuses one row per serializer.
        return copyRows || binary != row ? binary.copy() : binary;
    }

    /** What is left of the changes of one key when those that undo each other are dropped. */
    SideChanges fold(List<RowData> changes) throws Exception {
        return changes.isEmpty() ? NO_CHANGES : fold.fold(changes);
    }

    private static BundleFold foldOf(JoinSideSpec spec) {
        return switch (spec.changelog()) {
            case INSERT_ONLY -> BundleFold.INSERTS;
            case RETRACT -> BundleFold.RETRACTIONS;
            case UPSERT ->
                    // A join key that contains the unique key holds one row: it is the key to fold
                    // by.
                    BundleFold.byKey(
                            spec.uniqueKeys().joinKeyContainsUniqueKey()
                                    ? spec.keySelector().copy()
                                    : spec.uniqueKeys().getUniqueKeySelector());
        };
    }
}
