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
import io.stateaccel.views.join.LiveRows;
import io.stateaccel.views.join.LiveRows.Cursor;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.types.RowKind;

/**
 * INNER, LEFT, RIGHT and FULL joins: pairs of rows that match and, of a padded side, rows that
 * match nothing beside NULLs.
 *
 * <p>Outer joins emit {@code +I} and {@code -D}, as Flink's {@code StreamingJoinOperator} does. An
 * inner join emits {@code -U} and {@code +U} where another pair takes the place of one within the
 * bundle; any other pair begins with the kind of the change that makes it and ends with {@code -D}.
 * Flink passes on the kind of the change that ends it, a {@code -U} too after which nothing comes;
 * whoever reads upserts ignores that, and keeps the pair.
 *
 * <p>Whether a row has a match is worked out from the rows that are read to join; nothing is stored
 * for it, for any join type, unless there is state TTL ({@link StoredMatches}). Flink stores a
 * count of matches with each row of a padded side ({@code OuterJoinRecordStateView}) and writes it
 * anew with each match. CPU per input row of q4's join as LEFT and as INNER, on RocksDB (JMH,
 * {@code docs/benchmarks.md}): 1.1 and 1.0 microseconds here with full bundles, 21.0 and 9.0 in
 * Flink's operator: the counts cost it 12, working them out costs 0.1.
 */
final class PairingJoin implements KeyJoin {

    private static final List<RowData> NO_ROWS = Collections.emptyList();

    private final JoinSide left;
    private final JoinSide right;
    private final boolean padsLeft;
    private final boolean padsRight;
    private final boolean pads;
    private final boolean deletes;
    private final RowData noLeftRow;
    private final RowData noRightRow;
    private final JoinMatcher matcher;
    private final Output output;
    private final StayingRows leftThatStay;
    private final StayingRows rightThatStay;
    private final PairedRow joined = new PairedRow();

    /**
     * @param padsLeft whether left rows without a match are in the result
     * @param padsRight whether right rows without a match are in the result
     * @param leftArity columns of the left side
     * @param rightArity columns of the right side
     * @param deletes whether {@code -D} is expected of the join; without it an inner join ends
     *     every pair with {@code -U}
     */
    PairingJoin(
            JoinSide left,
            JoinSide right,
            boolean padsLeft,
            boolean padsRight,
            int leftArity,
            int rightArity,
            boolean deletes,
            JoinMatcher matcher,
            Output output) {
        this.left = left;
        this.right = right;
        this.padsLeft = padsLeft;
        this.padsRight = padsRight;
        this.pads = padsLeft || padsRight;
        this.deletes = deletes;
        this.noLeftRow = nulls(leftArity);
        this.noRightRow = nulls(rightArity);
        this.matcher = matcher;
        this.output = output;
        this.leftThatStay = StayingRows.of(left, right, matcher);
        this.rightThatStay = StayingRows.of(right, left, matcher);
    }

    private static RowData nulls(int arity) {
        BinaryRowData row = new BinaryRowData(arity);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        for (int column = 0; column < arity; column++) {
            writer.setNullAt(column);
        }
        writer.complete();
        return row;
    }

    @Override
    public void join() throws Exception {
        if (!left.retractions().isEmpty()) {
            BitSet matched = endPairs(left, right, true);
            if (padsLeft) {
                matched.flip(0, left.retractions().size());
                matched.stream().forEach(i -> emitRetracted(left, i, RowKind.DELETE));
            }
        }
        left.retract();
        if (!right.retractions().isEmpty()) {
            BitSet matched = endPairs(right, left, false);
            if (padsRight) {
                rightThatStay.forRetracted(matched, (i, kind) -> emitRetracted(right, i, kind));
            }
        }
        right.retract();

        if (padsLeft) {
            leftThatStay.begin();
        }
        if (padsRight) {
            rightThatStay.begin();
        }
        // Padded rows that stay and find their first match are gone as such.
        if (padsLeft) {
            leftThatStay.forThoseThatGo(true, row -> emitPadded(left, row, RowKind.DELETE));
            leftThatStay.forThoseThatReplaceExpired(
                    row -> {
                        emitPadded(left, row, RowKind.INSERT);
                        emitPadded(left, row, RowKind.DELETE);
                    });
        }
        if (padsRight) {
            rightThatStay.forThoseThatGo(true, row -> emitPadded(right, row, RowKind.DELETE));
        }
        left.dropReplaced();
        right.dropReplaced();
        // Rows that stay and lose their last match are padded from now on.
        if (padsLeft) {
            leftThatStay.forThoseThatCome(false, row -> emitPadded(left, row, RowKind.INSERT));
        }
        if (padsRight) {
            rightThatStay.forThoseThatCome(false, row -> emitPadded(right, row, RowKind.INSERT));
        }

        if (!left.additions().isEmpty()) {
            List<RowData> rows = left.additions();
            BitSet matched = beginPairs(left, right.rows());
            if (padsLeft) {
                emitUnmatched(left, rows, RowKind.INSERT, matched, right.additions());
            }
        }
        if (!right.additions().isEmpty()) {
            List<RowData> rows = right.additions();
            BitSet matched = beginPairs(right, left.rows());
            beginPairsOfAdditions(matched);
            if (padsRight) {
                emitUnmatched(right, rows, RowKind.INSERT, matched, NO_ROWS);
            }
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
        for (int i = 0; i < changes.retractions().size(); i++) {
            emitRetracted(side, changes, i, RowKind.DELETE);
        }
        for (RowData row : changes.additions()) {
            emitPadded(side, row, RowKind.INSERT);
        }
    }

    /**
     * Emits the pairs that end as rows of a side are retracted.
     *
     * @param otherChanges whether rows of the other side may still be retracted in this bundle
     * @return which of the retracted rows have a match, by index
     */
    private BitSet endPairs(JoinSide side, JoinSide other, boolean otherChanges) throws Exception {
        List<RowData> retracted = side.retractions();
        Successors successors =
                !pads && otherChanges && !other.retractions().isEmpty() ? other.successors() : null;
        BitSet matched = new BitSet(retracted.size());
        Cursor cursor = other.rows().open();
        List<RowData> chunk;
        while ((chunk = cursor.next()) != null) {
            List<RowData> next = successors == null ? chunk : successors.of(chunk);
            for (int r = 0; r < retracted.size(); r++) {
                RowData ownNext = side.changes().successor(r);
                RowData guest = side.changes().guest(r);
                for (int i = 0; i < chunk.size(); i++) {
                    if (matcher.matches(side, retracted.get(r), chunk.get(i))) {
                        matched.set(r);
                        if (guest != null) {
                            emitPair(side, guest.getRowKind(), guest, chunk.get(i));
                        }
                        emitPair(
                                side,
                                endKind(side, ownNext, next.get(i)),
                                retracted.get(r),
                                chunk.get(i));
                    }
                }
            }
        }
        return matched;
    }

    /**
     * @param next what is there in the retracted row's place after the bundle, null if nothing is
     * @param otherNext likewise, in the other row's place
     */
    private RowKind endKind(JoinSide side, @Nullable RowData next, @Nullable RowData otherNext) {
        if (pads) {
            return RowKind.DELETE;
        }
        if (!deletes) {
            return RowKind.UPDATE_BEFORE;
        }
        return next != null && otherNext != null && matcher.matches(side, next, otherNext)
                ? RowKind.UPDATE_BEFORE
                : RowKind.DELETE;
    }

    /**
     * Emits the pairs that begin as rows of a side are added.
     *
     * @param others rows of the other side that are there before the bundle and after it
     * @return which of the added rows have a match, by index
     */
    private BitSet beginPairs(JoinSide side, LiveRows others) throws Exception {
        List<RowData> added = side.additions();
        BitSet matched = new BitSet(added.size());
        Cursor cursor = others.open();
        List<RowData> chunk;
        while ((chunk = cursor.next()) != null) {
            for (int a = 0; a < added.size(); a++) {
                RowData before = side.changes().predecessor(a);
                for (int i = 0; i < chunk.size(); i++) {
                    RowData other = chunk.get(i);
                    if (matcher.matches(side, added.get(a), other)) {
                        matched.set(a);
                        RowKind kind =
                                before == null
                                        ? added.get(a).getRowKind()
                                        : beginKind(side, before, other);
                        emitPair(side, kind, added.get(a), other);
                    }
                }
            }
        }
        return matched;
    }

    /**
     * Emits the pairs of rows that the bundle has added to either side.
     *
     * @param matched which of the right ones have a match, by index
     */
    private void beginPairsOfAdditions(BitSet matched) {
        for (int r = 0; r < right.additions().size(); r++) {
            RowData rightRow = right.additions().get(r);
            RowData rightBefore = right.changes().predecessor(r);
            for (int l = 0; l < left.additions().size(); l++) {
                RowData leftRow = left.additions().get(l);
                if (!matcher.matches(right, rightRow, leftRow)) {
                    continue;
                }
                matched.set(r);
                RowData leftBefore = left.changes().predecessor(l);
                RowKind kind;
                if (rightBefore == null) {
                    kind = rightRow.getRowKind();
                } else if (leftBefore == null) {
                    kind = leftRow.getRowKind();
                } else {
                    kind = beginKind(right, rightBefore, leftBefore);
                }
                emitPair(right, kind, rightRow, leftRow);
            }
        }
    }

    /**
     * @param before the row in the place of a row of {@code side} before the bundle
     * @param otherBefore likewise, of the other side
     */
    private RowKind beginKind(JoinSide side, RowData before, RowData otherBefore) {
        return matcher.matches(side, before, otherBefore) ? RowKind.UPDATE_AFTER : RowKind.INSERT;
    }

    private void emitPair(JoinSide side, RowKind kind, RowData row, RowData other) {
        joined.setRowKind(pads && kind == RowKind.UPDATE_AFTER ? RowKind.INSERT : kind);
        output.collect(side.isLeft ? joined.replace(row, other) : joined.replace(other, row));
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

    private void emitRetracted(JoinSide side, int retraction, RowKind kind) {
        emitRetracted(side, side.changes(), retraction, kind);
    }

    private void emitRetracted(JoinSide side, SideChanges changes, int retraction, RowKind kind) {
        RowData guest = changes.guest(retraction);
        if (guest != null) {
            emitPadded(side, guest, RowKind.INSERT);
        }
        emitPadded(side, changes.retractions().get(retraction), kind);
    }

    private void emitPadded(JoinSide side, RowData row, RowKind kind) {
        joined.setRowKind(kind);
        output.collect(
                side.isLeft ? joined.replace(row, noRightRow) : joined.replace(noLeftRow, row));
    }
}
