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
package io.stateaccel.planner.join.temporal;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.flink.table.planner.plan.nodes.exec.spec.JoinSpec;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalTemporalJoin;
import org.apache.flink.table.planner.plan.utils.TemporalTableJoinUtil;

/**
 * What the condition of a temporal join on row time says, which the stock node keeps to itself.
 *
 * @param joinSpec the join without the condition on times
 * @param leftTimeColumn of the left input
 * @param rightTimeColumn of the right input
 */
record RowTimeCondition(JoinSpec joinSpec, int leftTimeColumn, int rightTimeColumn) {

    /**
     * @return empty unless the join is an INNER or LEFT one, {@code FOR SYSTEM_TIME AS OF} row time
     */
    static Optional<RowTimeCondition> of(StreamPhysicalTemporalJoin join) {
        final JoinSpec spec = join.joinSpec();
        final boolean isCovered =
                join.getJoinType() == JoinRelType.INNER || join.getJoinType() == JoinRelType.LEFT;
        if (!isCovered || spec.getNonEquiCondition().isEmpty()) {
            return Optional.empty();
        }
        final TimesExtractor times = new TimesExtractor(join.getCluster().getRexBuilder());
        final RexNode rest = spec.getNonEquiCondition().get().accept(times);
        if (times.found.size() != 1) {
            return Optional.empty();
        }
        final List<RexNode> operands = times.found.get(0).getOperands();
        final int leftColumns = join.getLeft().getRowType().getFieldCount();
        return operands.get(0) instanceof RexInputRef leftTime
                        && operands.get(1) instanceof RexInputRef rightTime
                ? Optional.of(
                        new RowTimeCondition(
                                new JoinSpec(
                                        spec.getJoinType(),
                                        spec.getLeftKeys(),
                                        spec.getRightKeys(),
                                        spec.getFilterNulls(),
                                        rest),
                                leftTime.getIndex(),
                                rightTime.getIndex() - leftColumns))
                : Optional.empty();
    }

    /** Takes the conditions on times out. */
    private static final class TimesExtractor extends RexShuttle {

        final List<RexCall> found = new ArrayList<>();

        private final RexBuilder builder;

        TimesExtractor(RexBuilder builder) {
            this.builder = builder;
        }

        @Override
        public RexNode visitCall(RexCall call) {
            if (!TemporalTableJoinUtil.isRowTimeTemporalTableJoinCondition(call)) {
                return super.visitCall(call);
            }
            found.add(call);
            return builder.makeLiteral(true);
        }
    }
}
