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
import java.util.Arrays;
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.codegen.CodeGeneratorContext;
import org.apache.flink.table.planner.codegen.agg.AggsHandlerCodeGenerator;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecGlobalGroupAggregate;
import org.apache.flink.table.planner.plan.utils.AggregateInfoList;
import org.apache.flink.table.planner.plan.utils.AggregateUtil;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import org.apache.flink.table.runtime.generated.GeneratedAggsHandleFunction;
import org.apache.flink.table.types.logical.RowType;

/**
 * Translates the second phase of a group aggregate on cached accumulators; stands in for Flink's
 * {@link StreamExecGlobalGroupAggregate}.
 */
public final class StreamExecCachedGlobalGroupAggregate extends StreamExecGlobalGroupAggregate {

    private final int[] grouping;
    private final AggregateCall[] aggCalls;
    private final boolean[] aggCallNeedRetractions;
    private final RowType localAggInputRowType;
    private final boolean generateUpdateBefore;
    private final boolean needRetraction;
    private final @Nullable Integer indexOfCountStar;
    private final BundleSettings bundle;
    private final MemorySize cacheSize;

    public StreamExecCachedGlobalGroupAggregate(
            ReadableConfig tableConfig,
            int[] grouping,
            AggregateCall[] aggCalls,
            boolean[] aggCallNeedRetractions,
            RowType localAggInputRowType,
            boolean generateUpdateBefore,
            boolean needRetraction,
            @Nullable Integer indexOfCountStar,
            @Nullable Long stateTtlFromHint,
            BundleSettings bundle,
            MemorySize cacheSize,
            InputProperty inputProperty,
            RowType outputType,
            String description) {
        super(
                tableConfig,
                grouping,
                aggCalls,
                aggCallNeedRetractions,
                localAggInputRowType,
                generateUpdateBefore,
                needRetraction,
                indexOfCountStar,
                stateTtlFromHint,
                inputProperty,
                outputType,
                description);
        this.grouping = grouping;
        this.aggCalls = aggCalls;
        this.aggCallNeedRetractions = aggCallNeedRetractions;
        this.localAggInputRowType = localAggInputRowType;
        this.generateUpdateBefore = generateUpdateBefore;
        this.needRetraction = needRetraction;
        this.indexOfCountStar = indexOfCountStar;
        this.bundle = bundle;
        this.cacheSize = cacheSize;
    }

    @Override
    @SuppressWarnings("unchecked")
    protected Transformation<RowData> translateToPlanInternal(
            PlannerBase planner, ExecNodeConfig config) {
        final ExecEdge inputEdge = getInputEdges().get(0);
        final Transformation<RowData> input =
                (Transformation<RowData>) inputEdge.translateToPlan(planner);
        final ClassLoader classLoader = planner.getFlinkContext().getClassLoader();
        final AggregateInfoList aggregates = aggregates(planner, true);
        return new CachedGroupAggregation(
                        new GroupAggregateFunctions(
                                generateFunctions(planner, config, classLoader, aggregates),
                                aggregates),
                        true,
                        grouping,
                        generateUpdateBefore,
                        bundle,
                        cacheSize)
                .translate(
                        input,
                        (RowType) inputEdge.getOutputType(),
                        (RowType) getOutputType(),
                        createTransformationMeta(GLOBAL_GROUP_AGGREGATE_TRANSFORMATION, config),
                        classLoader);
    }

    private AggregateInfoList aggregates(PlannerBase planner, boolean viewsInState) {
        return AggregateUtil.transformToStreamAggregateInfoList(
                planner.getTypeFactory(),
                localAggInputRowType,
                JavaScalaConversionUtil.toScala(Arrays.asList(aggCalls)),
                aggCallNeedRetractions,
                needRetraction,
                JavaScalaConversionUtil.toScala(Optional.ofNullable(indexOfCountStar)),
                viewsInState,
                true);
    }

    private GeneratedAggsHandleFunction generateFunctions(
            PlannerBase planner,
            ExecNodeConfig config,
            ClassLoader classLoader,
            AggregateInfoList aggregates) {
        // A row is the grouping key, then the accumulators, whose views are on the heap.
        return new AggsHandlerCodeGenerator(
                        new CodeGeneratorContext(config, classLoader),
                        planner.createRelBuilder(),
                        JavaScalaConversionUtil.toScala(localAggInputRowType.getChildren()),
                        true)
                .needMerge(grouping.length, true, aggregates(planner, false).getAccTypes())
                .generateAggsHandler("GlobalGroupAggsHandler", aggregates);
    }
}
