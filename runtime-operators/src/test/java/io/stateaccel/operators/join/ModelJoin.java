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

import io.stateaccel.operators.join.MiniBatchJoinDifferentialTest.Change;
import io.stateaccel.operators.join.MiniBatchJoinDifferentialTest.Event;
import io.stateaccel.operators.join.MiniBatchJoinDifferentialTest.Time;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.types.RowKind;

/** An inner join of {@link ExpiringRows} that compares every row with every other. */
final class ModelJoin {

    private final JoinCase join;
    private final ExpiringRows left;
    private final ExpiringRows right;
    private long now = 1;

    ModelJoin(JoinCase join) {
        this.join = join;
        this.left = new ExpiringRows(join.leftTtl());
        this.right = new ExpiringRows(join.rightTtl());
    }

    /** Returns what changes in the result. */
    List<RowData> apply(Event event) {
        if (event instanceof Time time) {
            now = time.millis();
        }
        if (!(event instanceof Change change)) {
            return List.of();
        }
        BinaryRowData row = change.row().copy();
        row.setRowKind(RowKind.INSERT);
        ExpiringRows own = change.isLeft() ? left : right;
        JoinCase.Side side = change.isLeft() ? join.left() : join.right();
        if (RowDataUtil.isAccumulateMsg(change.row())) {
            if (side.uniqueKey() != JoinCase.UniqueKey.NONE) {
                replace(own, side, row);
            }
            own.add(row, now);
        } else {
            own.remove(row, now);
        }
        List<RowData> pairs = new ArrayList<>();
        for (BinaryRowData other : (change.isLeft() ? right : left).rows(now)) {
            BinaryRowData l = change.isLeft() ? row : other;
            BinaryRowData r = change.isLeft() ? other : row;
            if (join.matches(l, r)) {
                JoinedRowData pair = new JoinedRowData(l, r);
                pair.setRowKind(change.row().getRowKind());
                pairs.add(pair);
            }
        }
        return pairs;
    }

    /** An upsert takes the place of the row with its key. */
    private void replace(ExpiringRows rows, JoinCase.Side side, BinaryRowData by) {
        for (BinaryRowData row : rows.rows(now)) {
            if (side.uniqueKey() == JoinCase.UniqueKey.ID
                    ? row.getLong(JoinCase.ID) == by.getLong(JoinCase.ID)
                    : JoinCase.sameKey(row, by)) {
                rows.remove(row, now);
            }
        }
    }
}
