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

import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.JoinCondition;

/** Asks the non-equi condition, whichever side a row comes from. */
final class JoinMatcher {

    private final JoinCondition condition;

    JoinMatcher(JoinCondition condition) {
        this.condition = condition;
    }

    boolean matches(JoinSide side, RowData row, RowData other) {
        return side.isLeft ? condition.apply(row, other) : condition.apply(other, row);
    }

    /** Whether any of the other side's rows matches. */
    boolean anyMatches(JoinSide side, RowData row, List<RowData> others) {
        for (int i = 0; i < others.size(); i++) {
            if (matches(side, row, others.get(i))) {
                return true;
            }
        }
        return false;
    }
}
