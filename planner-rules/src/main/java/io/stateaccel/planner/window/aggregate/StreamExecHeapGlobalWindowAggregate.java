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
package io.stateaccel.planner.window.aggregate;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.operators.window.aggregate.HeapWindowAggregate;
import io.stateaccel.operators.window.aggregate.HeapWindowAggregateSpec;
import io.stateaccel.planner.bundle.WindowHeap;
import io.stateaccel.planner.compiled.CompiledNode;
import java.time.ZoneId;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.flink.FlinkVersion;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonCreator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonInclude;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.logical.WindowingStrategy;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecGlobalWindowAggregate;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecWindowAggregateBase;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.planner.plan.utils.AggregateInfoList;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.planner.utils.TableConfigUtils;
import org.apache.flink.table.runtime.groupwindow.NamedWindowProperty;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.operators.window.tvf.slicing.SliceAssigner;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.util.TimeWindowUtil;
import org.apache.flink.table.types.logical.RowType;

/**
 * {@link StreamExecGlobalWindowAggregate} that makes a {@link HeapWindowAggregate} of the
 * accumulators of a local aggregate. The transformation has the input, parallelism, key, managed
 * memory and identifiers of the stock one.
 */
@ExecNodeMetadata(
        name = "state-accel-global-window-aggregate",
        version = 1,
        producedTransformations =
                StreamExecGlobalWindowAggregate.GLOBAL_WINDOW_AGGREGATE_TRANSFORMATION,
        minPlanVersion = FlinkVersion.v1_20,
        minStateVersion = FlinkVersion.v1_20)
public final class StreamExecHeapGlobalWindowAggregate extends StreamExecGlobalWindowAggregate {

    private static final String FIELD_NAME_BEST = "results";

    private final int[] keys;
    private final AggregateCall[] calls;
    private final WindowingStrategy windows;
    private final NamedWindowProperty[] properties;
    private final boolean retracts;

    @JsonProperty(FIELD_NAME_BEST)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @Nullable
    private final BestOfWindow best;

    private final RowType aggregatedType;

    public StreamExecHeapGlobalWindowAggregate(
            ReadableConfig tableConfig,
            int[] grouping,
            AggregateCall[] aggCalls,
            WindowingStrategy windowing,
            NamedWindowProperty[] namedWindowProperties,
            boolean needRetraction,
            RowType localAggInputRowType,
            @Nullable BestOfWindow best,
            RowType outputType,
            String description) {
        this(
                ExecNodeContext.newNodeId(),
                CompiledNode.context(
                        StreamExecHeapGlobalWindowAggregate.class,
                        StreamExecGlobalWindowAggregate.class),
                CompiledNode.config(
                        StreamExecGlobalWindowAggregate.class,
                        tableConfig,
                        List.of(StateAccelOptions.WINDOW_HEAP_SIZE)),
                grouping,
                aggCalls,
                windowing,
                namedWindowProperties,
                needRetraction,
                localAggInputRowType,
                best,
                List.of(InputProperty.DEFAULT),
                outputType,
                description);
    }

    @JsonCreator
    public StreamExecHeapGlobalWindowAggregate(
            @JsonProperty(FIELD_NAME_ID) int id,
            @JsonProperty(FIELD_NAME_TYPE) ExecNodeContext context,
            @JsonProperty(FIELD_NAME_CONFIGURATION) ReadableConfig persistedConfig,
            @JsonProperty(FIELD_NAME_GROUPING) int[] grouping,
            @JsonProperty(FIELD_NAME_AGG_CALLS) AggregateCall[] aggCalls,
            @JsonProperty(FIELD_NAME_WINDOWING) WindowingStrategy windowing,
            @JsonProperty(FIELD_NAME_NAMED_WINDOW_PROPERTIES)
                    NamedWindowProperty[] namedWindowProperties,
            @JsonProperty(FIELD_NAME_NEED_RETRACTION) boolean needRetraction,
            @JsonProperty(FIELD_NAME_LOCAL_AGG_INPUT_ROW_TYPE) RowType localAggInputRowType,
            @Nullable @JsonProperty(FIELD_NAME_BEST) BestOfWindow best,
            @JsonProperty(FIELD_NAME_INPUT_PROPERTIES) List<InputProperty> inputProperties,
            @JsonProperty(FIELD_NAME_OUTPUT_TYPE) RowType outputType,
            @JsonProperty(FIELD_NAME_DESCRIPTION) String description) {
        super(
                id,
                context,
                persistedConfig,
                grouping,
                aggCalls,
                windowing,
                namedWindowProperties,
                needRetraction,
                inputProperties,
                localAggInputRowType,
                outputType,
                description);
        this.keys = grouping;
        this.calls = aggCalls;
        this.windows = windowing;
        this.properties = namedWindowProperties;
        this.retracts = needRetraction;
        this.best = best;
        this.aggregatedType = localAggInputRowType;
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
        final ZoneId zone =
                TimeWindowUtil.getShiftTimeZone(
                        windows.getTimeAttributeType(), TableConfigUtils.getLocalTimeZone(config));
        final SliceAssigner assigner = (SliceAssigner) createWindowAssigner(windows, zone);
        final WindowAggregateFunctions<Long> functions =
                new WindowAggregateFunctions<>(
                        planner,
                        config,
                        aggregatedType,
                        calls,
                        retracts,
                        windows,
                        properties,
                        assigner,
                        Long.class,
                        zone);
        final AggregateInfoList infos = functions.infos(true);
        final AggregateInfoList localInfos = functions.infos(false);
        final boolean hasViews = WindowAggregateFunctions.hasViews(infos);
        final HeapWindowAggregateSpec spec =
                new HeapWindowAggregateSpec(
                        functions.ofAccumulators(
                                "StateWindowAggsHandler", infos, 0, false, infos.getAccTypes()),
                        functions.ofAccumulators(
                                "GlobalWindowAggsHandler",
                                infos,
                                hasViews ? 0 : keys.length,
                                true,
                                localInfos.getAccTypes()),
                        hasViews
                                ? functions.ofAccumulators(
                                        "LocalWindowAggsHandler",
                                        localInfos,
                                        keys.length,
                                        true,
                                        localInfos.getAccTypes())
                                : null,
                        true,
                        retracts,
                        assigner,
                        convertToLogicalTypes(infos.getAccTypes()),
                        infos.getIndexOfCountStar(),
                        zone,
                        WindowHeap.of(config).bytes(),
                        best == null
                                ? null
                                : best.spec(
                                        config,
                                        planner.getFlinkContext().getClassLoader(),
                                        (RowType) getOutputType()));

        final OneInputTransformation<RowData, RowData> aggregate =
                ExecNodeUtil.createOneInputTransformation(
                        input,
                        createTransformationMeta(GLOBAL_WINDOW_AGGREGATE_TRANSFORMATION, config),
                        SimpleOperatorFactory.of(new HeapWindowAggregate(spec).operator()),
                        InternalTypeInfo.of(getOutputType()),
                        input.getParallelism(),
                        StreamExecWindowAggregateBase.WINDOW_AGG_MEMORY_RATIO,
                        false);
        final RowDataKeySelector keySelector =
                KeySelectorUtil.getRowDataSelector(
                        planner.getFlinkContext().getClassLoader(),
                        keys,
                        InternalTypeInfo.of(inputType));
        aggregate.setStateKeySelector(keySelector);
        aggregate.setStateKeyType(keySelector.getProducedType());
        return aggregate;
    }
}
