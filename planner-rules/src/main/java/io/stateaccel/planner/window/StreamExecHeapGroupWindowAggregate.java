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
package io.stateaccel.planner.window;

import io.stateaccel.operators.window.HeapGroupSessions;
import io.stateaccel.operators.window.HeapGroupWindowAggregate;
import io.stateaccel.operators.window.HeapGroupWindowSpec;
import io.stateaccel.operators.window.SessionSpec;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.codegen.CodeGeneratorContext;
import org.apache.flink.table.planner.codegen.EqualiserCodeGenerator;
import org.apache.flink.table.planner.codegen.agg.AggsHandlerCodeGenerator;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.logical.LogicalWindow;
import org.apache.flink.table.planner.plan.logical.SessionGroupWindow;
import org.apache.flink.table.planner.plan.logical.TumblingGroupWindow;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecGroupWindowAggregate;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.planner.plan.utils.AggregateInfoList;
import org.apache.flink.table.planner.plan.utils.AggregateUtil;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.planner.plan.utils.WindowEmitStrategy;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import org.apache.flink.table.planner.utils.TableConfigUtils;
import org.apache.flink.table.runtime.generated.GeneratedNamespaceAggsHandleFunction;
import org.apache.flink.table.runtime.groupwindow.NamedWindowProperty;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.table.runtime.types.LogicalTypeDataTypeConverter;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.util.TimeWindowUtil;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/**
 * {@link StreamExecGroupWindowAggregate} that makes a {@link HeapGroupWindowAggregate}, or of
 * sessions {@link HeapGroupSessions}. The transformation has the input, parallelism, key and
 * identifiers of the stock one. Never part of a compiled plan.
 */
final class StreamExecHeapGroupWindowAggregate extends StreamExecGroupWindowAggregate {

    private final int[] grouping;
    private final AggregateCall[] aggCalls;
    private final LogicalWindow window;
    private final NamedWindowProperty[] namedWindowProperties;
    private final boolean needRetraction;
    private final MemorySize heap;

    StreamExecHeapGroupWindowAggregate(
            ReadableConfig tableConfig,
            int[] grouping,
            AggregateCall[] aggCalls,
            LogicalWindow window,
            NamedWindowProperty[] namedWindowProperties,
            boolean needRetraction,
            MemorySize heap,
            InputProperty inputProperty,
            RowType outputType,
            String description) {
        super(
                tableConfig,
                grouping,
                aggCalls,
                window,
                namedWindowProperties,
                needRetraction,
                inputProperty,
                outputType,
                description);
        this.grouping = grouping;
        this.aggCalls = aggCalls;
        this.window = window;
        this.namedWindowProperties = namedWindowProperties;
        this.needRetraction = needRetraction;
        this.heap = heap;
    }

    @Override
    @SuppressWarnings("unchecked")
    protected Transformation<RowData> translateToPlanInternal(
            PlannerBase planner, ExecNodeConfig config) {
        final ExecEdge inputEdge = getInputEdges().get(0);
        final Transformation<RowData> input =
                (Transformation<RowData>) inputEdge.translateToPlan(planner);
        final RowType inputType = (RowType) inputEdge.getOutputType();
        final ZoneId zone =
                TimeWindowUtil.getShiftTimeZone(
                        window.timeAttribute().getOutputDataType().getLogicalType(),
                        TableConfigUtils.getLocalTimeZone(config));
        final AggregateInfoList infos = infos(planner, inputType);
        final GeneratedNamespaceAggsHandleFunction<TimeWindow> functions =
                functions(planner, config, inputType, infos, zone);
        final OneInputStreamOperator<RowData, RowData> operator =
                window instanceof SessionGroupWindow session
                        ? ofSessions(session, infos, functions, zone)
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
                        grouping,
                        InternalTypeInfo.of(inputType));
        aggregate.setStateKeySelector(keySelector);
        aggregate.setStateKeyType(keySelector.getProducedType());
        return aggregate;
    }

    private AggregateInfoList infos(PlannerBase planner, RowType inputType) {
        final boolean[] needRetractions = new boolean[aggCalls.length];
        Arrays.fill(needRetractions, needRetraction);
        return AggregateUtil.transformToStreamAggregateInfoList(
                planner.getTypeFactory(),
                inputType,
                JavaScalaConversionUtil.toScala(Arrays.asList(aggCalls)),
                needRetractions,
                needRetraction,
                true,
                true);
    }

    /** As the stock node, but input fields are copied, as accumulators stay on the heap. */
    private GeneratedNamespaceAggsHandleFunction<TimeWindow> functions(
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
        if (!(window instanceof TumblingGroupWindow)) {
            generator.needMerge(0, false, null);
        }
        if (needRetraction) {
            generator.needRetract();
        }
        return generator.generateNamespaceAggsHandler(
                "GroupingWindowAggsHandler",
                infos,
                JavaScalaConversionUtil.toScala(
                        Stream.of(namedWindowProperties)
                                .map(NamedWindowProperty::getProperty)
                                .toList()),
                TimeWindow.class,
                zone);
    }

    private OneInputStreamOperator<RowData, RowData> ofSessions(
            SessionGroupWindow session,
            AggregateInfoList infos,
            GeneratedNamespaceAggsHandleFunction<TimeWindow> functions,
            ZoneId zone) {
        return new HeapGroupSessions(
                new SessionSpec(
                        GroupWindows.sessions(session, zone),
                        functions,
                        WindowAggregateFunctions.hasViews(infos),
                        types(infos.getAccTypes()),
                        infos.getIndexOfCountStar(),
                        heap.getBytes()));
    }

    private OneInputStreamOperator<RowData, RowData> ofFixedWindows(
            PlannerBase planner,
            ExecNodeConfig config,
            AggregateInfoList infos,
            GeneratedNamespaceAggsHandleFunction<TimeWindow> functions,
            ZoneId zone) {
        final WindowEmitStrategy emit = WindowEmitStrategy.apply(config, window);
        return new HeapGroupWindowAggregate(
                new HeapGroupWindowSpec(
                        GroupWindows.fixed(window),
                        emit.getTrigger(),
                        emit.produceUpdates() ? updates(planner, infos, emit) : null,
                        functions,
                        WindowAggregateFunctions.hasViews(infos),
                        types(infos.getAccTypes()),
                        infos.getIndexOfCountStar(),
                        GroupWindows.areOfRowTime(window)
                                ? window.timeAttribute().getFieldIndex()
                                : -1,
                        zone,
                        heap.getBytes()));
    }

    private HeapGroupWindowSpec.Updates updates(
            PlannerBase planner, AggregateInfoList infos, WindowEmitStrategy emit) {
        final LogicalType[] resultTypes =
                Stream.concat(
                                Stream.of(types(infos.getActualValueTypes())),
                                Stream.of(namedWindowProperties)
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
