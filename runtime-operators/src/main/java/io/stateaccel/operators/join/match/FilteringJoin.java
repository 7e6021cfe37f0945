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

import io.stateaccel.operators.join.fold.SideChanges;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;

/**
 * SEMI and ANTI joins: the left rows that have a match, or those that have none.
 *
 * <p>A left row that takes the place of another within the bundle is {@code +U} after {@code -U};
 * any other row comes with the kind of its change, or {@code +I} if it is a change of the right
 * side that lets it in, and goes with {@code -D}. Flink's {@code StreamingSemiAntiJoinOperator}
 * passes on the kind of the change in a SEMI join, a {@code -U} too after which nothing comes;
 * whoever reads upserts ignores that, and keeps the row.
 *
 * <p>With state TTL an older left row may still be there for who reads by key: in a SEMI join its
 * match had expired when it was updated, in an ANTI join it had itself. In Flink it goes as soon as
 * the row comes and goes once more. So where the left side has a unique key, {@code +I} and {@code
 * -D} are said of a row that stays and is in the result within the bundle only.
 */
final class FilteringJoin implements KeyJoin {

    private static final List<RowData> NO_ROWS = Collections.emptyList();

    private final JoinSide left;
    private final JoinSide right;
    private final boolean anti;
    private final RowKind gone;
    private final JoinMatcher matcher;
    private final Output output;
    private final StayingRows leftThatStay;

    /**
     * @param deletes whether {@code -D} is expected of the join; without it rows go with {@code -U}
     */
    FilteringJoin(
            JoinSide left,
            JoinSide right,
            boolean anti,
            boolean deletes,
            JoinMatcher matcher,
            Output output) {
        this.left = left;
        this.right = right;
        this.anti = anti;
        this.gone = deletes ? RowKind.DELETE : RowKind.UPDATE_BEFORE;
        this.matcher = matcher;
        this.output = output;
        this.leftThatStay = StayingRows.of(left, right, matcher);
    }

    @Override
    public void join() throws Exception {
        BitSet before = inResult(left.retractions(), NO_ROWS);
        left.retract();
        right.retract();
        BitSet after = inResult(left.additions(), right.additions());
        sayWhatIsReplaced(before, after);

        leftThatStay.begin();
        before.stream().forEach(i -> emitRetracted(left.changes(), i));
        leftThatStay.forThoseThatGo(anti, row -> emitAs(gone, row));
        if (anti) {
            leftThatStay.forThoseThatReplaceExpired(this::emitAndTakeBack);
            leftThatStay.forThoseUnmatchedMeanwhile(this::emitAndTakeBack);
        }
        left.dropReplaced();
        if (!anti) {
            leftThatStay.forThoseMatchedMeanwhile(this::emitAndTakeBack);
        }
        leftThatStay.forThoseThatCome(!anti, row -> emitAs(RowKind.INSERT, row));
        after.stream().forEach(i -> output.collect(left.additions().get(i)));
    }

    /**
     * Which of the rows are in the result, by index.
     *
     * @param additions rows of the right side beside those in state
     */
    private BitSet inResult(List<RowData> rows, List<RowData> additions) throws Exception {
        if (rows.isEmpty()) {
            return new BitSet();
        }
        BitSet matched = matcher.matched(left, rows, right.rows());
        for (int i = 0; i < rows.size(); i++) {
            if (!matched.get(i) && matcher.anyMatches(left, rows.get(i), additions)) {
                matched.set(i);
            }
        }
        if (anti) {
            matched.flip(0, rows.size());
        }
        return matched;
    }

    /** Partners of which only one is in the result do not replace each other there. */
    private void sayWhatIsReplaced(BitSet before, BitSet after) {
        SideChanges changes = left.changes();
        for (int i = 0; i < changes.retractions().size(); i++) {
            int successor = changes.successorOf(i);
            if (successor == SideChanges.ALONE || before.get(i) == after.get(successor)) {
                continue;
            }
            changes.retractions().get(i).setRowKind(gone);
            changes.additions().get(successor).setRowKind(RowKind.INSERT);
        }
    }

    private void emitRetracted(SideChanges changes, int retraction) {
        RowData guest = changes.guest(retraction);
        if (guest != null) {
            output.collect(guest);
        }
        output.collect(changes.retractions().get(retraction));
    }

    private void emitAndTakeBack(RowData row) {
        emitAs(RowKind.INSERT, row);
        emitAs(gone, row);
    }

    private void emitAs(RowKind kind, RowData row) {
        row.setRowKind(kind);
        output.collect(row);
        // The state may own the row.
        row.setRowKind(RowKind.INSERT);
    }

    @Override
    public void joinUnmatchable(SideChanges leftChanges, SideChanges rightChanges) {
        for (int i = 0; i < leftChanges.retractions().size(); i++) {
            emitRetracted(leftChanges, i);
        }
        leftChanges.additions().forEach(output::collect);
    }

    @Override
    public boolean keepsUnmatchable(boolean isLeft) {
        return isLeft && anti;
    }
}
