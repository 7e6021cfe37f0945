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
import java.util.BitSet;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.JoinCondition;

/** Asks the non-equi condition, whichever side a row comes from. */
final class JoinMatcher {

    private final JoinCondition condition;

    JoinMatcher(JoinCondition condition) {
        this.condition = condition;
    }

    boolean matches(JoinSide side, RowData row, RowData other) {
        return side.isLeft ? condition.apply(row, other) : condition.apply(other, row);
    }

    /** Whether any of the other side's rows matches. */
    boolean anyMatches(JoinSide side, RowData row, List<RowData> others) {
        for (int i = 0; i < others.size(); i++) {
            if (matches(side, row, others.get(i))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Which of the rows match any of the other side's, by index. One pass over the other side,
     * which ends when all have a match.
     */
    BitSet matched(JoinSide side, List<RowData> rows, LiveRows others) throws Exception {
        BitSet matched = new BitSet(rows.size());
        if (rows.isEmpty()) {
            return matched;
        }
        Cursor cursor = others.open();
        List<RowData> chunk;
        while (matched.cardinality() < rows.size() && (chunk = cursor.next()) != null) {
            for (int i = 0; i < rows.size(); i++) {
                if (!matched.get(i) && anyMatches(side, rows.get(i), chunk)) {
                    matched.set(i);
                }
            }
        }
        return matched;
    }

    /** How many of the other side's rows match. */
    int count(JoinSide side, RowData row, List<RowData> others) {
        int count = 0;
        for (int i = 0; i < others.size(); i++) {
            if (matches(side, row, others.get(i))) {
                count++;
            }
        }
        return count;
    }

    /**
     * Adds to the number of matches of each row those among the other side's.
     *
     * @param counts by index of a row
     */
    void addMatches(JoinSide side, List<RowData> rows, int[] counts, LiveRows others)
            throws Exception {
        if (rows.isEmpty()) {
            return;
        }
        Cursor cursor = others.open();
        List<RowData> chunk;
        while ((chunk = cursor.next()) != null) {
            for (int i = 0; i < rows.size(); i++) {
                counts[i] += count(side, rows.get(i), chunk);
            }
        }
    }
}
