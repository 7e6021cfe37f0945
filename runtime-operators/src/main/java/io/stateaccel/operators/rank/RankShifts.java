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
package io.stateaccel.operators.rank;

import java.util.Iterator;
import java.util.List;
import org.apache.flink.table.data.RowData;

/** A result with ranks: all rows behind one that comes or goes take the next rank or the last. */
record RankShifts(CountedRows rows, long rankEnd, RankChanges changes) implements ResultMoves {

    @Override
    public void forAdded(RowData row, RowData sortKey) throws Exception {
        long rank = 0;
        RowData shifted = null;
        CountedRows.Walk walk = rows.walk();
        while (rank <= rankEnd && walk.next()) {
            if (shifted == null) {
                rank += walk.count();
                shifted = walk.isAt(sortKey) ? row : null;
                continue;
            }
            List<RowData> behind = walk.rows();
            for (int i = 0; i < behind.size() && rank <= rankEnd; i++) {
                changes.goes(behind.get(i), rank);
                changes.comes(shifted, rank);
                shifted = behind.get(i);
                rank++;
            }
        }
        if (rank <= rankEnd) {
            changes.comes(shifted, rank);
        }
    }

    @Override
    public boolean forRetracted(RowData row, RowData sortKey) throws Exception {
        long rank = 0;
        RowData gone = null;
        CountedRows.Walk walk = rows.walk();
        while (rank <= rankEnd && walk.next()) {
            boolean isOwn = gone == null && walk.isAt(sortKey);
            if (gone == null && !isOwn) {
                rank += walk.count();
                continue;
            }
            Iterator<RowData> members = (isOwn ? walk.rowsToBeChanged() : walk.rows()).iterator();
            while (members.hasNext() && rank <= rankEnd) {
                RowData member = members.next();
                if (gone != null) {
                    changes.goes(gone, rank);
                    changes.comes(member, rank);
                    gone = member;
                } else if (member.equals(row)) {
                    gone = member;
                    members.remove();
                }
                rank++;
            }
        }
        if (rank <= rankEnd) {
            if (gone == null) {
                rows.warnOfExpired();
            } else {
                changes.goes(gone, rank);
            }
        }
        return gone != null;
    }
}
