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
package io.stateaccel.planner.aggregate;

import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.rule.AccelerationRule;
import io.stateaccel.planner.rule.Decision;
import io.stateaccel.planner.rule.NodePattern;
import io.stateaccel.planner.rule.RuleContext;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.flink.table.functions.UserDefinedFunctionHelper;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGroupTableAggregate;
import org.apache.flink.table.planner.plan.utils.AggregateInfo;
import org.apache.flink.table.planner.plan.utils.ChangelogPlanUtils;

/**
 * Has a {@code flatAggregate} without windows aggregate a bundle of rows at a time, as {@link
 * ReplaceGroupAggregateWithCachedGroupAggregate} does aggregates of one row.
 */
public final class ReplaceGroupTableAggregateWithCachedGroupTableAggregate
        implements AccelerationRule<StreamPhysicalGroupTableAggregate> {

    private static final NodePattern<StreamPhysicalGroupTableAggregate> PATTERN =
            NodePattern.exactly(StreamPhysicalGroupTableAggregate.class);

    @Override
    public NodePattern<StreamPhysicalGroupTableAggregate> pattern() {
        return PATTERN;
    }

    @Override
    public Decision decide(StreamPhysicalGroupTableAggregate aggregate, RuleContext context) {
        if (!ChangelogPlanUtils.generateUpdateBefore(aggregate)) {
            return Decision.stays(Reason.TABLE_AGGREGATE_TAKES_NOTHING_BACK);
        }
        if (emitsUpdates(aggregate)) {
            return Decision.stays(Reason.TABLE_AGGREGATE_EMITS_UPDATES);
        }
        return Decision.replaceBy(new StreamPhysicalCachedGroupTableAggregate(aggregate, context));
    }

    /** Whether the function says itself what to take back; Flink goes by the method, too. */
    private static boolean emitsUpdates(StreamPhysicalGroupTableAggregate aggregate) {
        return Arrays.stream(aggregate.aggInfoList().aggInfos())
                .map(AggregateInfo::function)
                .flatMap(function -> Stream.of(function.getClass().getMethods()))
                .anyMatch(
                        method ->
                                method.getName()
                                        .equals(
                                                UserDefinedFunctionHelper
                                                        .TABLE_AGGREGATE_EMIT_RETRACT));
    }
}
