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

import io.stateaccel.operators.join.temporal.MiniBatchTemporalJoinOperator;
import io.stateaccel.operators.join.temporal.MiniBatchTemporalJoinSpec;
import io.stateaccel.operators.join.temporal.TemporalJoinSideSpec;
import io.stateaccel.planner.bundle.BundleShare;
import io.stateaccel.planner.bundle.BundlingNode;
import io.stateaccel.planner.join.TwoInputJoins;
import java.util.List;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.spec.JoinSpec;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecTemporalJoin;
import org.apache.flink.table.planner.plan.utils.JoinUtil;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.planner.utils.TableConfigUtils;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * {@link StreamExecTemporalJoin} that makes a {@link MiniBatchTemporalJoinOperator}, of an INNER or
 * LEFT join on row time. The transformation has the inputs, parallelism, key and identifiers of the
 * stock one. Never part of a compiled plan.
 */
final class StreamExecMiniBatchTemporalJoin extends StreamExecTemporalJoin implements BundlingNode {

    private final JoinSpec joinSpec;
    private final int leftTimeColumn;
    private final int rightTimeColumn;
    private final BundleShare bundle;

    StreamExecMiniBatchTemporalJoin(
            ReadableConfig tableConfig,
            JoinSpec joinSpec,
            int leftTimeColumn,
            int rightTimeColumn,
            BundleShare bundle,
            InputProperty leftInputProperty,
            InputProperty rightInputProperty,
            RowType outputType,
            String description) {
        super(
                tableConfig,
                joinSpec,
                false,
                leftTimeColumn,
                rightTimeColumn,
                leftInputProperty,
                rightInputProperty,
                outputType,
                description);
        this.joinSpec = joinSpec;
        this.leftTimeColumn = leftTimeColumn;
        this.rightTimeColumn = rightTimeColumn;
        this.bundle = bundle;
    }

    @Override
    public BundleShare bundle() {
        return bundle;
    }

    @Override
    public void setInputEdges(List<ExecEdge> inputEdges) {
        super.setInputEdges(inputEdges);
        bundle.connected(this);
    }

    @Override
    public String getDescription() {
        return bundle.describe(super.getDescription());
    }

    @Override
    protected Transformation<RowData> translateToPlanInternal(
            PlannerBase planner, ExecNodeConfig config) {
        final ExecEdge leftEdge = getInputEdges().get(0);
        final ExecEdge rightEdge = getInputEdges().get(1);
        final RowType leftType = (RowType) leftEdge.getOutputType();
        final RowType rightType = (RowType) rightEdge.getOutputType();
        JoinUtil.validateJoinSpec(joinSpec, leftType, rightType, true);

        final ClassLoader classLoader = planner.getFlinkContext().getClassLoader();
        final TemporalJoinSideSpec left =
                side(classLoader, leftType, joinSpec.getLeftKeys(), leftTimeColumn);
        final TemporalJoinSideSpec right =
                side(classLoader, rightType, joinSpec.getRightKeys(), rightTimeColumn);

        return TwoInputJoins.transformation(
                TwoInputJoins.translate(leftEdge, planner),
                TwoInputJoins.translate(rightEdge, planner),
                createTransformationMeta(TEMPORAL_JOIN_TRANSFORMATION, config),
                new MiniBatchTemporalJoinOperator(
                        new MiniBatchTemporalJoinSpec(
                                left,
                                right,
                                joinSpec.getJoinType() == FlinkJoinType.LEFT,
                                JoinUtil.generateConditionFunction(
                                        config, classLoader, joinSpec, leftType, rightType),
                                config.getStateRetentionTime(),
                                TableConfigUtils.getMaxIdleStateRetentionTime(config),
                                bundle.settings(getOutputType()))),
                (RowType) getOutputType(),
                left.keySelector(),
                right.keySelector());
    }

    private static TemporalJoinSideSpec side(
            ClassLoader classLoader, RowType type, int[] joinKey, int timeColumn) {
        final InternalTypeInfo<RowData> typeInfo = InternalTypeInfo.of(type);
        return new TemporalJoinSideSpec(
                typeInfo,
                KeySelectorUtil.getRowDataSelector(classLoader, joinKey, typeInfo),
                timeColumn);
    }
}
