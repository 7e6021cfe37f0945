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
package io.stateaccel.planner.window.group;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.operators.window.group.HeapGroupSessions;
import io.stateaccel.operators.window.group.HeapGroupWindowAggregate;
import io.stateaccel.operators.window.group.HeapGroupWindowSpec;
import io.stateaccel.operators.window.session.SessionSpec;
import io.stateaccel.planner.bundle.WindowHeap;
import io.stateaccel.planner.compiled.CompiledNode;
import io.stateaccel.planner.window.aggregate.WindowAggregateFunctions;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.flink.FlinkVersion;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonCreator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.codegen.CodeGeneratorContext;
import org.apache.flink.table.planner.codegen.EqualiserCodeGenerator;
import org.apache.flink.table.planner.codegen.agg.AggsHandlerCodeGenerator;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.logical.LogicalWindow;
import org.apache.flink.table.planner.plan.logical.SessionGroupWindow;
import org.apache.flink.table.planner.plan.logical.TumblingGroupWindow;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecGroupWindowAggregate;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGroupWindowAggregateBase;
import org.apache.flink.table.planner.plan.utils.AggregateInfoList;
import org.apache.flink.table.planner.plan.utils.AggregateUtil;
import org.apache.flink.table.planner.plan.utils.ChangelogPlanUtils;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.planner.plan.utils.WindowEmitStrategy;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import org.apache.flink.table.planner.utils.ShortcutUtils;
import org.apache.flink.table.planner.utils.TableConfigUtils;
import org.apache.flink.table.runtime.generated.GeneratedClass;
import org.apache.flink.table.runtime.generated.NamespaceAggsHandleFunctionBase;
import org.apache.flink.table.runtime.groupwindow.NamedWindowProperty;
import org.apache.flink.table.runtime.groupwindow.WindowProperty;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.table.runtime.types.LogicalTypeDataTypeConverter;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.util.TimeWindowUtil;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import scala.collection.Seq;

/**
 * {@link StreamExecGroupWindowAggregate} that makes a {@link HeapGroupWindowAggregate}, or of
 * sessions {@link HeapGroupSessions}, of a table aggregate too, as the stock one does. The
 * transformation has the input, parallelism, key and identifiers of the stock one.
 */
@ExecNodeMetadata(
        name = "state-accel-group-window-aggregate",
        version = 1,
        producedTransformations =
                StreamExecGroupWindowAggregate.GROUP_WINDOW_AGGREGATE_TRANSFORMATION,
        minPlanVersion = FlinkVersion.v1_20,
        minStateVersion = FlinkVersion.v1_20)
public final class StreamExecHeapGroupWindowAggregate extends StreamExecGroupWindowAggregate {

    private final int[] keys;
    private final AggregateCall[] calls;
    private final LogicalWindow windows;
    private final NamedWindowProperty[] properties;
    private final boolean retracts;

    private StreamExecHeapGroupWindowAggregate(
            ReadableConfig tableConfig,
            int[] grouping,
            AggregateCall[] aggCalls,
            LogicalWindow window,
            NamedWindowProperty[] namedWindowProperties,
            boolean needRetraction,
            RowType outputType,
            String description) {
        this(
                ExecNodeContext.newNodeId(),
                CompiledNode.context(
                        StreamExecHeapGroupWindowAggregate.class,
                        StreamExecGroupWindowAggregate.class),
                CompiledNode.config(
                        StreamExecGroupWindowAggregate.class,
                        tableConfig,
                        List.of(StateAccelOptions.WINDOW_HEAP_SIZE)),
                grouping,
                aggCalls,
                window,
                namedWindowProperties,
                needRetraction,
                List.of(InputProperty.DEFAULT),
                outputType,
                description);
    }

    /** Of an aggregate, or a table aggregate, whose windows are to be on the heap. */
    static StreamExecHeapGroupWindowAggregate of(StreamPhysicalGroupWindowAggregateBase aggregate) {
        return new StreamExecHeapGroupWindowAggregate(
                ShortcutUtils.unwrapTableConfig(aggregate),
                aggregate.grouping(),
                JavaScalaConversionUtil.toJava(aggregate.aggCalls()).toArray(AggregateCall[]::new),
                aggregate.window(),
                JavaScalaConversionUtil.toJava(aggregate.namedWindowProperties())
                        .toArray(NamedWindowProperty[]::new),
                !ChangelogPlanUtils.inputInsertOnly(aggregate),
                FlinkTypeFactory.toLogicalRowType(aggregate.getRowType()),
                aggregate.getRelDetailedDescription());
    }

    @JsonCreator
    public StreamExecHeapGroupWindowAggregate(
            @JsonProperty(FIELD_NAME_ID) int id,
            @JsonProperty(FIELD_NAME_TYPE) ExecNodeContext context,
            @JsonProperty(FIELD_NAME_CONFIGURATION) ReadableConfig persistedConfig,
            @JsonProperty(FIELD_NAME_GROUPING) int[] grouping,
            @JsonProperty(FIELD_NAME_AGG_CALLS) AggregateCall[] aggCalls,
            @JsonProperty(FIELD_NAME_WINDOW) LogicalWindow window,
            @JsonProperty(FIELD_NAME_NAMED_WINDOW_PROPERTIES)
                    NamedWindowProperty[] namedWindowProperties,
            @JsonProperty(FIELD_NAME_NEED_RETRACTION) boolean needRetraction,
            @JsonProperty(FIELD_NAME_INPUT_PROPERTIES) List<InputProperty> inputProperties,
            @JsonProperty(FIELD_NAME_OUTPUT_TYPE) RowType outputType,
            @JsonProperty(FIELD_NAME_DESCRIPTION) String description) {
        super(
                id,
                context,
                persistedConfig,
                grouping,
                aggCalls,
                window,
                namedWindowProperties,
                needRetraction,
                inputProperties,
                outputType,
                description);
        this.keys = grouping;
        this.calls = aggCalls;
        this.windows = window;
        this.properties = namedWindowProperties;
        this.retracts = needRetraction;
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
                        windows.timeAttribute().getOutputDataType().getLogicalType(),
                        TableConfigUtils.getLocalTimeZone(config));
        final AggregateInfoList infos = infos(planner, inputType);
        final GeneratedClass<? extends NamespaceAggsHandleFunctionBase<TimeWindow>> functions =
                functions(planner, config, inputType, infos, zone);
        final OneInputStreamOperator<RowData, RowData> operator =
                windows instanceof SessionGroupWindow session
                        ? ofSessions(session, config, infos, functions, zone)
                        : ofFixedWindows(planner, config, infos, functions, zone);

        final OneInputTransformation<RowData, RowData> aggregate =
                ExecNodeUtil.createOneInputTransformation(
                        input,
                        createTransformationMeta(GROUP_WINDOW_AGGREGATE_TRANSFORMATION, config),
                        SimpleOperatorFactory.of(operator),
                        InternalTypeInfo.of(getOutputType()),
                        input.getParallelism(),
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

    private AggregateInfoList infos(PlannerBase planner, RowType inputType) {
        final boolean[] needRetractions = new boolean[calls.length];
        Arrays.fill(needRetractions, retracts);
        return AggregateUtil.transformToStreamAggregateInfoList(
                planner.getTypeFactory(),
                inputType,
                JavaScalaConversionUtil.toScala(Arrays.asList(calls)),
                needRetractions,
                retracts,
                true,
                true);
    }

    /** As the stock node, but input fields are copied, as accumulators stay on the heap. */
    private GeneratedClass<? extends NamespaceAggsHandleFunctionBase<TimeWindow>> functions(
            PlannerBase planner,
            ExecNodeConfig config,
            RowType inputType,
            AggregateInfoList infos,
            ZoneId zone) {
        final AggsHandlerCodeGenerator generator =
                new AggsHandlerCodeGenerator(
                                new CodeGeneratorContext(
                                        config, planner.getFlinkContext().getClassLoader()),
                                planner.createRelBuilder(),
                                JavaScalaConversionUtil.toScala(inputType.getChildren()),
                                true)
                        .needAccumulate();
        if (!(windows instanceof TumblingGroupWindow)) {
            generator.needMerge(0, false, null);
        }
        if (retracts) {
            generator.needRetract();
        }
        final Seq<WindowProperty> results =
                JavaScalaConversionUtil.toScala(
                        Stream.of(properties).map(NamedWindowProperty::getProperty).toList());
        return AggregateUtil.isTableAggregate(Arrays.asList(calls))
                ? generator.generateNamespaceTableAggsHandler(
                        "GroupingWindowTableAggsHandler", infos, results, TimeWindow.class, zone)
                : generator.generateNamespaceAggsHandler(
                        "GroupingWindowAggsHandler", infos, results, TimeWindow.class, zone);
    }

    private OneInputStreamOperator<RowData, RowData> ofSessions(
            SessionGroupWindow session,
            ExecNodeConfig config,
            AggregateInfoList infos,
            GeneratedClass<? extends NamespaceAggsHandleFunctionBase<TimeWindow>> functions,
            ZoneId zone) {
        return new HeapGroupSessions(
                new SessionSpec(
                        GroupWindows.sessions(session, zone),
                        functions,
                        WindowAggregateFunctions.hasViews(infos),
                        types(infos.getAccTypes()),
                        infos.getIndexOfCountStar(),
                        WindowHeap.of(config).bytes()));
    }

    private OneInputStreamOperator<RowData, RowData> ofFixedWindows(
            PlannerBase planner,
            ExecNodeConfig config,
            AggregateInfoList infos,
            GeneratedClass<? extends NamespaceAggsHandleFunctionBase<TimeWindow>> functions,
            ZoneId zone) {
        final WindowEmitStrategy emit = WindowEmitStrategy.apply(config, windows);
        return new HeapGroupWindowAggregate(
                new HeapGroupWindowSpec(
                        GroupWindows.fixed(windows),
                        emit.getTrigger(),
                        emit.produceUpdates() ? updates(planner, infos, emit) : null,
                        functions,
                        WindowAggregateFunctions.hasViews(infos),
                        types(infos.getAccTypes()),
                        infos.getIndexOfCountStar(),
                        GroupWindows.areOfRowTime(windows)
                                ? windows.timeAttribute().getFieldIndex()
                                : -1,
                        zone,
                        WindowHeap.of(config).bytes()));
    }

    private HeapGroupWindowSpec.Updates updates(
            PlannerBase planner, AggregateInfoList infos, WindowEmitStrategy emit) {
        final LogicalType[] resultTypes =
                Stream.concat(
                                Stream.of(types(infos.getActualValueTypes())),
                                Stream.of(properties)
                                        .map(property -> property.getProperty().getResultType()))
                        .toArray(LogicalType[]::new);
        return new HeapGroupWindowSpec.Updates(
                resultTypes,
                new EqualiserCodeGenerator(resultTypes, planner.getFlinkContext().getClassLoader())
                        .generateRecordEqualiser("WindowValueEqualiser"),
                emit.getAllowLateness());
    }

    private static LogicalType[] types(DataType[] types) {
        return Stream.of(types)
                .map(LogicalTypeDataTypeConverter::fromDataTypeToLogicalType)
                .toArray(LogicalType[]::new);
    }
}
