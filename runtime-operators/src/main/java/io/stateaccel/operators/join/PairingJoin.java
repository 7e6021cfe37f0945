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

import io.stateaccel.views.join.LiveRows;
import io.stateaccel.views.join.LiveRows.Cursor;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.types.RowKind;

/**
 * INNER, LEFT, RIGHT and FULL joins: pairs of rows that match and, of a padded side, rows that
 * match nothing beside NULLs.
 *
 * <p>Outer joins emit {@code +I} and {@code -D}; an inner join emits the kind of the change that
 * makes or ends a pair, as Flink's {@code StreamingJoinOperator} does and its planner relies on.
 *
 * <p>Whether a row has a match is worked out from the rows that are read to join; nothing is stored
 * for it, for any join type. Flink stores a count of matches with each row of a padded side ({@code
 * OuterJoinRecordStateView}) and writes it anew with each match. CPU per input row of q4's join as
 * LEFT and as INNER, on RocksDB (JMH, {@code docs/benchmarks.md}): 1.1 and 1.0 microseconds here
 * with full bundles, 21.0 and 9.0 in Flink's operator: the counts cost it 12, working them out
 * costs 0.1.
 */
final class PairingJoin implements KeyJoin {

    private static final List<RowData> NO_ROWS = Collections.emptyList();

    private final JoinSide left;
    private final JoinSide right;
    private final boolean padsLeft;
    private final boolean padsRight;
    private final RowData noLeftRow;
    private final RowData noRightRow;
    private final JoinMatcher matcher;
    private final Output output;
    private final JoinedRowData joined = new JoinedRowData();

    /**
     * @param padsLeft whether left rows without a match are in the result
     * @param padsRight whether right rows without a match are in the result
     * @param leftArity columns of the left side
     * @param rightArity columns of the right side
     */
    PairingJoin(
            JoinSide left,
            JoinSide right,
            boolean padsLeft,
            boolean padsRight,
            int leftArity,
            int rightArity,
            JoinMatcher matcher,
            Output output) {
        this.left = left;
        this.right = right;
        this.padsLeft = padsLeft;
        this.padsRight = padsRight;
        this.noLeftRow = new GenericRowData(leftArity);
        this.noRightRow = new GenericRowData(rightArity);
        this.matcher = matcher;
        this.output = output;
    }

    @Override
    public void join() throws Exception {
        if (!left.retractions().isEmpty()) {
            List<RowData> rows = left.retractions();
            BitSet matched = emitPairs(left, rows, RowKind.DELETE, right.rows());
            if (padsLeft) {
                emitUnmatched(left, rows, RowKind.DELETE, matched, NO_ROWS);
            }
        }
        left.retract();
        if (!right.retractions().isEmpty()) {
            List<RowData> rows = right.retractions();
            BitSet matched = emitPairs(right, rows, RowKind.DELETE, left.rows());
            if (padsRight) {
                emitUnmatched(right, rows, RowKind.DELETE, matched, left.retractions());
            }
        }
        right.retract();

        // Padded rows that stay and find their first match are gone as such.
        emitTurning(left, right, RowKind.DELETE, right.additions(), right.retractions());
        emitTurning(right, left, RowKind.DELETE, left.additions(), left.retractions());
        left.dropReplaced();
        right.dropReplaced();
        // Rows that stay and lose their last match are padded from now on.
        emitTurning(left, right, RowKind.INSERT, right.retractions(), right.additions());
        emitTurning(right, left, RowKind.INSERT, left.retractions(), left.additions());

        if (!left.additions().isEmpty()) {
            List<RowData> rows = left.additions();
            BitSet matched = emitPairs(left, rows, RowKind.INSERT, right.rows());
            if (padsLeft) {
                emitUnmatched(left, rows, RowKind.INSERT, matched, right.additions());
            }
        }
        if (!right.additions().isEmpty()) {
            List<RowData> rows = right.additions();
            BitSet matched = emitPairs(right, rows, RowKind.INSERT, left.rows());
            emitPairs(right, rows, RowKind.INSERT, left.additions(), matched);
            if (padsRight) {
                emitUnmatched(right, rows, RowKind.INSERT, matched, NO_ROWS);
            }
        }
    }

    private void emitTurning(
            JoinSide side,
            JoinSide other,
            RowKind kind,
            List<RowData> causes,
            List<RowData> obstacles)
            throws Exception {
        if (side.isLeft ? padsLeft : padsRight) {
            matcher.forThoseThatTurn(
                    side, causes, obstacles, other, row -> emitPadded(side, row, kind));
        }
    }

    @Override
    public void joinUnmatchable(SideChanges leftChanges, SideChanges rightChanges) {
        emitAllPadded(left, leftChanges);
        emitAllPadded(right, rightChanges);
    }

    @Override
    public boolean keepsUnmatchable(boolean isLeft) {
        return isLeft ? padsLeft : padsRight;
    }

    private void emitAllPadded(JoinSide side, SideChanges changes) {
        for (RowData row : changes.retractions()) {
            emitPadded(side, row, RowKind.DELETE);
        }
        for (RowData row : changes.additions()) {
            emitPadded(side, row, RowKind.INSERT);
        }
    }

    /** Returns which of the changes have a match, by index. */
    private BitSet emitPairs(JoinSide side, List<RowData> changes, RowKind outer, LiveRows others)
            throws Exception {
        BitSet matched = new BitSet(changes.size());
        Cursor cursor = others.open();
        List<RowData> chunk;
        while ((chunk = cursor.next()) != null) {
            emitPairs(side, changes, outer, chunk, matched);
        }
        return matched;
    }

    private void emitPairs(
            JoinSide side,
            List<RowData> changes,
            RowKind outer,
            List<RowData> others,
            BitSet matched) {
        for (int c = 0; c < changes.size(); c++) {
            RowData change = changes.get(c);
            joined.setRowKind(padsLeft || padsRight ? outer : change.getRowKind());
            for (int i = 0; i < others.size(); i++) {
                RowData other = others.get(i);
                if (matcher.matches(side, change, other)) {
                    matched.set(c);
                    output.collect(
                            side.isLeft
                                    ? joined.replace(change, other)
                                    : joined.replace(other, change));
                }
            }
        }
    }

    /** Pads the changes that match neither what has been looked at nor these rows. */
    private void emitUnmatched(
            JoinSide side,
            List<RowData> changes,
            RowKind kind,
            BitSet matched,
            List<RowData> others) {
        for (int i = 0; i < changes.size(); i++) {
            if (!matched.get(i) && !matcher.anyMatches(side, changes.get(i), others)) {
                emitPadded(side, changes.get(i), kind);
            }
        }
    }

    private void emitPadded(JoinSide side, RowData row, RowKind kind) {
        joined.setRowKind(kind);
        output.collect(
                side.isLeft ? joined.replace(row, noRightRow) : joined.replace(noLeftRow, row));
    }
}
