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
package io.stateaccel.planner.over;

import io.stateaccel.operators.over.RowTimeOverSpec;
import org.apache.calcite.rex.RexWindowBound;
import org.apache.flink.table.api.TableException;
import org.apache.flink.table.planner.plan.nodes.exec.spec.OverSpec;
import org.apache.flink.table.planner.plan.utils.OverAggregateUtil;

/** What an OVER aggregate by time says of its frames. */
final class OverFrames {

    private OverFrames() {}

    /**
     * The first row of a frame, as {@link RowTimeOverSpec} has it.
     *
     * @throws TableException in the words of Flink, where it has no operator for the frame
     */
    static long preceding(OverSpec over) {
        final OverSpec.GroupSpec group = over.getGroups().get(0);
        if (!group.getSort().getAscendingOrders()[0]) {
            throw new TableException("The window can only be ordered in ASCENDING mode.");
        }
        if (!group.getLowerBound().isPreceding() || !group.getUpperBound().isCurrentRow()) {
            throw new TableException("OVER RANGE FOLLOWING windows are not supported yet.");
        }
        if (group.getLowerBound().isUnbounded()) {
            return RowTimeOverSpec.UNBOUNDED;
        }
        final Object bound = OverAggregateUtil.getBoundary(over, group.getLowerBound());
        if (!(bound instanceof Long)) {
            throw new TableException(
                    "the specific value is decimal which haven not supported yet.");
        }
        return -(long) bound + (group.isRows() ? 1 : 0);
    }

    /** Whether frames begin {@code 0 PRECEDING}, rows or milliseconds. */
    static boolean haveNothingBefore(OverSpec over) {
        final RexWindowBound first = over.getGroups().get(0).getLowerBound();
        return first.isPreceding()
                && !first.isUnbounded()
                && OverAggregateUtil.getBoundary(over, first).equals(0L);
    }
}
