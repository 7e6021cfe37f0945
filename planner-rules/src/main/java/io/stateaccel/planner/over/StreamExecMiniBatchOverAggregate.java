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
package io.stateaccel.planner.over;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.flink.planner.OverAggregateNode;
import io.stateaccel.operators.over.IdleRetention;
import io.stateaccel.operators.over.RowTimeOverOperator;
import io.stateaccel.operators.over.RowTimeOverSpec;
import io.stateaccel.planner.aggregate.GroupAggregateFunctions;
import io.stateaccel.planner.bundle.BundleSettingsResolver;
import io.stateaccel.planner.bundle.WindowHeap;
import io.stateaccel.planner.compiled.CompiledNode;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.FlinkVersion;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonCreator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.spec.OverSpec;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecOverAggregate;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.planner.utils.TableConfigUtils;
import org.apache.flink.table.runtime.generated.GeneratedAggsHandleFunction;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * {@link StreamExecOverAggregate} by row time that makes a {@link RowTimeOverOperator}. The
 * transformation has the input, parallelism, key and identifiers of the stock one.
 */
@ExecNodeMetadata(
        name = "state-accel-over-aggregate",
        version = 1,
        producedTransformations = StreamExecOverAggregate.OVER_AGGREGATE_TRANSFORMATION,
        minPlanVersion = FlinkVersion.v1_20,
        minStateVersion = FlinkVersion.v1_20)
public final class StreamExecMiniBatchOverAggregate extends OverAggregateNode {

    private final OverSpec over;

    public StreamExecMiniBatchOverAggregate(
            ReadableConfig tableConfig, OverSpec over, RowType outputType, String description) {
        this(
                ExecNodeContext.newNodeId(),
                CompiledNode.context(
                        StreamExecMiniBatchOverAggregate.class, StreamExecOverAggregate.class),
                CompiledNode.config(
                        StreamExecOverAggregate.class,
                        tableConfig,
                        BundleSettingsResolver.optionsAnd(StateAccelOptions.WINDOW_HEAP_SIZE)),
                over,
                unboundedVersion(tableConfig),
                List.of(InputProperty.DEFAULT),
                outputType,
                description);
    }

    @JsonCreator
    public StreamExecMiniBatchOverAggregate(
            @JsonProperty(FIELD_NAME_ID) int id,
            @JsonProperty(FIELD_NAME_TYPE) ExecNodeContext context,
            @JsonProperty(FIELD_NAME_CONFIGURATION) ReadableConfig persistedConfig,
            @JsonProperty(FIELD_NAME_OVER_SPEC) OverSpec over,
            @Nullable @JsonProperty(UNBOUNDED_VERSION) Integer unboundedVersion,
            @JsonProperty(FIELD_NAME_INPUT_PROPERTIES) List<InputProperty> inputProperties,
            @JsonProperty(FIELD_NAME_OUTPUT_TYPE) RowType outputType,
            @JsonProperty(FIELD_NAME_DESCRIPTION) String description) {
        super(
                id,
                context,
                persistedConfig,
                over,
                unboundedVersion,
                inputProperties,
                outputType,
                description);
        this.over = over;
    }

    @Override
    @SuppressWarnings("unchecked")
    protected Transformation<RowData> translateToPlanInternal(
            PlannerBase planner, ExecNodeConfig config) {
        CompiledNode.translating(planner, config);
        final ExecEdge inputEdge = getInputEdges().get(0);
        final Transformation<RowData> input =
                (Transformation<RowData>) inputEdge.translateToPlan(planner);
        final RowType inputType = (RowType) inputEdge.getOutputType();
        final RowDataKeySelector keySelector =
                KeySelectorUtil.getRowDataSelector(
                        planner.getFlinkContext().getClassLoader(),
                        over.getPartition().getFieldIndices(),
                        InternalTypeInfo.of(inputType));
        final OneInputTransformation<RowData, RowData> transformation =
                ExecNodeUtil.createOneInputTransformation(
                        input,
                        createTransformationMeta(OVER_AGGREGATE_TRANSFORMATION, config),
                        new RowTimeOverOperator(spec(planner, config, inputType, keySelector)),
                        InternalTypeInfo.of(getOutputType()),
                        input.getParallelism(),
                        false);
        transformation.setStateKeySelector(keySelector);
        transformation.setStateKeyType(keySelector.getProducedType());
        return transformation;
    }

    private RowTimeOverSpec spec(
            PlannerBase planner,
            ExecNodeConfig config,
            RowType inputType,
            RowDataKeySelector keySelector) {
        final OverSpec.GroupSpec group = over.getGroups().get(0);
        final long preceding = OverFrames.preceding(over);
        final GroupAggregateFunctions<GeneratedAggsHandleFunction> functions =
                GroupAggregateFunctions.ofFrames(
                        planner, config, inputType, over, preceding != RowTimeOverSpec.UNBOUNDED);
        final boolean isKeptByRowTime = preceding != RowTimeOverSpec.UNBOUNDED && !group.isRows();
        return new RowTimeOverSpec(
                InternalTypeInfo.of(inputType),
                keySelector,
                group.getSort().getFieldIndices()[0],
                group.isRows(),
                preceding,
                functions.generated(),
                functions.accumulatorTypes(),
                isKeptByRowTime
                        ? IdleRetention.FOREVER
                        : new IdleRetention(
                                config.getStateRetentionTime(),
                                TableConfigUtils.getMaxIdleStateRetentionTime(config)),
                BundleSettingsResolver.resolve(config),
                WindowHeap.of(config).bytes());
    }
}
