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
import io.stateaccel.planner.bundle.BundleSettingsResolver;
import io.stateaccel.planner.bundle.BundleShare;
import io.stateaccel.planner.bundle.BundlingNode;
import io.stateaccel.planner.compiled.CompiledNode;
import io.stateaccel.planner.join.TwoInputJoins;
import java.util.List;
import org.apache.flink.FlinkVersion;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonCreator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeMetadata;
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
 * stock one.
 */
@ExecNodeMetadata(
        name = "state-accel-temporal-join",
        version = 1,
        producedTransformations = StreamExecTemporalJoin.TEMPORAL_JOIN_TRANSFORMATION,
        minPlanVersion = FlinkVersion.v1_20,
        minStateVersion = FlinkVersion.v1_20)
public final class StreamExecMiniBatchTemporalJoin extends StreamExecTemporalJoin
        implements BundlingNode {

    @JsonProperty(FIELD_NAME_BUNDLES)
    private final BundleShare bundles;

    private final JoinSpec join;
    private final int leftTimeColumn;
    private final int rightTimeColumn;

    public StreamExecMiniBatchTemporalJoin(
            ReadableConfig tableConfig,
            JoinSpec joinSpec,
            int leftTimeColumn,
            int rightTimeColumn,
            BundleShare bundles,
            RowType outputType,
            String description) {
        this(
                ExecNodeContext.newNodeId(),
                CompiledNode.context(
                        StreamExecMiniBatchTemporalJoin.class, StreamExecTemporalJoin.class),
                CompiledNode.config(
                        StreamExecTemporalJoin.class,
                        tableConfig,
                        BundleSettingsResolver.optionsAnd()),
                joinSpec,
                leftTimeColumn,
                rightTimeColumn,
                bundles,
                List.of(InputProperty.DEFAULT, InputProperty.DEFAULT),
                outputType,
                description);
    }

    @JsonCreator
    public StreamExecMiniBatchTemporalJoin(
            @JsonProperty(FIELD_NAME_ID) int id,
            @JsonProperty(FIELD_NAME_TYPE) ExecNodeContext context,
            @JsonProperty(FIELD_NAME_CONFIGURATION) ReadableConfig persistedConfig,
            @JsonProperty(FIELD_NAME_JOIN_SPEC) JoinSpec joinSpec,
            @JsonProperty(FIELD_NAME_LEFT_TIME_ATTRIBUTE_INDEX) int leftTimeColumn,
            @JsonProperty(FIELD_NAME_RIGHT_TIME_ATTRIBUTE_INDEX) int rightTimeColumn,
            @JsonProperty(FIELD_NAME_BUNDLES) BundleShare bundles,
            @JsonProperty(FIELD_NAME_INPUT_PROPERTIES) List<InputProperty> inputProperties,
            @JsonProperty(FIELD_NAME_OUTPUT_TYPE) RowType outputType,
            @JsonProperty(FIELD_NAME_DESCRIPTION) String description) {
        super(
                id,
                context,
                persistedConfig,
                joinSpec,
                false,
                leftTimeColumn,
                rightTimeColumn,
                inputProperties,
                outputType,
                description);
        this.join = joinSpec;
        this.leftTimeColumn = leftTimeColumn;
        this.rightTimeColumn = rightTimeColumn;
        this.bundles = bundles;
    }

    @Override
    public BundleShare bundle() {
        return bundles;
    }

    @Override
    public void setInputEdges(List<ExecEdge> inputEdges) {
        super.setInputEdges(inputEdges);
        bundles.connected(this);
    }

    @Override
    public String getDescription() {
        return bundles.describe(super.getDescription(), getPersistedConfig());
    }

    @Override
    protected Transformation<RowData> translateToPlanInternal(
            PlannerBase planner, ExecNodeConfig config) {
        CompiledNode.translating(planner, config);
        final ExecEdge leftEdge = getInputEdges().get(0);
        final ExecEdge rightEdge = getInputEdges().get(1);
        final RowType leftType = (RowType) leftEdge.getOutputType();
        final RowType rightType = (RowType) rightEdge.getOutputType();
        JoinUtil.validateJoinSpec(join, leftType, rightType, true);

        final ClassLoader classLoader = planner.getFlinkContext().getClassLoader();
        final TemporalJoinSideSpec left =
                side(classLoader, leftType, join.getLeftKeys(), leftTimeColumn);
        final TemporalJoinSideSpec right =
                side(classLoader, rightType, join.getRightKeys(), rightTimeColumn);

        return TwoInputJoins.transformation(
                TwoInputJoins.translate(leftEdge, planner),
                TwoInputJoins.translate(rightEdge, planner),
                createTransformationMeta(TEMPORAL_JOIN_TRANSFORMATION, config),
                new MiniBatchTemporalJoinOperator(
                        new MiniBatchTemporalJoinSpec(
                                left,
                                right,
                                join.getJoinType() == FlinkJoinType.LEFT,
                                JoinUtil.generateConditionFunction(
                                        config, classLoader, join, leftType, rightType),
                                config.getStateRetentionTime(),
                                TableConfigUtils.getMaxIdleStateRetentionTime(config),
                                bundles.settings(config, getOutputType()))),
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
