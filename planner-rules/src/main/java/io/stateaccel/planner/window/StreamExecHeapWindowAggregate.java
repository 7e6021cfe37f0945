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

import io.stateaccel.operators.window.HeapSessionAggregate;
import io.stateaccel.operators.window.HeapWindowAggregate;
import io.stateaccel.operators.window.HeapWindowAggregateSpec;
import io.stateaccel.operators.window.SessionSpec;
import io.stateaccel.operators.window.SessionWindows;
import java.time.ZoneId;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
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
 * memory and identifiers of the stock one. Never part of a compiled plan.
 */
final class StreamExecHeapWindowAggregate extends StreamExecWindowAggregate {

    private final int[] grouping;
    private final AggregateCall[] aggCalls;
    private final WindowingStrategy windowing;
    private final NamedWindowProperty[] namedWindowProperties;
    private final boolean needRetraction;
    private final MemorySize heap;

    StreamExecHeapWindowAggregate(
            ReadableConfig tableConfig,
            int[] grouping,
            AggregateCall[] aggCalls,
            WindowingStrategy windowing,
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
                windowing,
                namedWindowProperties,
                needRetraction,
                inputProperty,
                outputType,
                description);
        this.grouping = grouping;
        this.aggCalls = aggCalls;
        this.windowing = windowing;
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
                        windowing.getTimeAttributeType(),
                        TableConfigUtils.getLocalTimeZone(config));
        final WindowAssigner assigner = createWindowAssigner(windowing, zone);
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
                        grouping,
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
                aggCalls,
                needRetraction,
                windowing,
                namedWindowProperties,
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
                                assigner,
                                convertToLogicalTypes(infos.getAccTypes()),
                                infos.getIndexOfCountStar(),
                                functions.shiftTimeZone(),
                                heap.getBytes()))
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
                                heap.getBytes()))
                .operator();
    }

    private SessionWindows sessionWindows(ZoneId zone) {
        if (windowing instanceof WindowAttachedWindowingStrategy attached) {
            return SessionWindows.carried(attached.getWindowStart(), attached.getWindowEnd(), zone);
        }
        final long gap = ((SessionWindowSpec) windowing.getWindow()).getGap().toMillis();
        return windowing.isRowtime()
                ? SessionWindows.ofRowTime(
                        ((TimeAttributeWindowingStrategy) windowing).getTimeAttributeIndex(),
                        gap,
                        zone)
                : SessionWindows.ofProcessingTime(gap, zone);
    }
}
