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

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.types.RowKind;

/**
 * Folds the changes that one bundle holds for one join key and side, so that neither the state nor
 * the output sees what came and went.
 */
interface BundleFold {

    /**
     * @param changes in the order in which they came, {@link BinaryRowData} that belong to the fold
     */
    SideChanges fold(List<RowData> changes) throws Exception;

    /** The fold for the changes of an input. */
    static BundleFold of(JoinSideSpec spec) {
        return switch (spec.changelog()) {
            case INSERT_ONLY -> INSERTS;
            case RETRACT -> RETRACTIONS;
            case UPSERT ->
                    // A join key that contains the unique key holds one row: it is the key to fold
                    // by.
                    byKey(
                            spec.uniqueKeys().joinKeyContainsUniqueKey()
                                    ? spec.keySelector().copy()
                                    : spec.uniqueKeys().getUniqueKeySelector());
        };
    }

    /** Insert-only rows: nothing to fold. */
    BundleFold INSERTS = changes -> new SideChanges(Collections.emptyList(), changes);

    /**
     * Changes that carry the old row: an addition and the retraction of an equal row after it both
     * go, as in Flink's mini-batch join. A retraction and an equal row after it both stay, as the
     * retraction may find nothing to take away.
     */
    BundleFold RETRACTIONS = BundleFold::cancel;

    /**
     * Changes that replace each other by key: of each key the last addition stays, if nothing
     * retracts it, and the first retraction, which takes away the row from before the bundle. That
     * row may differ in other columns than the key, by which a consumer may know it.
     *
     * @param uniqueKey extracts the key
     */
    static BundleFold byKey(KeySelector<RowData, RowData> uniqueKey) {
        return changes -> {
            if (changes.size() == 1) {
                return split(changes);
            }
            Map<RowData, RowData> firstRetractions = new LinkedHashMap<>();
            Map<RowData, RowData> lastAdditions = new LinkedHashMap<>();
            for (RowData change : changes) {
                RowData key = uniqueKey.getKey(change);
                if (RowDataUtil.isAccumulateMsg(change)) {
                    lastAdditions.put(key, change);
                } else {
                    lastAdditions.remove(key);
                    firstRetractions.putIfAbsent(key, change);
                }
            }
            return new SideChanges(
                    new ArrayList<>(firstRetractions.values()),
                    new ArrayList<>(lastAdditions.values()));
        };
    }

    private static SideChanges cancel(List<RowData> changes) {
        if (!containsRetraction(changes)) {
            return new SideChanges(Collections.emptyList(), changes);
        }
        if (changes.size() == 1) {
            return new SideChanges(changes, Collections.emptyList());
        }
        RowData[] remaining = changes.toArray(new RowData[0]);
        Map<RowData, Deque<Integer>> added = new HashMap<>();
        boolean droppedDelete = false;
        for (int i = 0; i < remaining.length; i++) {
            RowData change = remaining[i];
            RowData row = asInsert(change);
            if (RowDataUtil.isAccumulateMsg(change)) {
                added.computeIfAbsent(row, r -> new ArrayDeque<>(1)).push(i);
                continue;
            }
            Deque<Integer> equalRows = added.get(row);
            if (equalRows != null && !equalRows.isEmpty()) {
                remaining[equalRows.pop()] = null;
                remaining[i] = null;
                droppedDelete |= change.getRowKind() == RowKind.DELETE;
            }
        }
        List<RowData> kept = new ArrayList<>(remaining.length);
        for (RowData change : remaining) {
            if (change != null) {
                kept.add(change);
            }
        }
        return droppedDelete ? withDeletes(split(kept)) : split(kept);
    }

    /**
     * -U a, +U b, -D b leaves -U a, which must say that the row is gone: whoever reads upserts
     * ignores a -U.
     */
    private static SideChanges withDeletes(SideChanges changes) {
        changes.retractions().forEach(change -> change.setRowKind(RowKind.DELETE));
        return changes;
    }

    private static SideChanges split(Collection<RowData> changes) {
        List<RowData> retractions = new ArrayList<>(changes.size());
        List<RowData> additions = new ArrayList<>(changes.size());
        for (RowData change : changes) {
            (RowDataUtil.isAccumulateMsg(change) ? additions : retractions).add(change);
        }
        return new SideChanges(retractions, additions);
    }

    private static boolean containsRetraction(List<RowData> changes) {
        for (int i = 0; i < changes.size(); i++) {
            if (RowDataUtil.isRetractMsg(changes.get(i))) {
                return true;
            }
        }
        return false;
    }

    /** Rows of different kinds are never equal. */
    private static RowData asInsert(RowData change) {
        if (change.getRowKind() == RowKind.INSERT) {
            return change;
        }
        BinaryRowData row = ((BinaryRowData) change).copy();
        row.setRowKind(RowKind.INSERT);
        return row;
    }
}
