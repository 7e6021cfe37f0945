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

import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.rule.AccelerationRule;
import io.stateaccel.planner.rule.Decision;
import io.stateaccel.planner.rule.NodePattern;
import io.stateaccel.planner.rule.RuleContext;
import org.apache.calcite.rel.core.Window;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalOverAggregate;
import org.apache.flink.table.planner.plan.utils.OverAggregateUtil;

/**
 * Works OVER aggregates off partition by partition: those by row time when a watermark comes, and
 * those by processing time at the end of a bundle.
 *
 * <pre>
 *   OverAggregate(orderBy=[ts ASC])       MiniBatchOverAggregate(orderBy=[ts ASC])
 *   +- Exchange                      to   +- Exchange
 *      +- input                              +- input
 *
 *   OverAggregate(orderBy=[p ASC])        MiniBatchProcessingTimeOverAggregate(orderBy=[p ASC])
 *   +- Exchange                      to   +- Exchange
 *      +- input                              +- input
 * </pre>
 */
public final class ReplaceOverAggregateWithMiniBatchOverAggregate
        implements AccelerationRule<StreamPhysicalOverAggregate> {

    private static final NodePattern<StreamPhysicalOverAggregate> PATTERN =
            NodePattern.exactly(StreamPhysicalOverAggregate.class);

    @Override
    public NodePattern<StreamPhysicalOverAggregate> pattern() {
        return PATTERN;
    }

    @Override
    public Decision decide(StreamPhysicalOverAggregate over, RuleContext context) {
        final Window.Group group = over.logicWindow().groups.get(0);
        if (over.logicWindow().groups.size() > 1
                || group.orderKeys.getFieldCollations().size() != 1) {
            return Decision.stays(Reason.OVER_BY_COLUMN);
        }
        final RelDataType orderType =
                over.getInput()
                        .getRowType()
                        .getFieldList()
                        .get(group.orderKeys.getFieldCollations().get(0).getFieldIndex())
                        .getType();
        final boolean isByProcessingTime = FlinkTypeFactory.isProctimeIndicatorType(orderType);
        if (!isByProcessingTime && !FlinkTypeFactory.isRowtimeIndicatorType(orderType)) {
            return Decision.stays(Reason.OVER_BY_COLUMN);
        }
        if (context.isAsyncStateEnabled()) {
            return Decision.stays(Reason.ASYNC_STATE);
        }
        if (!isByProcessingTime) {
            return Decision.replaceBy(new StreamPhysicalMiniBatchOverAggregate(over, context));
        }
        if (OverFrames.haveNothingBefore(OverAggregateUtil.createOverSpec(over.logicWindow()))) {
            return Decision.stays(Reason.OVER_0_PRECEDING);
        }
        return Decision.replaceBy(
                new StreamPhysicalMiniBatchProcessingTimeOverAggregate(over, context));
    }
}
