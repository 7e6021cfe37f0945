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

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;

/**
 * SEMI and ANTI joins: the left rows that have a match, or those that have none. Kinds are those of
 * Flink's {@code StreamingSemiAntiJoinOperator}: a left change keeps its own; a left row that comes
 * or goes with a right change takes that one's in a SEMI join, {@code -D} or {@code +I} in an ANTI
 * join.
 */
final class FilteringJoin implements KeyJoin {

    private final JoinSide left;
    private final JoinSide right;
    private final boolean anti;
    private final JoinMatcher matcher;
    private final Output output;

    FilteringJoin(JoinSide left, JoinSide right, boolean anti, JoinMatcher matcher, Output output) {
        this.left = left;
        this.right = right;
        this.anti = anti;
        this.matcher = matcher;
        this.output = output;
    }

    @Override
    public void join(SideChanges leftChanges, SideChanges rightChanges) throws Exception {
        left.begin(leftChanges, !rightChanges.isEmpty());
        right.begin(rightChanges, true);

        for (RowData row : left.retractions()) {
            if (matcher.anyMatches(left, row, right.rows()) != anti) {
                output.collect(row);
            }
        }
        left.retract();
        right.retract();

        List<RowData> coming = emitGoingAndReturnComing();
        for (RowData row : coming) {
            emitStored(row, anti ? RowKind.INSERT : right.additions().get(0).getRowKind());
        }
        for (RowData row : left.additions()) {
            boolean matched =
                    matcher.anyMatches(left, row, right.rows())
                            || matcher.anyMatches(left, row, right.additions());
            if (matched != anti) {
                output.collect(row);
            }
        }
    }

    /** Left rows that stay while the right side changes. */
    private List<RowData> emitGoingAndReturnComing() {
        List<RowData> coming = new ArrayList<>();
        for (RowData row : left.rows()) {
            boolean loses = matcher.anyMatches(left, row, right.retractions());
            boolean finds = matcher.anyMatches(left, row, right.additions());
            if (loses == finds || matcher.anyMatches(left, row, right.rows())) {
                continue;
            }
            if (finds != anti) {
                coming.add(row);
            } else {
                emitStored(row, anti ? RowKind.DELETE : right.retractions().get(0).getRowKind());
            }
        }
        return coming;
    }

    @Override
    public void joinUnmatchable(SideChanges leftChanges, SideChanges rightChanges) {
        leftChanges.retractions().forEach(output::collect);
        leftChanges.additions().forEach(output::collect);
    }

    @Override
    public boolean keepsUnmatchable(boolean isLeft) {
        return isLeft && anti;
    }

    /** The state may own the row: its kind is set for the moment only. */
    private void emitStored(RowData row, RowKind kind) {
        row.setRowKind(kind);
        output.collect(row);
        row.setRowKind(RowKind.INSERT);
    }
}
