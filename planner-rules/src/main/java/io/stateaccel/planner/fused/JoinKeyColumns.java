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
package io.stateaccel.planner.fused;

import io.stateaccel.planner.join.StreamPhysicalMiniBatchJoin;
import io.stateaccel.planner.reasons.Reason;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.calcite.rel.core.JoinRelType;

/**
 * The key of a join next to columns of its results: what is computed per value of those columns can
 * be computed where the join is if they determine the key.
 */
public final class JoinKeyColumns {

    private final StreamPhysicalMiniBatchJoin join;
    private final int[] left;
    private final int[] right;

    public JoinKeyColumns(StreamPhysicalMiniBatchJoin join) {
        this.join = join;
        this.left = join.joinSpec().getLeftKeys();
        this.right = join.joinSpec().getRightKeys();
    }

    /** Empty if results with equal values in these columns have one join key. */
    public Optional<Reason> whyNotDeterminedBy(Set<Integer> columns) {
        if (left.length == 0) {
            return Optional.of(Reason.NO_EXCHANGE_TO_SAVE);
        }
        if (!hasEachPair(columns, true, true)) {
            return Optional.of(Reason.GROUP_SPANS_JOIN_KEYS);
        }
        final JoinRelType type = join.getJoinType();
        if (!hasEachPair(columns, !type.generatesNullsOnLeft(), !type.generatesNullsOnRight())) {
            return Optional.of(Reason.PADDED_JOIN_KEY);
        }
        return Optional.empty();
    }

    private boolean hasEachPair(Set<Integer> columns, boolean fromLeft, boolean fromRight) {
        return IntStream.range(0, left.length)
                .allMatch(
                        pair ->
                                (fromLeft && columns.contains(left[pair]))
                                        || (fromRight && columns.contains(ofRight(right[pair]))));
    }

    /**
     * Whether results of one join key have equal values in these columns. A side that is padded has
     * its columns or NULL.
     */
    public boolean determines(Set<Integer> columns) {
        final Set<Integer> joinKey = new HashSet<>();
        if (!join.getJoinType().generatesNullsOnLeft()) {
            for (int column : left) {
                joinKey.add(column);
            }
        }
        if (!join.getJoinType().generatesNullsOnRight()) {
            for (int column : right) {
                joinKey.add(ofRight(column));
            }
        }
        return joinKey.containsAll(columns);
    }

    private int ofRight(int column) {
        return join.getJoinType().projectsRight()
                ? join.getLeft().getRowType().getFieldCount() + column
                // The result has no column of the right side.
                : Integer.MAX_VALUE;
    }
}
