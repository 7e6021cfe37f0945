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
package io.stateaccel.views.join.fold;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;

/**
 * Rows have a unique key: the last change of a key wins, whatever its fields, as in the {@code
 * InputSideHasUniqueKey} view of Flink's {@code JoinRecordStateViews}.
 */
final class UniqueKeyFold implements ChangeFold {

    private final KeySelector<RowData, RowData> uniqueKey;
    private final boolean upsert;

    /**
     * @param uniqueKey extracts the unique key of a row
     * @param upsert whether {@code +U} replaces a row that no {@code -U} has taken away
     */
    UniqueKeyFold(KeySelector<RowData, RowData> uniqueKey, boolean upsert) {
        this.uniqueKey = uniqueKey;
        this.upsert = upsert;
    }

    @Override
    public List<RowData> fold(List<RowData> stored) throws Exception {
        if (stored.size() == 1 && RowDataUtil.isAccumulateMsg(stored.get(0))) {
            return stored;
        }
        Map<RowData, RowData> live = new LinkedHashMap<>();
        for (RowData change : stored) {
            RowData key = uniqueKey.getKey(change);
            if (RowDataUtil.isAccumulateMsg(change)) {
                live.put(key, change);
            } else {
                live.remove(key);
            }
        }
        return new ArrayList<>(live.values());
    }

    @Override
    public List<RowData> without(List<RowData> live, List<RowData> changes) throws Exception {
        if (changes.isEmpty()) {
            return live;
        }
        Set<RowData> changed = new HashSet<>();
        for (RowData change : changes) {
            changed.add(uniqueKey.getKey(change));
        }
        List<RowData> remaining = new ArrayList<>(live.size());
        for (RowData row : live) {
            if (!changed.contains(uniqueKey.getKey(row))) {
                remaining.add(row);
            }
        }
        return remaining;
    }

    @Override
    public List<RowData> pack(List<RowData> live) {
        return live;
    }

    @Override
    public int hash(RowData row) throws Exception {
        return uniqueKey.getKey(row).hashCode();
    }

    @Override
    public int garbageOf(RowData change) {
        return switch (change.getRowKind()) {
            case INSERT -> 0;
            case UPDATE_AFTER -> upsert ? 1 : 0;
            case UPDATE_BEFORE, DELETE -> 2;
        };
    }
}
