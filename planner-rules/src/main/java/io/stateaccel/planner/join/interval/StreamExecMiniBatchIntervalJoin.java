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
package io.stateaccel.planner.join.interval;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.join.interval.IntervalJoinSideSpec;
import io.stateaccel.operators.join.interval.MiniBatchIntervalJoinOperator;
import io.stateaccel.operators.join.interval.MiniBatchIntervalJoinSpec;
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
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.spec.IntervalJoinSpec;
import org.apache.flink.table.planner.plan.nodes.exec.spec.IntervalJoinSpec.WindowBounds;
import org.apache.flink.table.planner.plan.nodes.exec.spec.JoinSpec;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecIntervalJoin;
import org.apache.flink.table.planner.plan.utils.JoinUtil;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.generated.GeneratedJoinCondition;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * {@link StreamExecIntervalJoin} that makes a {@link MiniBatchIntervalJoinOperator}, of a join
 * whose interval is not empty. The transformation has the inputs, parallelism, key and identifiers
 * of the stock one.
 */
@ExecNodeMetadata(
        name = "state-accel-interval-join",
        version = 1,
        producedTransformations = StreamExecIntervalJoin.INTERVAL_JOIN_TRANSFORMATION,
        minPlanVersion = FlinkVersion.v1_20,
        minStateVersion = FlinkVersion.v1_20)
public final class StreamExecMiniBatchIntervalJoin extends StreamExecIntervalJoin
        implements BundlingNode {

    @JsonProperty(FIELD_NAME_BUNDLES)
    private final BundleShare bundles;

    private final JoinSpec joinSpec;
    private final WindowBounds windowBounds;

    public StreamExecMiniBatchIntervalJoin(
            ReadableConfig tableConfig,
            IntervalJoinSpec intervalJoinSpec,
            BundleShare bundles,
            RowType outputType,
            String description) {
        this(
                ExecNodeContext.newNodeId(),
                CompiledNode.context(
                        StreamExecMiniBatchIntervalJoin.class, StreamExecIntervalJoin.class),
                CompiledNode.config(
                        StreamExecIntervalJoin.class,
                        tableConfig,
                        BundleSettingsResolver.optionsAnd()),
                intervalJoinSpec,
                bundles,
                List.of(InputProperty.DEFAULT, InputProperty.DEFAULT),
                outputType,
                description);
    }

    @JsonCreator
    public StreamExecMiniBatchIntervalJoin(
            @JsonProperty(FIELD_NAME_ID) int id,
            @JsonProperty(FIELD_NAME_TYPE) ExecNodeContext context,
            @JsonProperty(FIELD_NAME_CONFIGURATION) ReadableConfig persistedConfig,
            @JsonProperty(FIELD_NAME_INTERVAL_JOIN_SPEC) IntervalJoinSpec intervalJoinSpec,
            @JsonProperty(FIELD_NAME_BUNDLES) BundleShare bundles,
            @JsonProperty(FIELD_NAME_INPUT_PROPERTIES) List<InputProperty> inputProperties,
            @JsonProperty(FIELD_NAME_OUTPUT_TYPE) RowType outputType,
            @JsonProperty(FIELD_NAME_DESCRIPTION) String description) {
        super(
                id,
                context,
                persistedConfig,
                intervalJoinSpec,
                inputProperties,
                outputType,
                description);
        this.joinSpec = intervalJoinSpec.getJoinSpec();
        this.windowBounds = intervalJoinSpec.getWindowBounds();
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

        final ClassLoader classLoader = planner.getFlinkContext().getClassLoader();
        final IntervalJoinSideSpec left =
                side(
                        classLoader,
                        leftType,
                        joinSpec.getLeftKeys(),
                        timeColumn(windowBounds.getLeftTimeIdx()),
                        joinSpec.getJoinType().isLeftOuter());
        final IntervalJoinSideSpec right =
                side(
                        classLoader,
                        rightType,
                        joinSpec.getRightKeys(),
                        timeColumn(windowBounds.getRightTimeIdx()),
                        joinSpec.getJoinType().isRightOuter());
        final GeneratedJoinCondition condition =
                JoinUtil.generateConditionFunction(
                        config, classLoader, joinSpec, leftType, rightType);
        final long minCleanUpMillis =
                planner.getTableConfig()
                        .get(ExecutionConfigOptions.TABLE_EXEC_INTERVAL_JOIN_MIN_CLEAN_UP_INTERVAL)
                        .toMillis();

        return TwoInputJoins.transformation(
                TwoInputJoins.translate(leftEdge, planner),
                TwoInputJoins.translate(rightEdge, planner),
                createTransformationMeta(INTERVAL_JOIN_TRANSFORMATION, config),
                new MiniBatchIntervalJoinOperator(
                        new MiniBatchIntervalJoinSpec(
                                left,
                                right,
                                windowBounds.getLeftLowerBound(),
                                windowBounds.getLeftUpperBound(),
                                Math.max(0, minCleanUpMillis),
                                condition,
                                joinSpec.getFilterNulls(),
                                bundleSettings(config))),
                (RowType) getOutputType(),
                left.keySelector(),
                right.keySelector());
    }

    private int timeColumn(int ofRowTime) {
        return windowBounds.isEventTime() ? ofRowTime : IntervalJoinSideSpec.ARRIVAL;
    }

    private BundleSettings bundleSettings(ReadableConfig config) {
        final BundleSettings settings = bundles.settings(config, getOutputType());
        // Whether a row is late is for the watermark to say.
        return windowBounds.isEventTime() ? settings.endingAtWatermarks(true) : settings;
    }

    private static IntervalJoinSideSpec side(
            ClassLoader classLoader, RowType type, int[] joinKey, int timeColumn, boolean isOuter) {
        final InternalTypeInfo<RowData> typeInfo = InternalTypeInfo.of(type);
        return new IntervalJoinSideSpec(
                typeInfo,
                KeySelectorUtil.getRowDataSelector(classLoader, joinKey, typeInfo),
                timeColumn,
                isOuter);
    }
}
