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
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;

/** A result without ranks: where one row comes another goes, and the other way round. */
record RowSwaps(CountedRows rows, long rankEnd, RankChanges changes) implements ResultMoves {

    /** The row that is now behind the result leaves it. */
    @Override
    public void forAdded(RowData row, RowData sortKey) throws Exception {
        long rank = 0;
        boolean found = false;
        RowData pushedOut = null;
        CountedRows.Walk walk = rows.walk();
        while (rank <= rankEnd && walk.next()) {
            if (!found) {
                rank += walk.count();
                found = walk.isAt(sortKey);
                if (found && rank > rankEnd) {
                    return;
                }
                continue;
            }
            List<RowData> behind = walk.rows();
            if (behind.isEmpty()) {
                continue;
            }
            if (rank + walk.count() > rankEnd) {
                pushedOut = at(rankEnd - rank, behind);
                break;
            }
            rank += walk.count();
        }
        if (pushedOut != null) {
            changes.goes(pushedOut, rankEnd);
        }
        if (found) {
            changes.comes(row, rankEnd);
        }
    }

    /** The first row behind the result comes into it. */
    @Override
    public boolean forRetracted(RowData row, RowData sortKey) throws Exception {
        long nextRank = 1;
        boolean found = false;
        CountedRows.Walk walk = rows.walk();
        while (nextRank <= rankEnd && walk.next()) {
            boolean isPassedOver = found ? nextRank + walk.count() <= rankEnd : !walk.isAt(sortKey);
            if (isPassedOver) {
                nextRank += walk.count();
                continue;
            }
            if (found) {
                List<RowData> behind = walk.rows();
                if (behind.isEmpty()) {
                    continue;
                }
                RowData pulledIn = at(rankEnd - nextRank, behind);
                if (pulledIn != null) {
                    changes.comes(pulledIn, rankEnd);
                }
                break;
            }
            Iterator<RowData> members = walk.rowsToBeChanged().iterator();
            while (members.hasNext() && nextRank <= rankEnd) {
                RowData member = members.next();
                if (!found && member.equals(row)) {
                    changes.goes(member, nextRank);
                    members.remove();
                    found = true;
                    continue;
                }
                if (found && nextRank == rankEnd) {
                    changes.comes(member, nextRank);
                }
                nextRank++;
            }
        }
        return found;
    }

    @Nullable
    private RowData at(long index, List<RowData> behind) {
        if (index < behind.size()) {
            return behind.get((int) index);
        }
        rows.warnOfExpired();
        return null;
    }
}
