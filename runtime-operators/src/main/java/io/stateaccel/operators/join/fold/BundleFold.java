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
package io.stateaccel.operators.join.fold;

import static io.stateaccel.operators.join.fold.SideChanges.ALONE;

import io.stateaccel.views.join.Changes;
import io.stateaccel.views.join.InputChangelog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.types.RowKind;

/**
 * Folds the changes that one bundle holds for one join key and side, so that neither the state nor
 * the output sees what came and went.
 */
public interface BundleFold {

    /**
     * @param changes in the order in which they came, {@link BinaryRowData} that belong to the fold
     */
    SideChanges fold(List<RowData> changes) throws Exception;

    /**
     * The fold for the changes of an input.
     *
     * @param changelog what changes come
     * @param identity extracts what tells a row from others, null where nothing but its fields does
     * @param deletes whether {@code -D} is expected of the join: a {@code -U} without a partner
     *     becomes one then, as who reads upserts ignores a {@code -U}
     */
    static BundleFold of(
            InputChangelog changelog,
            @Nullable KeySelector<RowData, RowData> identity,
            boolean deletes) {
        return switch (changelog) {
            case INSERT_ONLY -> INSERTS;
            case RETRACT ->
                    identity != null
                            ? retractionsByKey(identity, deletes)
                            : retractionsByEquality(deletes);
            case UPSERT -> upserts(identity);
        };
    }

    /** Insert-only rows: nothing to fold. */
    BundleFold INSERTS = changes -> SideChanges.alone(Collections.emptyList(), changes);

    /**
     * Changes that replace each other by key: of each key the last addition stays, if nothing
     * retracts it, and the first retraction, which takes away the row from before the bundle. That
     * row may differ in other columns than the key, by which a consumer may know it. If the bundle
     * has added a row of the key before, it is that which the retraction takes away, and whether
     * there is one from before the bundle is not known. There is no {@code -U}, so partners do not
     * matter.
     *
     * @param uniqueKey extracts the key
     */
    private static BundleFold upserts(KeySelector<RowData, RowData> uniqueKey) {
        return changes -> {
            Map<RowData, RowData> firstRetractions = new LinkedHashMap<>();
            Map<RowData, RowData> lastAdditions = new LinkedHashMap<>();
            Map<RowData, RowData> guests = new HashMap<>();
            for (RowData change : changes) {
                RowData key = uniqueKey.getKey(change);
                if (RowDataUtil.isAccumulateMsg(change)) {
                    RowData replaced = lastAdditions.put(key, change);
                    if (replaced != null && replaced.getRowKind() == RowKind.INSERT) {
                        // Nothing was there before the bundle.
                        change.setRowKind(RowKind.INSERT);
                    }
                } else {
                    RowData added = lastAdditions.remove(key);
                    boolean isFirst = firstRetractions.putIfAbsent(key, change) == null;
                    if (isFirst && added != null) {
                        guests.put(key, added);
                    }
                }
            }
            return SideChanges.withGuests(
                    firstRetractions, new ArrayList<>(lastAdditions.values()), guests);
        };
    }

    /**
     * Changes that carry the old row, of rows with a unique key: a retraction takes away the row
     * that the bundle has added with its key. What was there before the bundle and what is there
     * after it are partners if there were only updates in between: a row that is deleted and
     * another that is inserted may have another unique key that is not the same.
     *
     * @param uniqueKey extracts the key
     */
    private static BundleFold retractionsByKey(
            KeySelector<RowData, RowData> uniqueKey, boolean deletes) {
        return changes -> {
            if (!Changes.containRetraction(changes)) {
                return SideChanges.alone(Collections.emptyList(), changes);
            }
            RowData[] remaining = changes.toArray(new RowData[0]);
            int[] partners = nobody(remaining.length);
            Map<RowData, RowOfKey> rows = new HashMap<>();
            for (int i = 0; i < remaining.length; i++) {
                RowOfKey row =
                        rows.computeIfAbsent(uniqueKey.getKey(remaining[i]), k -> new RowOfKey());
                row.isUpdated &= isUpdate(remaining[i]);
                if (RowDataUtil.isAccumulateMsg(remaining[i])) {
                    row.kind = row.kind == null ? remaining[i].getRowKind() : row.kind;
                    row.after = i;
                } else if (row.after != ALONE) {
                    remaining[row.after] = null;
                    remaining[i] = null;
                    row.after = ALONE;
                } else if (row.before == ALONE) {
                    row.before = i;
                }
            }
            for (RowOfKey row : rows.values()) {
                row.findPartners(remaining, partners);
            }
            return SideChanges.withPartners(changes, remaining, partners, deletes);
        };
    }

    /** Where among the changes of a bundle the row of a key is. */
    final class RowOfKey {
        private int before = ALONE;
        private int after = ALONE;

        /** Of the first addition. */
        private RowKind kind;

        /** By all changes. */
        private boolean isUpdated = true;

        private void findPartners(RowData[] changes, int[] partners) {
            if (after == ALONE) {
                return;
            }
            if (before == ALONE) {
                // +I a, -U a, +U b leaves +I b.
                changes[after].setRowKind(kind);
            } else if (isUpdated) {
                partners[before] = after;
                partners[after] = before;
            }
        }
    }

    /**
     * Changes that carry the old row, of rows that nothing but their fields tells apart: an
     * addition and the retraction of an equal row after it both go, as in Flink's mini-batch join.
     * A retraction and an equal row after it both stay, as the retraction may find nothing to take
     * away. Which row took whose place is not to be known, so the first {@code -U} that is left and
     * the first {@code +U} are partners, then the second ones, and so on.
     */
    private static BundleFold retractionsByEquality(boolean deletes) {
        return changes -> {
            if (!Changes.containRetraction(changes)) {
                return SideChanges.alone(Collections.emptyList(), changes);
            }
            RowData[] remaining = changes.toArray(new RowData[0]);
            int insertsGone = cancel(remaining);
            int[] partners = nobody(remaining.length);
            int after = 0;
            for (int before = 0; before < remaining.length; before++) {
                if (!isOfKind(remaining[before], RowKind.UPDATE_BEFORE)) {
                    continue;
                }
                while (after < remaining.length
                        && !isOfKind(remaining[after], RowKind.UPDATE_AFTER)) {
                    after++;
                }
                if (after == remaining.length) {
                    break;
                }
                partners[before] = after;
                partners[after++] = before;
            }
            // +I a, -U a, +U b leaves +I b.
            for (; insertsGone > 0 && after < remaining.length; after++) {
                if (isOfKind(remaining[after], RowKind.UPDATE_AFTER)) {
                    remaining[after].setRowKind(RowKind.INSERT);
                    insertsGone--;
                }
            }
            return SideChanges.withPartners(changes, remaining, partners, deletes);
        };
    }

    /** Returns how many {@code +I} have gone with a {@code -U}. */
    private static int cancel(RowData[] remaining) {
        int insertsGone = 0;
        Map<RowData, Deque<Integer>> added = new HashMap<>();
        for (int i = 0; i < remaining.length; i++) {
            RowData change = remaining[i];
            RowData row = Changes.asInsert(change);
            if (RowDataUtil.isAccumulateMsg(change)) {
                added.computeIfAbsent(row, r -> new ArrayDeque<>(1)).push(i);
                continue;
            }
            Deque<Integer> equalRows = added.get(row);
            if (equalRows != null && !equalRows.isEmpty()) {
                int before = equalRows.pop();
                if (isOfKind(remaining[before], RowKind.INSERT)
                        && isOfKind(change, RowKind.UPDATE_BEFORE)) {
                    insertsGone++;
                }
                remaining[before] = null;
                remaining[i] = null;
            }
        }
        return insertsGone;
    }

    private static boolean isUpdate(RowData change) {
        return change.getRowKind() == RowKind.UPDATE_BEFORE
                || change.getRowKind() == RowKind.UPDATE_AFTER;
    }

    private static boolean isOfKind(RowData change, RowKind kind) {
        return change != null && change.getRowKind() == kind;
    }

    private static int[] nobody(int changes) {
        int[] partners = new int[changes];
        Arrays.fill(partners, ALONE);
        return partners;
    }
}
