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
import io.stateaccel.operators.join.rank.MiniBatchJoinRankOperator;
import io.stateaccel.operators.join.rank.MiniBatchJoinRankSpec;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecJoin;
import org.apache.flink.table.types.logical.RowType;

/**
 * Translates a join and the top-N above it into one operator; stands in for Flink's join, calc,
 * exchange and rank.
 */
public final class StreamExecMiniBatchJoinRank extends StreamExecJoin {

    private final MiniBatchJoinInputs join;
    private final JoinProjection projection;
    private final Ranking ranking;

    public StreamExecMiniBatchJoinRank(
            ReadableConfig tableConfig,
            MiniBatchJoinInputs join,
            JoinProjection projection,
            Ranking ranking,
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
        this.ranking = ranking;
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
        return TwoInputJoins.transformation(
                TwoInputJoins.translate(leftEdge, planner),
                TwoInputJoins.translate(rightEdge, planner),
                createTransformationMeta(JOIN_TRANSFORMATION, config),
                new MiniBatchJoinRankOperator(
                        new MiniBatchJoinRankSpec(
                                joinSpec,
                                projection.generate(config, classLoader),
                                ranking.operatorSpec(
                                        projection.outputType(), config, classLoader))),
                (RowType) getOutputType(),
                joinSpec.left().keySelector(),
                joinSpec.right().keySelector());
    }
}
