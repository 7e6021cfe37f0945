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

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.operators.aggregate.CachedGroupAggregateOperator;
import io.stateaccel.operators.aggregate.CachedGroupAggregateSpec;
import io.stateaccel.planner.bundle.BundleSettingsResolver;
import io.stateaccel.planner.bundle.BundleShare;
import io.stateaccel.planner.bundle.BundlingNode;
import io.stateaccel.planner.compiled.CompiledNode;
import io.stateaccel.views.time.TimeToLive;
import java.util.List;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecGroupTableAggregate;
import org.apache.flink.table.planner.plan.nodes.exec.utils.TransformationMetadata;
import org.apache.flink.table.runtime.generated.GeneratedTableAggsHandleFunction;
import org.apache.flink.table.types.logical.RowType;

/**
 * {@link StreamExecGroupTableAggregate} that makes a {@link CachedGroupAggregateOperator}. The
 * transformation has the input, parallelism, key and identifiers of the stock one, which has none
 * of its own, as no compiled plan has such a node.
 */
final class StreamExecCachedGroupTableAggregate extends StreamExecGroupTableAggregate
        implements BundlingNode {

    private final ReadableConfig settings;
    private final Aggregation aggregation;
    private final BundleShare bundles;

    StreamExecCachedGroupTableAggregate(
            ReadableConfig tableConfig,
            Aggregation aggregation,
            BundleShare bundles,
            RowType outputType,
            String description) {
        super(
                tableConfig,
                aggregation.grouping(),
                aggregation.aggCalls(),
                aggregation.aggCallNeedRetractions(),
                aggregation.generateUpdateBefore(),
                aggregation.needRetraction(),
                InputProperty.DEFAULT,
                outputType,
                description);
        this.settings =
                CompiledNode.config(
                        StreamExecGroupTableAggregate.class,
                        tableConfig,
                        BundleSettingsResolver.optionsAnd(StateAccelOptions.AGGREGATE_CACHE_SIZE));
        this.aggregation = aggregation;
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
        return bundles.describe(super.getDescription(), settings);
    }

    @Override
    @SuppressWarnings("unchecked")
    protected Transformation<RowData> translateToPlanInternal(
            PlannerBase planner, ExecNodeConfig config) {
        final ExecEdge inputEdge = getInputEdges().get(0);
        final Transformation<RowData> input =
                (Transformation<RowData>) inputEdge.translateToPlan(planner);
        final GroupAggregateFunctions<GeneratedTableAggsHandleFunction> functions =
                GroupAggregateFunctions.ofTable(
                        planner, config, (RowType) inputEdge.getOutputType(), aggregation);
        return CachedGroups.aggregate(
                input,
                new TransformationMetadata(
                        createTransformationName(config), createTransformationDescription(config)),
                new CachedGroupAggregateSpec(
                        functions.generated(),
                        null,
                        null,
                        (RowType) getOutputType(),
                        functions.accumulatorTypes(),
                        functions.aggregates().getIndexOfCountStar(),
                        aggregation.generateUpdateBefore(),
                        CachedGroups.keySelector(planner, aggregation, inputEdge),
                        TimeToLive.ofMillis(config.getStateRetentionTime()),
                        bundles.settings(config, getOutputType()),
                        config.get(StateAccelOptions.AGGREGATE_CACHE_SIZE).getBytes(),
                        false),
                (RowType) getOutputType());
    }
}
