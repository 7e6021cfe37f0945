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
import io.stateaccel.operators.window.session.HeapSessionAggregate;
import io.stateaccel.operators.window.session.SessionSpec;
import io.stateaccel.operators.window.session.SessionWindows;
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
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.logical.SessionWindowSpec;
import org.apache.flink.table.planner.plan.logical.TimeAttributeWindowingStrategy;
import org.apache.flink.table.planner.plan.logical.WindowAttachedWindowingStrategy;
import org.apache.flink.table.planner.plan.logical.WindowingStrategy;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecWindowAggregate;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecWindowAggregateBase;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.planner.plan.utils.AggregateInfoList;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.planner.utils.TableConfigUtils;
import org.apache.flink.table.runtime.generated.GeneratedNamespaceAggsHandleFunction;
import org.apache.flink.table.runtime.groupwindow.NamedWindowProperty;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.table.runtime.operators.window.tvf.common.WindowAssigner;
import org.apache.flink.table.runtime.operators.window.tvf.slicing.SliceAssigner;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.util.TimeWindowUtil;
import org.apache.flink.table.types.logical.RowType;

/**
 * {@link StreamExecWindowAggregate} that makes a {@link HeapWindowAggregate}, or of session windows
 * a {@link HeapSessionAggregate}. The transformation has the input, parallelism, key, managed
 * memory and identifiers of the stock one.
 */
@ExecNodeMetadata(
        name = "state-accel-window-aggregate",
        version = 1,
        producedTransformations = StreamExecWindowAggregate.WINDOW_AGGREGATE_TRANSFORMATION,
        minPlanVersion = FlinkVersion.v1_20,
        minStateVersion = FlinkVersion.v1_20)
public final class StreamExecHeapWindowAggregate extends StreamExecWindowAggregate {

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

    public StreamExecHeapWindowAggregate(
            ReadableConfig tableConfig,
            int[] grouping,
            AggregateCall[] aggCalls,
            WindowingStrategy windowing,
            NamedWindowProperty[] namedWindowProperties,
            boolean needRetraction,
            @Nullable BestOfWindow best,
            RowType outputType,
            String description) {
        this(
                ExecNodeContext.newNodeId(),
                CompiledNode.context(
                        StreamExecHeapWindowAggregate.class, StreamExecWindowAggregate.class),
                CompiledNode.config(
                        StreamExecWindowAggregate.class,
                        tableConfig,
                        List.of(StateAccelOptions.WINDOW_HEAP_SIZE)),
                grouping,
                aggCalls,
                windowing,
                namedWindowProperties,
                needRetraction,
                best,
                List.of(InputProperty.DEFAULT),
                outputType,
                description);
    }

    @JsonCreator
    public StreamExecHeapWindowAggregate(
            @JsonProperty(FIELD_NAME_ID) int id,
            @JsonProperty(FIELD_NAME_TYPE) ExecNodeContext context,
            @JsonProperty(FIELD_NAME_CONFIGURATION) ReadableConfig persistedConfig,
            @JsonProperty(FIELD_NAME_GROUPING) int[] grouping,
            @JsonProperty(FIELD_NAME_AGG_CALLS) AggregateCall[] aggCalls,
            @JsonProperty(FIELD_NAME_WINDOWING) WindowingStrategy windowing,
            @JsonProperty(FIELD_NAME_NAMED_WINDOW_PROPERTIES)
                    NamedWindowProperty[] namedWindowProperties,
            @JsonProperty(FIELD_NAME_NEED_RETRACTION) boolean needRetraction,
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
                outputType,
                description);
        this.keys = grouping;
        this.calls = aggCalls;
        this.windows = windowing;
        this.properties = namedWindowProperties;
        this.retracts = needRetraction;
        this.best = best;
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
        final WindowAssigner assigner = createWindowAssigner(windows, zone);
        final OneInputStreamOperator<RowData, RowData> operator =
                assigner instanceof SliceAssigner slices
                        ? ofSlices(
                                functions(planner, config, inputType, slices, Long.class, zone),
                                slices)
                        : ofSessions(
                                functions(
                                        planner,
                                        config,
                                        inputType,
                                        assigner,
                                        TimeWindow.class,
                                        zone));

        final OneInputTransformation<RowData, RowData> aggregate =
                ExecNodeUtil.createOneInputTransformation(
                        input,
                        createTransformationMeta(WINDOW_AGGREGATE_TRANSFORMATION, config),
                        SimpleOperatorFactory.of(operator),
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

    private <N> WindowAggregateFunctions<N> functions(
            PlannerBase planner,
            ExecNodeConfig config,
            RowType inputType,
            WindowAssigner assigner,
            Class<N> namespace,
            ZoneId zone) {
        return new WindowAggregateFunctions<>(
                planner,
                config,
                inputType,
                calls,
                retracts,
                windows,
                properties,
                assigner,
                namespace,
                zone);
    }

    private OneInputStreamOperator<RowData, RowData> ofSlices(
            WindowAggregateFunctions<Long> functions, SliceAssigner assigner) {
        final AggregateInfoList infos = functions.infos(true);
        final GeneratedNamespaceAggsHandleFunction<Long> generated = functions.ofRows(infos);
        return new HeapWindowAggregate(
                        new HeapWindowAggregateSpec(
                                generated,
                                generated,
                                null,
                                false,
                                retracts,
                                assigner,
                                convertToLogicalTypes(infos.getAccTypes()),
                                infos.getIndexOfCountStar(),
                                functions.shiftTimeZone(),
                                WindowHeap.of(functions.config()).bytes(),
                                best == null
                                        ? null
                                        : best.spec(
                                                functions.config(),
                                                functions
                                                        .planner()
                                                        .getFlinkContext()
                                                        .getClassLoader(),
                                                (RowType) getOutputType())))
                .operator();
    }

    private OneInputStreamOperator<RowData, RowData> ofSessions(
            WindowAggregateFunctions<TimeWindow> functions) {
        final AggregateInfoList infos = functions.infos(true);
        return new HeapSessionAggregate(
                        new SessionSpec(
                                sessionWindows(functions.shiftTimeZone()),
                                functions.ofRows(infos),
                                WindowAggregateFunctions.hasViews(infos),
                                convertToLogicalTypes(infos.getAccTypes()),
                                infos.getIndexOfCountStar(),
                                WindowHeap.of(functions.config()).bytes()))
                .operator();
    }

    private SessionWindows sessionWindows(ZoneId zone) {
        if (windows instanceof WindowAttachedWindowingStrategy attached) {
            return SessionWindows.carried(attached.getWindowStart(), attached.getWindowEnd(), zone);
        }
        final long gap = ((SessionWindowSpec) windows.getWindow()).getGap().toMillis();
        return windows.isRowtime()
                ? SessionWindows.ofRowTime(
                        ((TimeAttributeWindowingStrategy) windows).getTimeAttributeIndex(),
                        gap,
                        zone)
                : SessionWindows.ofProcessingTime(gap, zone);
    }
}
