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

import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGroupAggregate;
import org.apache.flink.table.planner.plan.utils.AggregateInfoList;
import org.apache.flink.table.planner.plan.utils.AggregateUtil;
import org.apache.flink.table.planner.plan.utils.ChangelogPlanUtils;
import org.apache.flink.table.planner.utils.ShortcutUtils;

/** What rules look at in the functions of an aggregate. */
public final class AggregateFunctions {

    private AggregateFunctions() {}

    /** The functions as they are for the changes of the aggregate's input. */
    public static AggregateInfoList of(StreamPhysicalGroupAggregate aggregate) {
        return AggregateUtil.transformToStreamAggregateInfoList(
                ShortcutUtils.unwrapTypeFactory(aggregate),
                FlinkTypeFactory.toLogicalRowType(aggregate.getInput().getRowType()),
                aggregate.aggCalls(),
                AggregateUtil.deriveAggCallNeedRetractions(
                        aggregate, aggregate.grouping().length, aggregate.aggCalls()),
                !ChangelogPlanUtils.inputInsertOnly(aggregate),
                true,
                true);
    }
}
