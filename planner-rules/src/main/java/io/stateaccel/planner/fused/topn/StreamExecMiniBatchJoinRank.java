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
package io.stateaccel.planner.fused.topn;

import io.stateaccel.operators.join.MiniBatchJoinOperator;
import io.stateaccel.operators.join.MiniBatchJoinSpec;
import io.stateaccel.operators.join.rank.MiniBatchJoinRankOperator;
import io.stateaccel.operators.join.rank.MiniBatchJoinRankSpec;
import io.stateaccel.planner.fused.JoinProjection;
import io.stateaccel.planner.join.MiniBatchJoinInputs;
import io.stateaccel.planner.join.StreamExecMiniBatchJoinBase;
import io.stateaccel.planner.topn.Ranking;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.types.logical.RowType;

/**
 * Translates a join and the top-N above it into one operator; stands in for Flink's join, calc,
 * exchange and rank.
 */
public final class StreamExecMiniBatchJoinRank extends StreamExecMiniBatchJoinBase {

    private final JoinProjection projection;
    private final Ranking ranking;

    public StreamExecMiniBatchJoinRank(
            ReadableConfig tableConfig,
            MiniBatchJoinInputs join,
            JoinProjection projection,
            Ranking ranking,
            RowType outputType,
            String description) {
        super(tableConfig, join, outputType, description);
        this.projection = projection;
        this.ranking = ranking;
    }

    @Override
    protected MiniBatchJoinOperator operator(
            PlannerBase planner, ExecNodeConfig config, MiniBatchJoinSpec joinSpec) {
        final ClassLoader classLoader = planner.getFlinkContext().getClassLoader();
        return new MiniBatchJoinRankOperator(
                new MiniBatchJoinRankSpec(
                        joinSpec,
                        projection.generate(config, classLoader),
                        ranking.operatorSpec(
                                projection.outputType(), config, classLoader, joinSpec.bundle())));
    }
}
