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

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.join.JoinSideSpec;
import io.stateaccel.operators.join.MiniBatchJoinOperator;
import io.stateaccel.operators.join.MiniBatchJoinSpec;
import io.stateaccel.views.join.InputChangelog;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.transformations.TwoInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.spec.JoinSpec;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecJoin;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.planner.plan.utils.JoinUtil;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.generated.GeneratedJoinCondition;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * {@link StreamExecJoin} that makes a {@link MiniBatchJoinOperator}. The transformation has the
 * inputs, parallelism, key and identifiers of the stock one. Never part of a compiled plan.
 */
public final class StreamExecMiniBatchJoin extends StreamExecJoin {

    private final JoinSpec joinSpec;
    private final List<int[]> leftUpsertKeys;
    private final List<int[]> rightUpsertKeys;
    private final InputChangelog leftChangelog;
    private final InputChangelog rightChangelog;
    private final BundleSettings bundle;

    public StreamExecMiniBatchJoin(
            ReadableConfig tableConfig,
            JoinSpec joinSpec,
            List<int[]> leftUpsertKeys,
            List<int[]> rightUpsertKeys,
            InputChangelog leftChangelog,
            InputChangelog rightChangelog,
            BundleSettings bundle,
            InputProperty leftInputProperty,
            InputProperty rightInputProperty,
            Map<Integer, Long> stateTtlFromHint,
            RowType outputType,
            String description) {
        super(
                tableConfig,
                joinSpec,
                leftUpsertKeys,
                rightUpsertKeys,
                leftInputProperty,
                rightInputProperty,
                stateTtlFromHint,
                outputType,
                description);
        this.joinSpec = joinSpec;
        this.leftUpsertKeys = leftUpsertKeys;
        this.rightUpsertKeys = rightUpsertKeys;
        this.leftChangelog = leftChangelog;
        this.rightChangelog = rightChangelog;
        this.bundle = bundle;
    }

    @Override
    protected Transformation<RowData> translateToPlanInternal(
            PlannerBase planner, ExecNodeConfig config) {
        final ExecEdge leftEdge = getInputEdges().get(0);
        final ExecEdge rightEdge = getInputEdges().get(1);
        final Transformation<RowData> leftInput = translate(leftEdge, planner);
        final Transformation<RowData> rightInput = translate(rightEdge, planner);
        final RowType leftType = (RowType) leftEdge.getOutputType();
        final RowType rightType = (RowType) rightEdge.getOutputType();
        JoinUtil.validateJoinSpec(joinSpec, leftType, rightType, true);

        final ClassLoader classLoader = planner.getFlinkContext().getClassLoader();
        final JoinSideSpec left =
                side(classLoader, leftType, joinSpec.getLeftKeys(), leftUpsertKeys, leftChangelog);
        final JoinSideSpec right =
                side(
                        classLoader,
                        rightType,
                        joinSpec.getRightKeys(),
                        rightUpsertKeys,
                        rightChangelog);
        final GeneratedJoinCondition condition =
                JoinUtil.generateConditionFunction(
                        config, classLoader, joinSpec, leftType, rightType);

        final TwoInputTransformation<RowData, RowData, RowData> join =
                ExecNodeUtil.createTwoInputTransformation(
                        leftInput,
                        rightInput,
                        createTransformationMeta(JOIN_TRANSFORMATION, config),
                        new MiniBatchJoinOperator(
                                new MiniBatchJoinSpec(
                                        joinSpec.getJoinType(),
                                        left,
                                        right,
                                        condition,
                                        joinSpec.getFilterNulls(),
                                        bundle)),
                        InternalTypeInfo.of((RowType) getOutputType()),
                        leftInput.getParallelism(),
                        false);
        join.setStateKeySelectors(left.keySelector(), right.keySelector());
        join.setStateKeyType(left.keySelector().getProducedType());
        return join;
    }

    @SuppressWarnings("unchecked")
    private static Transformation<RowData> translate(ExecEdge edge, PlannerBase planner) {
        return (Transformation<RowData>) edge.translateToPlan(planner);
    }

    private static JoinSideSpec side(
            ClassLoader classLoader,
            RowType type,
            int[] joinKey,
            List<int[]> upsertKeys,
            InputChangelog changelog) {
        final InternalTypeInfo<RowData> typeInfo = InternalTypeInfo.of(type);
        return new JoinSideSpec(
                typeInfo,
                KeySelectorUtil.getRowDataSelector(classLoader, joinKey, typeInfo),
                JoinUtil.analyzeJoinInput(classLoader, typeInfo, joinKey, upsertKeys),
                changelog);
    }
}
