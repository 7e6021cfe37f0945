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
package io.stateaccel.planner.aggregate;

import io.stateaccel.operators.aggregate.CachedGroupAggregateOperator;
import io.stateaccel.operators.aggregate.CachedGroupAggregateSpec;
import io.stateaccel.planner.bundle.BundleShare;
import io.stateaccel.planner.bundle.BundlingNode;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecGroupAggregate;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.generated.GeneratedAggsHandleFunction;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * {@link StreamExecGroupAggregate} that makes a {@link CachedGroupAggregateOperator}. The
 * transformation has the input, parallelism, key and identifiers of the stock one. Never part of a
 * compiled plan.
 */
public class StreamExecCachedGroupAggregate extends StreamExecGroupAggregate
        implements BundlingNode {

    private final int[] grouping;
    private final AggregateCall[] aggCalls;
    private final boolean[] aggCallNeedRetractions;
    private final boolean generateUpdateBefore;
    private final boolean needRetraction;
    @Nullable private final Long stateTtlFromHint;
    private final BundleShare bundle;
    private final MemorySize cacheSize;

    public StreamExecCachedGroupAggregate(
            ReadableConfig tableConfig,
            int[] grouping,
            AggregateCall[] aggCalls,
            boolean[] aggCallNeedRetractions,
            boolean generateUpdateBefore,
            boolean needRetraction,
            @Nullable Long stateTtlFromHint,
            BundleShare bundle,
            MemorySize cacheSize,
            InputProperty inputProperty,
            RowType outputType,
            String description) {
        super(
                tableConfig,
                grouping,
                aggCalls,
                aggCallNeedRetractions,
                generateUpdateBefore,
                needRetraction,
                stateTtlFromHint,
                inputProperty,
                outputType,
                description);
        this.grouping = grouping;
        this.aggCalls = aggCalls;
        this.aggCallNeedRetractions = aggCallNeedRetractions;
        this.generateUpdateBefore = generateUpdateBefore;
        this.needRetraction = needRetraction;
        this.stateTtlFromHint = stateTtlFromHint;
        this.bundle = bundle;
        this.cacheSize = cacheSize;
    }

    @Override
    public BundleShare bundle() {
        return bundle;
    }

    @Override
    public void setInputEdges(List<ExecEdge> inputEdges) {
        super.setInputEdges(inputEdges);
        bundle.connected(this);
    }

    @Override
    public String getDescription() {
        return bundle.describe(super.getDescription());
    }

    @Override
    @SuppressWarnings("unchecked")
    protected Transformation<RowData> translateToPlanInternal(
            PlannerBase planner, ExecNodeConfig config) {
        final ExecEdge inputEdge = getInputEdges().get(0);
        final Transformation<RowData> input =
                (Transformation<RowData>) inputEdge.translateToPlan(planner);
        final RowType inputType = (RowType) inputEdge.getOutputType();
        final ClassLoader classLoader = planner.getFlinkContext().getClassLoader();
        final GroupAggregateFunctions functions = functions(planner, config, inputType);
        final RowDataKeySelector keySelector =
                KeySelectorUtil.getRowDataSelector(
                        classLoader, grouping, InternalTypeInfo.of(inputType));
        final CachedGroupAggregateSpec spec =
                new CachedGroupAggregateSpec(
                        functions.generated(),
                        partials(planner, config),
                        functions.equaliser(classLoader),
                        functions.accumulatorTypes(),
                        functions.aggregates().getIndexOfCountStar(),
                        generateUpdateBefore,
                        keySelector,
                        AggregateTtl.of(stateTtlFromHint, config),
                        bundle.settings(getOutputType()),
                        cacheSize.getBytes());

        final OneInputTransformation<RowData, RowData> aggregate =
                ExecNodeUtil.createOneInputTransformation(
                        input,
                        createTransformationMeta(GROUP_AGGREGATE_TRANSFORMATION, config),
                        new CachedGroupAggregateOperator(spec),
                        InternalTypeInfo.of((RowType) getOutputType()),
                        input.getParallelism(),
                        false);
        aggregate.setStateKeySelector(keySelector);
        aggregate.setStateKeyType(keySelector.getProducedType());
        return aggregate;
    }

    /** The functions, for what the input is or comes to. */
    protected GroupAggregateFunctions functions(
            PlannerBase planner, ExecNodeConfig config, RowType inputType) {
        return GroupAggregateFunctions.ofRows(
                planner, config, inputType, aggCalls, aggCallNeedRetractions, needRetraction);
    }

    /** Merges on the heap what the input is; null if that are rows. */
    @Nullable
    protected GeneratedAggsHandleFunction partials(PlannerBase planner, ExecNodeConfig config) {
        return null;
    }
}
