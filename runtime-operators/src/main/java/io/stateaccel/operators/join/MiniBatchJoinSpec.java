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

import io.stateaccel.operators.bundle.BundleSettings;
import java.io.Serializable;
import org.apache.flink.table.runtime.generated.GeneratedJoinCondition;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;

/**
 * Everything a {@link MiniBatchJoinOperator} is made of.
 *
 * @param type which rows without a match, or only they, are in the result
 * @param left the left input
 * @param right the right input
 * @param condition the non-equi condition, always true where there is none
 * @param filterNullKeys per key column, whether NULL keys match nothing
 * @param deletes whether what reads the results expects {@code -D}: inner and SEMI joins of inputs
 *     without any may emit a {@code -U} whose {@code +U} does not come, as Flink's do
 * @param bundle when a bundle is flushed
 */
public record MiniBatchJoinSpec(
        FlinkJoinType type,
        JoinSideSpec left,
        JoinSideSpec right,
        GeneratedJoinCondition condition,
        boolean[] filterNullKeys,
        boolean deletes,
        BundleSettings bundle)
        implements Serializable {

    /** Whether the result depends on how many matches the left rows have. */
    boolean countsLeftMatches() {
        return type.isLeftOuter() || type == FlinkJoinType.SEMI || type == FlinkJoinType.ANTI;
    }

    /** Whether it depends on how many the right rows have. */
    boolean countsRightMatches() {
        return type.isRightOuter();
    }

    public MiniBatchJoinSpec {
        if ((left.normalized() != null || right.normalized() != null)
                && !(left.ttl().isForever() && right.ttl().isForever())) {
            throw new IllegalArgumentException(
                    "Rows by which a join normalises an input cannot have a state TTL: without"
                            + " them a change would be taken for another one.");
        }
    }

    /** Whether changes of a side are made regular ones here. */
    boolean normalizes() {
        return left.normalized() != null || right.normalized() != null;
    }

    /** Whether rows of a side expire. */
    boolean hasStateTtl() {
        return !left.ttl().isForever() || !right.ttl().isForever();
    }
}
