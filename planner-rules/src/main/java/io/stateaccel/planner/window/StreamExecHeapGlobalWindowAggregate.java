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

import io.stateaccel.operators.window.HeapWindowAggregate;
import io.stateaccel.operators.window.HeapWindowAggregateSpec;
import java.time.ZoneId;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.logical.WindowingStrategy;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
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
 * memory and identifiers of the stock one. Never part of a compiled plan.
 */
final class StreamExecHeapGlobalWindowAggregate extends StreamExecGlobalWindowAggregate {

    private final int[] grouping;
    private final AggregateCall[] aggCalls;
    private final WindowingStrategy windowing;
    private final NamedWindowProperty[] namedWindowProperties;
    private final boolean needRetraction;
    private final RowType localAggInputRowType;
    private final MemorySize heap;

    StreamExecHeapGlobalWindowAggregate(
            ReadableConfig tableConfig,
            int[] grouping,
            AggregateCall[] aggCalls,
            WindowingStrategy windowing,
            NamedWindowProperty[] namedWindowProperties,
            boolean needRetraction,
            MemorySize heap,
            InputProperty inputProperty,
            RowType localAggInputRowType,
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
                localAggInputRowType,
                outputType,
                description);
        this.grouping = grouping;
        this.aggCalls = aggCalls;
        this.windowing = windowing;
        this.namedWindowProperties = namedWindowProperties;
        this.needRetraction = needRetraction;
        this.localAggInputRowType = localAggInputRowType;
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
        final SliceAssigner assigner = (SliceAssigner) createWindowAssigner(windowing, zone);
        final WindowAggregateFunctions<Long> functions =
                new WindowAggregateFunctions<>(
                        planner,
                        config,
                        localAggInputRowType,
                        aggCalls,
                        needRetraction,
                        windowing,
                        namedWindowProperties,
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
                                hasViews ? 0 : grouping.length,
                                true,
                                localInfos.getAccTypes()),
                        hasViews
                                ? functions.ofAccumulators(
                                        "LocalWindowAggsHandler",
                                        localInfos,
                                        grouping.length,
                                        true,
                                        localInfos.getAccTypes())
                                : null,
                        true,
                        assigner,
                        convertToLogicalTypes(infos.getAccTypes()),
                        infos.getIndexOfCountStar(),
                        zone,
                        heap.getBytes());

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
                        grouping,
                        InternalTypeInfo.of(inputType));
        aggregate.setStateKeySelector(keySelector);
        aggregate.setStateKeyType(keySelector.getProducedType());
        return aggregate;
    }
}
