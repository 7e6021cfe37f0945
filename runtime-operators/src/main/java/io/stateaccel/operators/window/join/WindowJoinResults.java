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
package io.stateaccel.operators.window.join;

import java.util.BitSet;
import java.util.List;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.generated.JoinCondition;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;

/** What comes of the rows of a key and window, in the order in which Flink emits it. */
final class WindowJoinResults {

    private final FlinkJoinType joinType;
    private final JoinCondition condition;
    private final RowData noLeft;
    private final RowData noRight;
    private final Collector<RowData> output;
    private final JoinedRowData joined = new JoinedRowData();

    WindowJoinResults(
            FlinkJoinType joinType,
            JoinCondition condition,
            int leftArity,
            int rightArity,
            Collector<RowData> output) {
        this.joinType = joinType;
        this.condition = condition;
        this.noLeft = new GenericRowData(leftArity);
        this.noRight = new GenericRowData(rightArity);
        this.output = output;
    }

    void emit(List<RowData> left, List<RowData> right) {
        switch (joinType) {
            case INNER, LEFT, FULL -> byLeft(left, right);
            case RIGHT -> byRight(left, right);
            case SEMI, ANTI -> filter(left, right);
        }
    }

    private void byLeft(List<RowData> left, List<RowData> right) {
        BitSet matched = new BitSet();
        for (RowData row : left) {
            boolean matches = false;
            for (int i = 0; i < right.size(); i++) {
                if (condition.apply(row, right.get(i))) {
                    emit(row, right.get(i));
                    matches = true;
                    matched.set(i);
                }
            }
            if (!matches && joinType != FlinkJoinType.INNER) {
                emit(row, noRight);
            }
        }
        if (joinType == FlinkJoinType.FULL) {
            for (int i = matched.nextClearBit(0);
                    i < right.size();
                    i = matched.nextClearBit(i + 1)) {
                emit(noLeft, right.get(i));
            }
        }
    }

    private void byRight(List<RowData> left, List<RowData> right) {
        for (RowData row : right) {
            boolean matches = false;
            for (RowData other : left) {
                if (condition.apply(other, row)) {
                    emit(other, row);
                    matches = true;
                }
            }
            if (!matches) {
                emit(noLeft, row);
            }
        }
    }

    private void emit(RowData left, RowData right) {
        joined.setRowKind(RowKind.INSERT);
        joined.replace(left, right);
        output.collect(joined);
    }

    private void filter(List<RowData> left, List<RowData> right) {
        boolean wantsMatch = joinType == FlinkJoinType.SEMI;
        for (RowData row : left) {
            if (matchesAny(row, right) == wantsMatch) {
                output.collect(row);
            }
        }
    }

    private boolean matchesAny(RowData row, List<RowData> right) {
        for (RowData other : right) {
            if (condition.apply(row, other)) {
                return true;
            }
        }
        return false;
    }
}
