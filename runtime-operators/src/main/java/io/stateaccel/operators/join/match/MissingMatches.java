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
package io.stateaccel.operators.join.match;

import io.stateaccel.views.join.LiveRows;
import io.stateaccel.views.join.LiveRows.Cursor;
import io.stateaccel.views.join.LoadedRecords;
import io.stateaccel.views.join.records.UncountedRecords;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.JoinCondition;

/**
 * Counts the matches of rows that a snapshot has without, as the join had no state TTL when it was
 * taken: {@link DerivedMatches} does without them, {@link StoredMatches} does not. As nothing had
 * expired, what is there is what Flink would have counted. All of that is done before the first
 * row, as Flink migrates states; so no later one finds a row that has not been counted, and expires
 * without having been.
 */
public final class MissingMatches {

    private final JoinMatcher matcher;
    private final JoinSide left;
    private final JoinSide right;
    @Nullable private final UncountedRecords leftBefore;
    @Nullable private final UncountedRecords rightBefore;

    /**
     * @param condition the non-equi condition, opened
     * @param leftBefore left rows without the number of their matches, null if there are none
     * @param rightBefore right ones
     */
    public MissingMatches(
            JoinCondition condition,
            JoinSide left,
            JoinSide right,
            @Nullable UncountedRecords leftBefore,
            @Nullable UncountedRecords rightBefore) {
        this.matcher = new JoinMatcher(condition);
        this.left = left;
        this.right = right;
        this.leftBefore = leftBefore;
        this.rightBefore = rightBefore;
    }

    /**
     * Has all rows be stored with the number of their matches.
     *
     * @param backend holds them; any key is the current one afterwards
     */
    public void count(KeyedStateBackend<RowData> backend) throws Exception {
        if (leftBefore != null) {
            leftBefore.moveKeys(backend, this::countKey);
        }
        if (rightBefore != null) {
            rightBefore.moveKeys(backend, this::countKey);
        }
    }

    private void countKey(RowData key) throws Exception {
        LoadedRecords leftRows = leftBefore == null ? left::stored : leftBefore;
        LoadedRecords rightRows = rightBefore == null ? right::stored : rightBefore;
        if (leftBefore != null) {
            countRows(key, left, leftRows.records(key), right, rightRows.records(key));
        }
        if (rightBefore != null) {
            countRows(key, right, rightRows.records(key), left, leftRows.records(key));
            rightBefore.clear(key);
        }
        if (leftBefore != null) {
            leftBefore.clear(key);
        }
    }

    private void countRows(
            RowData key, JoinSide side, LiveRows rows, JoinSide other, LiveRows others)
            throws Exception {
        Cursor cursor = rows.open();
        List<RowData> chunk;
        while ((chunk = cursor.next()) != null) {
            if (!chunk.isEmpty()) {
                side.store(key, chunk, matchesOf(side, chunk, other, others));
            }
        }
    }

    private int[] matchesOf(JoinSide side, List<RowData> rows, JoinSide other, LiveRows others)
            throws Exception {
        int[] matches = new int[rows.size()];
        if (other.isInsertOnly()) {
            matcher.matched(side, rows, others).stream().forEach(i -> matches[i] = 1);
        } else {
            matcher.addMatches(side, rows, matches, others);
        }
        return matches;
    }
}
