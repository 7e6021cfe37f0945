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
package io.stateaccel.planner.join;

import io.stateaccel.operators.join.MiniBatchJoinOperator;
import io.stateaccel.operators.join.MiniBatchJoinSpec;
import io.stateaccel.planner.bundle.BundleShare;
import io.stateaccel.planner.bundle.BundlingNode;
import java.util.List;
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
 * {@link StreamExecJoin} that makes a {@link MiniBatchJoinOperator} of one kind or another. The
 * transformation has the inputs, parallelism, key and identifiers of the stock one. Never part of a
 * compiled plan.
 */
public abstract class StreamExecMiniBatchJoinBase extends StreamExecJoin implements BundlingNode {

    private final MiniBatchJoinInputs join;

    protected StreamExecMiniBatchJoinBase(
            ReadableConfig tableConfig,
            MiniBatchJoinInputs join,
            RowType outputType,
            String description) {
        super(
                tableConfig,
                join.joinSpec(),
                join.leftUpsertKeys(),
                join.rightUpsertKeys(),
                InputProperty.DEFAULT,
                InputProperty.DEFAULT,
                join.stateTtlFromHint(),
                outputType,
                description);
        this.join = join;
    }

    protected abstract MiniBatchJoinOperator operator(
            PlannerBase planner, ExecNodeConfig config, MiniBatchJoinSpec joinSpec);

    @Override
    public BundleShare bundle() {
        return join.bundle();
    }

    @Override
    public void setInputEdges(List<ExecEdge> inputEdges) {
        super.setInputEdges(inputEdges);
        join.bundle().connected(this);
    }

    @Override
    public String getDescription() {
        return join.bundle().describe(super.getDescription());
    }

    @Override
    protected final Transformation<RowData> translateToPlanInternal(
            PlannerBase planner, ExecNodeConfig config) {
        final ExecEdge leftEdge = getInputEdges().get(0);
        final ExecEdge rightEdge = getInputEdges().get(1);
        final MiniBatchJoinSpec joinSpec =
                join.operatorSpec(
                        (RowType) leftEdge.getOutputType(),
                        (RowType) rightEdge.getOutputType(),
                        config,
                        planner.getFlinkContext().getClassLoader(),
                        join.bundle().settings(getOutputType()));
        return TwoInputJoins.transformation(
                TwoInputJoins.translate(leftEdge, planner),
                TwoInputJoins.translate(rightEdge, planner),
                createTransformationMeta(JOIN_TRANSFORMATION, config),
                operator(planner, config, joinSpec),
                (RowType) getOutputType(),
                joinSpec.left().keySelector(),
                joinSpec.right().keySelector());
    }
}
