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
package io.stateaccel.views.join;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;

/**
 * Rows are a multiset: a retraction takes one equal row away, and does nothing where there is none,
 * as in the {@code InputSideHasNoUniqueKey} view of Flink's {@code JoinRecordStateViews}.
 */
final class CountedFold implements ChangeFold {

    private final RowLog log;

    /**
     * @param log the stored changes are from
     */
    CountedFold(RowLog log) {
        this.log = log;
    }

    @Override
    public List<RowData> fold(List<RowData> stored) {
        if (!hasRetraction(stored)) {
            return stored;
        }
        Map<RowData, EqualRows> groups = new LinkedHashMap<>();
        for (RowData change : stored) {
            if (RowDataUtil.isAccumulateMsg(change)) {
                groups.computeIfAbsent(StoredRows.fieldsOf(change), row -> new EqualRows())
                        .add(change);
            } else {
                EqualRows rows = groups.get(StoredRows.asInsert(change));
                if (rows != null) {
                    rows.retract();
                }
            }
        }
        List<RowData> live = new ArrayList<>(stored.size());
        groups.values().forEach(rows -> rows.addLiveTo(live));
        return live;
    }

    @Override
    public List<RowData> without(List<RowData> live, List<RowData> changes) {
        if (changes.isEmpty() || RowDataUtil.isAccumulateMsg(changes.get(0))) {
            return live;
        }
        Map<RowData, Long> retracted = new HashMap<>();
        for (RowData change : changes) {
            retracted.merge(StoredRows.asInsert(change), 1L, Long::sum);
        }
        List<RowData> remaining = new ArrayList<>(live.size());
        for (RowData row : live) {
            RowData fields = StoredRows.fieldsOf(row);
            long due = retracted.getOrDefault(fields, 0L);
            if (due == 0) {
                remaining.add(row);
                continue;
            }
            long count = StoredRows.countOf(row);
            long taken = Math.min(due, count);
            retracted.put(fields, due - taken);
            if (count > taken) {
                remaining.add(StoredRows.repeated(row, count - taken));
            }
        }
        return remaining;
    }

    @Override
    public List<RowData> pack(List<RowData> live) {
        Map<RowData, EqualRows> groups = new LinkedHashMap<>();
        for (RowData row : live) {
            groups.computeIfAbsent(StoredRows.fieldsOf(row), fields -> new EqualRows()).add(row);
        }
        if (groups.size() == live.size()) {
            return live;
        }
        List<RowData> packed = new ArrayList<>(groups.size());
        for (EqualRows rows : groups.values()) {
            RowData youngest = rows.rows.get(rows.rows.size() - 1);
            packed.add(rows.rows.size() == 1 ? youngest : log.repeated(youngest, rows.count));
        }
        return packed;
    }

    @Override
    public int hash(RowData row) {
        return row.hashCode();
    }

    @Override
    public int garbageOf(RowData change) {
        return RowDataUtil.isRetractMsg(change) ? 2 : 0;
    }

    private static boolean hasRetraction(List<RowData> changes) {
        for (int i = 0; i < changes.size(); i++) {
            if (RowDataUtil.isRetractMsg(changes.get(i))) {
                return true;
            }
        }
        return false;
    }

    /** Rows with the same fields, oldest first. */
    private final class EqualRows {
        final List<RowData> rows = new ArrayList<>(1);
        long count;
        long retracted;

        void add(RowData row) {
            rows.add(row);
            count += StoredRows.countOf(row);
        }

        void retract() {
            if (retracted < count) {
                retracted++;
            }
        }

        /** The oldest go: what stays is what would expire last. */
        void addLiveTo(List<RowData> live) {
            long due = retracted;
            for (RowData row : rows) {
                long taken = Math.min(due, StoredRows.countOf(row));
                due -= taken;
                if (taken == 0) {
                    live.add(row);
                } else if (taken < StoredRows.countOf(row)) {
                    live.add(log.repeated(row, StoredRows.countOf(row) - taken));
                }
            }
        }
    }
}
