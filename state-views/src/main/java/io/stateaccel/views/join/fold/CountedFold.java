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
import io.stateaccel.views.join.log.RowLog;
import io.stateaccel.views.join.log.StoredRows;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;

/**
 * Rows are a multiset: a retraction takes one equal row away, and does nothing where there is none,
 * as in the {@code InputSideHasNoUniqueKey} view of Flink's {@code JoinRecordStateViews}.
 *
 * <p>It takes the youngest. Where rows expire, a retraction may be there for longer than the row it
 * took away; it finds no other one then, as all that came between the two went with retractions
 * between the two. So it does not matter when expired rows, or a retraction and its row, leave the
 * state. If the oldest went, the retraction would take another row as soon as that one has expired.
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
        if (!Changes.containRetraction(stored)) {
            return stored;
        }
        Map<RowData, EqualRows> groups = new LinkedHashMap<>();
        for (RowData change : stored) {
            if (RowDataUtil.isAccumulateMsg(change)) {
                groups.computeIfAbsent(StoredRows.fieldsOf(change), row -> new EqualRows())
                        .add(change);
            } else {
                EqualRows rows = groups.get(Changes.asInsert(change));
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
            retracted.merge(Changes.asInsert(change), 1L, Long::sum);
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
        groups.values().forEach(rows -> rows.addPackedTo(packed));
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

    /** Rows with the same fields, oldest first. */
    private final class EqualRows {
        private final List<RowData> rows = new ArrayList<>(1);

        void add(RowData row) {
            rows.add(row);
        }

        void retract() {
            if (rows.isEmpty()) {
                return;
            }
            RowData youngest = rows.remove(rows.size() - 1);
            long count = StoredRows.countOf(youngest) - 1;
            if (count > 0) {
                rows.add(log.repeated(youngest, count));
            }
        }

        void addLiveTo(List<RowData> live) {
            live.addAll(rows);
        }

        /** Rows of about the same age become one. */
        void addPackedTo(List<RowData> packed) {
            Deque<RowData> youngestFirst = new ArrayDeque<>(1);
            int i = rows.size() - 1;
            while (i >= 0) {
                RowData youngest = rows.get(i);
                long count = 0;
                int merged = 0;
                while (i >= 0 && log.mayBecomeAsYoung(rows.get(i), youngest)) {
                    count += StoredRows.countOf(rows.get(i--));
                    merged++;
                }
                youngestFirst.push(merged == 1 ? youngest : log.repeated(youngest, count));
            }
            packed.addAll(youngestFirst);
        }
    }
}
