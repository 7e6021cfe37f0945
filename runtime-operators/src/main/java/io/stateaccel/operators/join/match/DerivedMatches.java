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

import io.stateaccel.views.join.LiveRows.Cursor;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;

/** Rows of which those of the other side tell whether they have a match. */
final class DerivedMatches implements StayingRows {

    private final JoinSide side;
    private final JoinSide other;
    private final JoinMatcher matcher;

    DerivedMatches(JoinSide side, JoinSide other, JoinMatcher matcher) {
        this.side = side;
        this.other = other;
        this.matcher = matcher;
    }

    /** Of one that loses its last match and goes itself nothing is ever seen. */
    @Override
    public void forRetracted(BitSet matched, BiConsumer<Integer, RowKind> consumer) {
        List<RowData> rows = side.retractions();
        for (int i = 0; i < rows.size(); i++) {
            if (!matched.get(i) && !matcher.anyMatches(side, rows.get(i), other.retractions())) {
                consumer.accept(i, RowKind.DELETE);
            }
        }
    }

    @Override
    public void begin() {}

    @Override
    public void forThoseThatGo(boolean find, Consumer<RowData> consumer) throws Exception {
        forThoseThatTurn(find, consumer);
    }

    /** As nothing expires, there are none. */
    @Override
    public void forThoseThatReplaceExpired(Consumer<RowData> consumer) {}

    @Override
    public void forThoseThatCome(boolean find, Consumer<RowData> consumer) throws Exception {
        forThoseThatTurn(find, consumer);
    }

    /** As nothing expires, there is no older row. */
    @Override
    public void forThoseMatchedMeanwhile(Consumer<RowData> consumer) {}

    /** Likewise. */
    @Override
    public void forThoseUnmatchedMeanwhile(Consumer<RowData> consumer) {}

    /** Those that match a cause, but neither an obstacle nor one of the other side's rows. */
    private void forThoseThatTurn(boolean find, Consumer<RowData> consumer) throws Exception {
        List<RowData> causes = find ? other.additions() : other.retractions();
        List<RowData> obstacles = find ? other.retractions() : other.additions();
        if (causes.isEmpty()) {
            return;
        }
        Cursor cursor = side.rows().open();
        List<RowData> chunk;
        while ((chunk = cursor.next()) != null) {
            List<RowData> candidates = new ArrayList<>();
            for (RowData row : chunk) {
                if (matcher.anyMatches(side, row, causes)
                        && !matcher.anyMatches(side, row, obstacles)) {
                    candidates.add(row);
                }
            }
            if (candidates.isEmpty()) {
                continue;
            }
            BitSet matched = matcher.matched(side, candidates, other.rows());
            for (int i = 0; i < candidates.size(); i++) {
                if (!matched.get(i)) {
                    consumer.accept(candidates.get(i));
                }
            }
        }
    }
}
