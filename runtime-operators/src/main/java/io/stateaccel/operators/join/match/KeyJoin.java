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
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.JoinCondition;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;

/**
 * Emits what a bundle changes in the result of one join key: first what is gone, then what is new,
 * each once. What is in the result neither before nor after the bundle is never seen.
 *
 * <p>Whether a row has a match is derived from the rows of the other side and not kept in state, as
 * Flink's {@code OuterJoinRecordStateView} does. Keeping a count means to rewrite every matched row
 * of a key whenever the other side changes, and to read before writing. Deriving it costs a read of
 * the changed side, once per key and bundle, and only rows that match a change are looked at
 * further. With state TTL, and where there has been one, that is another number than Flink's, so
 * counts are kept then: {@link StoredMatches}.
 */
public interface KeyJoin {

    /**
     * The join of a type.
     *
     * @param leftArity columns of the left side
     * @param rightArity columns of the right side
     * @param deletes whether {@code -D} is expected of the join
     * @param condition the non-equi condition, opened
     */
    static KeyJoin create(
            FlinkJoinType type,
            JoinSide left,
            JoinSide right,
            int leftArity,
            int rightArity,
            boolean deletes,
            JoinCondition condition,
            Output output) {
        JoinMatcher matcher = new JoinMatcher(condition);
        if (type == FlinkJoinType.SEMI || type == FlinkJoinType.ANTI) {
            return new FilteringJoin(
                    left, right, type == FlinkJoinType.ANTI, deletes, matcher, output);
        }
        return new PairingJoin(
                left,
                right,
                type.isLeftOuter(),
                type.isRightOuter(),
                leftArity,
                rightArity,
                deletes,
                matcher,
                output);
    }

    /** Emits for the key that both sides have begun, and leaves it to the caller to store it. */
    void join() throws Exception;

    /** Emits for a key that matches nothing and is not stored: a NULL in it. */
    void joinUnmatchable(SideChanges leftChanges, SideChanges rightChanges);

    /**
     * Whether a row that matches nothing is in the result, so that it may not be dropped at once.
     */
    boolean keepsUnmatchable(boolean isLeft);

    /** Where the results go. */
    interface Output {
        void collect(RowData row);
    }
}
