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

import java.util.BitSet;
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
    public void join() throws Exception {
        if (!left.retractions().isEmpty()) {
            BitSet matched = matcher.matched(left, left.retractions(), right.rows());
            for (int i = 0; i < left.retractions().size(); i++) {
                if (matched.get(i) != anti) {
                    output.collect(left.retractions().get(i));
                }
            }
        }
        left.retract();
        right.retract();

        emitThoseThatStay(anti, anti ? RowKind.DELETE : kindOfFirst(right.retractions()));
        left.dropReplaced();
        emitThoseThatStay(!anti, anti ? RowKind.INSERT : kindOfFirst(right.additions()));

        if (!left.additions().isEmpty()) {
            BitSet matched = matcher.matched(left, left.additions(), right.rows());
            for (int i = 0; i < left.additions().size(); i++) {
                RowData row = left.additions().get(i);
                boolean matches =
                        matched.get(i) || matcher.anyMatches(left, row, right.additions());
                if (matches != anti) {
                    output.collect(row);
                }
            }
        }
    }

    /**
     * Left rows that stay while the right side changes, and that find their first match or lose
     * their last.
     */
    private void emitThoseThatStay(boolean find, RowKind kind) throws Exception {
        List<RowData> causes = find ? right.additions() : right.retractions();
        List<RowData> obstacles = find ? right.retractions() : right.additions();
        matcher.forThoseThatTurn(
                left,
                causes,
                obstacles,
                right,
                row -> {
                    row.setRowKind(kind);
                    output.collect(row);
                    // The state may own the row.
                    row.setRowKind(RowKind.INSERT);
                });
    }

    private static RowKind kindOfFirst(List<RowData> changes) {
        return changes.isEmpty() ? RowKind.INSERT : changes.get(0).getRowKind();
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
}
