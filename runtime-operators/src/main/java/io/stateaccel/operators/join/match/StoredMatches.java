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

import static io.stateaccel.views.join.RenewingRecordView.UNTOUCHED;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;

/**
 * Rows that are kept with the number of their matches, as in Flink's {@code
 * OuterJoinRecordStateView}. Under state TTL that is more than what the rows of the other side
 * tell: a match that has expired still counts, as nobody has said that it is gone. What matters is
 * what Flink does when the changes of a key come in this order, and no other: retractions of the
 * left side, of the right side, additions of the left side, of the right side.
 */
final class StoredMatches implements StayingRows {

    private final JoinSide side;
    private final JoinSide other;
    private final JoinMatcher matcher;

    /**
     * Of rows added in the bundle, or added and dropped, how many matches they had when they came;
     * by what rows are known by. A row in state that is known by the same is replaced, or an equal
     * one, for all of which there is one number.
     */
    private final Map<RowData, Integer> added = new HashMap<>();

    /** Identities of the rows in state that additions may replace. */
    private final Set<RowData> replaced = new HashSet<>();

    StoredMatches(JoinSide side, JoinSide other, JoinMatcher matcher) {
        this.side = side;
        this.other = other;
        this.matcher = matcher;
    }

    /**
     * One that loses its last match is seen without any before it goes. One that has none left, as
     * the last has expired, goes as one that has none, whether it has been seen so or not.
     */
    @Override
    public void forRetracted(BitSet matched, BiConsumer<Integer, RowKind> consumer)
            throws Exception {
        BitSet lose = new BitSet();
        if (!other.retractions().isEmpty()) {
            findRetractedThatLose(lose);
        }
        for (int i = 0; i < side.retractions().size(); i++) {
            if (matched.get(i) == lose.get(i)) {
                consumer.accept(i, lose.get(i) ? RowKind.INSERT : RowKind.DELETE);
            }
        }
    }

    private void findRetractedThatLose(BitSet lose) throws Exception {
        Map<RowData, Deque<Integer>> retracted = new HashMap<>();
        for (int i = 0; i < side.retractions().size(); i++) {
            retracted
                    .computeIfAbsent(
                            side.identityOf(side.retractions().get(i)), k -> new ArrayDeque<>(1))
                    .add(i);
        }
        side.recount(
                (row, count, matches) -> {
                    Deque<Integer> indices = retracted.get(side.identityOf(row));
                    if (indices != null && losesLast(row, matches)) {
                        for (int i = 0; i < count && !indices.isEmpty(); i++) {
                            lose.set(indices.poll());
                        }
                    }
                    return UNTOUCHED;
                });
    }

    @Override
    public void begin() throws Exception {
        added.clear();
        replaced.clear();
        if (side.hasEqualRows()) {
            count(side.changes().dropped(), side.droppedMatches());
        }
        count(side.additions(), side.matches());
    }

    private void count(List<RowData> rows, int[] matches) throws Exception {
        if (rows.isEmpty()) {
            return;
        }
        matcher.addMatches(side, rows, matches, other.rows());
        boolean isKnownByAnother = side.upserts() || side.hasEqualRows();
        for (int i = 0; i < rows.size(); i++) {
            if (isKnownByAnother) {
                added.put(side.identityOf(rows.get(i)), matches[i]);
            }
            matches[i] = toStore(matches[i] + matcher.count(side, rows.get(i), other.additions()));
        }
    }

    /** Where no match is ever taken away, how many there are does not matter. */
    private int toStore(int matches) {
        return other.isInsertOnly() ? Math.min(matches, 1) : matches;
    }

    @Override
    public void forThoseThatGo(boolean find, Consumer<RowData> consumer) throws Exception {
        if ((find ? other.additions() : other.retractions()).isEmpty()) {
            return;
        }
        side.recount(
                (row, count, matches) -> {
                    emitIfItTurns(find, row, count, matches, consumer);
                    if (side.upserts() && !added.isEmpty()) {
                        replaced.add(side.identityOf(row));
                    }
                    return UNTOUCHED;
                });
    }

    @Override
    public void forThoseThatReplaceExpired(Consumer<RowData> consumer) throws Exception {
        if (!side.isLeft || !side.upserts() || other.additions().isEmpty()) {
            return;
        }
        for (RowData row : side.additions()) {
            RowData identity = side.identityOf(row);
            if (row.getRowKind() == RowKind.UPDATE_AFTER
                    && !replaced.contains(identity)
                    && added.get(identity) == 0
                    && gained(row) > 0) {
                consumer.accept(row);
                row.setRowKind(RowKind.UPDATE_AFTER);
            }
        }
    }

    @Override
    public void forThoseThatCome(boolean find, Consumer<RowData> consumer) throws Exception {
        if (JoinSide.isUntouched(other.changes())) {
            return;
        }
        side.recount(
                (row, count, matches) -> {
                    emitIfItTurns(find, row, count, matches, consumer);
                    return next(row, matches);
                });
    }

    @Override
    public void forThoseMatchedMeanwhile(Consumer<RowData> consumer) throws Exception {
        if (side.hasEqualRows() || other.changes().dropped().isEmpty()) {
            return;
        }
        side.recount(
                (row, count, matches) -> {
                    if (matches == 0 && lost(row) == 0 && gained(row) == 0) {
                        emitIfMatchedMeanwhile(row, consumer);
                    }
                    return UNTOUCHED;
                });
        for (int i = 0; i < side.additions().size(); i++) {
            if (side.matches()[i] == 0) {
                emitIfMatchedMeanwhile(side.additions().get(i), consumer);
            }
        }
    }

    @Override
    public void forThoseUnmatchedMeanwhile(Consumer<RowData> consumer) throws Exception {
        if (side.hasEqualRows() || other.retractions().isEmpty() || other.additions().isEmpty()) {
            return;
        }
        side.recount(
                (row, count, matches) -> {
                    Integer ofAddition = added.isEmpty() ? null : added.get(side.identityOf(row));
                    if (losesLast(row, matches) && findsFirst(row, matches, ofAddition)) {
                        consumer.accept(row);
                    }
                    return UNTOUCHED;
                });
    }

    private void emitIfMatchedMeanwhile(RowData row, Consumer<RowData> consumer) {
        if (isMatchedMeanwhile(row)) {
            consumer.accept(row);
        }
    }

    private boolean isMatchedMeanwhile(RowData row) {
        return matcher.anyMatches(side, row, other.changes().dropped());
    }

    private void emitIfItTurns(
            boolean find, RowData row, int count, int matches, Consumer<RowData> consumer)
            throws Exception {
        if (find ? finds(row, matches) : loses(row, matches)) {
            for (int i = 0; i < count; i++) {
                consumer.accept(row);
            }
        }
    }

    /** Whether the row is seen as one without a match before the bundle, and no more after it. */
    private boolean finds(RowData row, int matches) throws Exception {
        Integer ofAddition = added.isEmpty() ? null : added.get(side.identityOf(row));
        boolean finds = findsFirst(row, matches, ofAddition);
        return finds
                && (ofAddition != null && side.upserts() ? matches <= 0 : !losesLast(row, matches));
    }

    private boolean loses(RowData row, int matches) throws Exception {
        Integer ofAddition = added.isEmpty() ? null : added.get(side.identityOf(row));
        if (!losesLast(row, matches)) {
            return false;
        }
        return ofAddition != null && side.upserts()
                ? ofAddition + gained(row) <= 0
                : !findsFirst(row, matches, ofAddition);
    }

    private boolean losesLast(RowData row, int matches) {
        return matches > 0 && matches - lost(row) <= 0;
    }

    /**
     * @param ofAddition what an addition that is known by the same has as the number of matches:
     *     one of the left side comes before those that are found, one of the right side after them
     */
    private boolean findsFirst(RowData row, int matches, Integer ofAddition) {
        int before = ofAddition != null && side.isLeft ? ofAddition : matches - lost(row);
        return before <= 0 && before + gained(row) > 0;
    }

    private int next(RowData row, int matches) throws Exception {
        if (!added.isEmpty() && added.containsKey(side.identityOf(row))) {
            // Is written with the addition.
            return UNTOUCHED;
        }
        int lost = lost(row);
        int gained = gained(row);
        boolean isMatched = lost > 0 || gained > 0 || isMatchedMeanwhile(row);
        return isMatched ? toStore(matches - lost + gained) : UNTOUCHED;
    }

    private int lost(RowData row) {
        return matcher.count(side, row, other.retractions());
    }

    private int gained(RowData row) {
        return matcher.count(side, row, other.additions());
    }
}
