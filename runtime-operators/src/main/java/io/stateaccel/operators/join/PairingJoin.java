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
 */
final class PairingJoin implements KeyJoin {

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
    public void join(SideChanges leftChanges, SideChanges rightChanges) throws Exception {
        boolean leftChanged = !leftChanges.isEmpty();
        boolean rightChanged = !rightChanges.isEmpty();
        left.begin(leftChanges, rightChanged || (padsRight && leftChanged));
        right.begin(rightChanges, leftChanged || (padsLeft && rightChanged));

        for (RowData row : left.retractions()) {
            if (!emitPairs(left, row, RowKind.DELETE, right.rows()) && padsLeft) {
                emitPadded(left, row, RowKind.DELETE);
            }
        }
        left.retract();
        for (RowData row : right.retractions()) {
            if (!emitPairs(right, row, RowKind.DELETE, left.rows())
                    && padsRight
                    && !matcher.anyMatches(right, row, left.retractions())) {
                emitPadded(right, row, RowKind.DELETE);
            }
        }
        right.retract();

        List<RowData> lonelyLeft = emitFoundAndReturnLonely(padsLeft, left, right);
        List<RowData> lonelyRight = emitFoundAndReturnLonely(padsRight, right, left);

        for (RowData row : left.additions()) {
            if (!emitPairs(left, row, RowKind.INSERT, right.rows())
                    && padsLeft
                    && !matcher.anyMatches(left, row, right.additions())) {
                emitPadded(left, row, RowKind.INSERT);
            }
        }
        left.add();
        for (RowData row : right.additions()) {
            if (!emitPairs(right, row, RowKind.INSERT, left.rows()) && padsRight) {
                emitPadded(right, row, RowKind.INSERT);
            }
        }
        for (RowData row : lonelyLeft) {
            emitPadded(left, row, RowKind.INSERT);
        }
        for (RowData row : lonelyRight) {
            emitPadded(right, row, RowKind.INSERT);
        }
    }

    /**
     * Rows that stay, on a padded side, while the other side changes: the ones that find their
     * first match are emitted as gone, the ones that lose their last are returned.
     */
    private List<RowData> emitFoundAndReturnLonely(boolean pads, JoinSide side, JoinSide other) {
        if (!pads || !other.isChanged()) {
            return Collections.emptyList();
        }
        List<RowData> lonely = new ArrayList<>();
        for (RowData row : side.rows()) {
            boolean loses = matcher.anyMatches(side, row, other.retractions());
            boolean finds = matcher.anyMatches(side, row, other.additions());
            if (loses == finds || matcher.anyMatches(side, row, other.rows())) {
                continue;
            }
            if (finds) {
                emitPadded(side, row, RowKind.DELETE);
            } else {
                lonely.add(row);
            }
        }
        return lonely;
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

    /** Returns whether there was a match. */
    private boolean emitPairs(JoinSide side, RowData change, RowKind outer, List<RowData> others) {
        boolean matched = false;
        joined.setRowKind(padsLeft || padsRight ? outer : change.getRowKind());
        for (int i = 0; i < others.size(); i++) {
            RowData other = others.get(i);
            if (matcher.matches(side, change, other)) {
                matched = true;
                output.collect(
                        side.isLeft
                                ? joined.replace(change, other)
                                : joined.replace(other, change));
            }
        }
        return matched;
    }

    private void emitPadded(JoinSide side, RowData row, RowKind kind) {
        joined.setRowKind(kind);
        output.collect(
                side.isLeft ? joined.replace(row, noRightRow) : joined.replace(noLeftRow, row));
    }
}
