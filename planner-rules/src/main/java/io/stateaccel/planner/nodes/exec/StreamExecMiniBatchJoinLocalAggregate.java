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
package io.stateaccel.planner.nodes.exec;

import io.stateaccel.operators.join.MiniBatchJoinSpec;
import io.stateaccel.operators.join.aggregate.MiniBatchJoinLocalAggregateOperator;
import io.stateaccel.operators.join.aggregate.MiniBatchJoinLocalAggregateSpec;
import io.stateaccel.planner.nodes.exec.StreamExecMiniBatchJoinAggregate.Aggregation;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecJoin;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * Translates a join, the calc on it and the first of two phases of the aggregate above into one
 * operator. Never part of a compiled plan.
 */
public final class StreamExecMiniBatchJoinLocalAggregate extends StreamExecJoin {

    private final MiniBatchJoinInputs join;
    private final JoinProjection projection;
    private final Aggregation aggregation;

    public StreamExecMiniBatchJoinLocalAggregate(
            ReadableConfig tableConfig,
            MiniBatchJoinInputs join,
            JoinProjection projection,
            Aggregation aggregation,
            InputProperty leftInputProperty,
            InputProperty rightInputProperty,
            RowType outputType,
            String description) {
        super(
                tableConfig,
                join.joinSpec(),
                join.leftUpsertKeys(),
                join.rightUpsertKeys(),
                leftInputProperty,
                rightInputProperty,
                join.stateTtlFromHint(),
                outputType,
                description);
        this.join = join;
        this.projection = projection;
        this.aggregation = aggregation;
    }

    @Override
    protected Transformation<RowData> translateToPlanInternal(
            PlannerBase planner, ExecNodeConfig config) {
        final ExecEdge leftEdge = getInputEdges().get(0);
        final ExecEdge rightEdge = getInputEdges().get(1);
        final ClassLoader classLoader = planner.getFlinkContext().getClassLoader();
        final MiniBatchJoinSpec joinSpec =
                join.operatorSpec(
                        (RowType) leftEdge.getOutputType(),
                        (RowType) rightEdge.getOutputType(),
                        config,
                        classLoader);
        final RowType aggregatedType = projection.outputType();
        final MiniBatchJoinLocalAggregateSpec spec =
                new MiniBatchJoinLocalAggregateSpec(
                        joinSpec,
                        projection.generate(config, classLoader),
                        KeySelectorUtil.getRowDataSelector(
                                classLoader,
                                aggregation.grouping(),
                                InternalTypeInfo.of(aggregatedType)),
                        GroupAggregateFunctions.ofRowsLocally(
                                        planner,
                                        config,
                                        aggregatedType,
                                        aggregation.aggCalls(),
                                        aggregation.aggCallNeedRetractions(),
                                        aggregation.needRetraction())
                                .generated());
        return TwoInputJoins.transformation(
                TwoInputJoins.translate(leftEdge, planner),
                TwoInputJoins.translate(rightEdge, planner),
                createTransformationMeta(JOIN_TRANSFORMATION, config),
                new MiniBatchJoinLocalAggregateOperator(spec),
                (RowType) getOutputType(),
                joinSpec.left().keySelector(),
                joinSpec.right().keySelector());
    }
}
