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

import io.stateaccel.views.join.Changes;
import io.stateaccel.views.join.log.StoredRows;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;

/**
 * Rows that are kept with the number of their matches: entries, see {@link StoredRows#entry}, of
 * which the last one of a row says all that there is to say of it, and tombstones.
 */
public final class EntryFold implements ChangeFold {

    @Nullable private final KeySelector<RowData, RowData> uniqueKey;

    /**
     * @param uniqueKey extracts the unique key of a row, null where nothing but its fields tells
     *     rows apart
     */
    public EntryFold(@Nullable KeySelector<RowData, RowData> uniqueKey) {
        this.uniqueKey = uniqueKey;
    }

    /** What tells a stored row from others. */
    private RowData identityOf(RowData stored) throws Exception {
        return uniqueKey == null ? StoredRows.fieldsOf(stored) : uniqueKey.getKey(stored);
    }

    @Override
    public List<RowData> fold(List<RowData> stored) throws Exception {
        if (stored.size() == 1 && RowDataUtil.isAccumulateMsg(stored.get(0))) {
            return stored;
        }
        Map<RowData, RowData> live = new LinkedHashMap<>();
        for (RowData record : stored) {
            if (RowDataUtil.isAccumulateMsg(record)) {
                live.put(identityOf(record), record);
            } else {
                live.remove(identityOf(record));
            }
        }
        return new ArrayList<>(live.values());
    }

    @Override
    public List<RowData> without(List<RowData> live, List<RowData> changes) throws Exception {
        int[] counts = countsWithout(live, Collections.singletonList(changes));
        List<RowData> remaining = new ArrayList<>(live.size());
        for (int i = 0; i < counts.length; i++) {
            RowData entry = live.get(i);
            if (counts[i] == StoredRows.countOf(entry)) {
                remaining.add(entry);
            } else if (counts[i] > 0) {
                remaining.add(
                        StoredRows.entry(
                                StoredRows.fieldsOf(entry),
                                counts[i],
                                StoredRows.matchesOf(entry)));
            }
        }
        return remaining;
    }

    /**
     * How often each row is there without what changes take away or replace.
     *
     * @param live as {@link #fold} returns them
     * @param changes one after the other, each only retractions or only additions
     */
    public int[] countsWithout(List<RowData> live, List<List<RowData>> changes) throws Exception {
        int[] counts = new int[live.size()];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = Math.toIntExact(StoredRows.countOf(live.get(i)));
        }
        for (List<RowData> some : changes) {
            if (uniqueKey == null) {
                takeRetracted(live, counts, some);
            } else {
                takeKeys(live, counts, some);
            }
        }
        return counts;
    }

    private static void takeRetracted(List<RowData> live, int[] counts, List<RowData> changes) {
        Map<RowData, Integer> retracted = new HashMap<>();
        for (RowData change : changes) {
            if (RowDataUtil.isRetractMsg(change)) {
                retracted.merge(Changes.asInsert(change), 1, Integer::sum);
            }
        }
        if (retracted.isEmpty()) {
            return;
        }
        for (int i = 0; i < counts.length; i++) {
            int taken = retracted.getOrDefault(StoredRows.fieldsOf(live.get(i)), 0);
            counts[i] = Math.max(0, counts[i] - taken);
        }
    }

    private void takeKeys(List<RowData> live, int[] counts, List<RowData> changes)
            throws Exception {
        Set<RowData> keys = new HashSet<>();
        for (RowData change : changes) {
            keys.add(uniqueKey.getKey(change));
        }
        for (int i = 0; i < counts.length; i++) {
            if (keys.contains(uniqueKey.getKey(live.get(i)))) {
                counts[i] = 0;
            }
        }
    }

    @Override
    public List<RowData> pack(List<RowData> live) {
        return live;
    }

    @Override
    public int hash(RowData row) throws Exception {
        return uniqueKey == null ? row.hashCode() : uniqueKey.getKey(row).hashCode();
    }

    @Override
    public int garbageOf(RowData record) {
        return RowDataUtil.isAccumulateMsg(record) ? 1 : 2;
    }
}
