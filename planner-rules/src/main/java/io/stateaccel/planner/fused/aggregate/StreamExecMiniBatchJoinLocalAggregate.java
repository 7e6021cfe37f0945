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
package io.stateaccel.planner.fused.aggregate;

import io.stateaccel.operators.join.MiniBatchJoinOperator;
import io.stateaccel.operators.join.MiniBatchJoinSpec;
import io.stateaccel.operators.join.aggregate.MiniBatchJoinLocalAggregateOperator;
import io.stateaccel.operators.join.aggregate.MiniBatchJoinLocalAggregateSpec;
import io.stateaccel.planner.aggregate.GroupAggregateFunctions;
import io.stateaccel.planner.fused.JoinProjection;
import io.stateaccel.planner.fused.aggregate.StreamExecMiniBatchJoinAggregate.Aggregation;
import io.stateaccel.planner.join.MiniBatchJoinInputs;
import io.stateaccel.planner.join.StreamExecMiniBatchJoinBase;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * Translates a join, the calc on it and the first of two phases of the aggregate above into one
 * operator. Never part of a compiled plan.
 */
public final class StreamExecMiniBatchJoinLocalAggregate extends StreamExecMiniBatchJoinBase {

    private final JoinProjection projection;
    private final Aggregation aggregation;

    public StreamExecMiniBatchJoinLocalAggregate(
            ReadableConfig tableConfig,
            MiniBatchJoinInputs join,
            JoinProjection projection,
            Aggregation aggregation,
            RowType outputType,
            String description) {
        super(tableConfig, join, outputType, description);
        this.projection = projection;
        this.aggregation = aggregation;
    }

    @Override
    protected MiniBatchJoinOperator operator(
            PlannerBase planner, ExecNodeConfig config, MiniBatchJoinSpec joinSpec) {
        final ClassLoader classLoader = planner.getFlinkContext().getClassLoader();
        final RowType aggregatedType = projection.outputType();
        final GroupAggregateFunctions functions =
                GroupAggregateFunctions.ofRowsLocally(
                        planner,
                        config,
                        aggregatedType,
                        aggregation.aggCalls(),
                        aggregation.aggCallNeedRetractions(),
                        aggregation.needRetraction());
        return new MiniBatchJoinLocalAggregateOperator(
                new MiniBatchJoinLocalAggregateSpec(
                        joinSpec,
                        projection.generate(config, classLoader),
                        KeySelectorUtil.getRowDataSelector(
                                classLoader,
                                aggregation.grouping(),
                                InternalTypeInfo.of(aggregatedType)),
                        functions.generated(),
                        functions.accumulatorTypes(),
                        Aggregation.heapBytes(config)));
    }
}
