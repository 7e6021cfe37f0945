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
import io.stateaccel.planner.bundle.BundleShare;
import io.stateaccel.planner.bundle.BundlingNode;
import io.stateaccel.planner.compiled.CompiledNode;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.StateMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecGroupAggregate;
import org.apache.flink.table.runtime.generated.GeneratedAggsHandleFunction;
import org.apache.flink.table.types.logical.RowType;

/**
 * {@link StreamExecGroupAggregate} that makes a {@link CachedGroupAggregateOperator}, of rows or of
 * what has been made of them. The transformation has the input, parallelism, key and identifiers of
 * the stock one.
 */
public abstract class StreamExecCachedGroupAggregateBase extends StreamExecGroupAggregate
        implements BundlingNode {

    @JsonProperty(FIELD_NAME_BUNDLES)
    private final BundleShare bundles;

    private final Aggregation aggregation;
    @Nullable private final List<StateMetadata> states;

    protected StreamExecCachedGroupAggregateBase(
            int id,
            ExecNodeContext context,
            ReadableConfig persistedConfig,
            Aggregation aggregation,
            BundleShare bundles,
            @Nullable List<StateMetadata> states,
            List<InputProperty> inputProperties,
            RowType outputType,
            String description) {
        super(
                id,
                context,
                persistedConfig,
                aggregation.grouping(),
                aggregation.aggCalls(),
                aggregation.aggCallNeedRetractions(),
                aggregation.generateUpdateBefore(),
                aggregation.needRetraction(),
                states,
                inputProperties,
                outputType,
                description);
        this.bundles = bundles;
        this.aggregation = aggregation;
        this.states = states;
    }

    /** What the node does, by the columns of its input. */
    protected final Aggregation aggregation() {
        return aggregation;
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
        return bundles.describe(super.getDescription(), getPersistedConfig());
    }

    @Override
    @SuppressWarnings("unchecked")
    protected Transformation<RowData> translateToPlanInternal(
            PlannerBase planner, ExecNodeConfig config) {
        CompiledNode.translating(planner, config);
        final ExecEdge inputEdge = getInputEdges().get(0);
        final Transformation<RowData> input =
                (Transformation<RowData>) inputEdge.translateToPlan(planner);
        final ClassLoader classLoader = planner.getFlinkContext().getClassLoader();
        final GroupAggregateFunctions<GeneratedAggsHandleFunction> functions =
                functions(planner, config, (RowType) inputEdge.getOutputType());
        final CachedGroupAggregateSpec spec =
                new CachedGroupAggregateSpec(
                        functions.generated(),
                        partials(planner, config),
                        functions.equaliser(classLoader),
                        null,
                        functions.accumulatorTypes(),
                        functions.aggregates().getIndexOfCountStar(),
                        aggregation.generateUpdateBefore(),
                        CachedGroups.keySelector(planner, aggregation, inputEdge),
                        CompiledNode.timeToLive(states, config),
                        bundles.settings(config, getOutputType()),
                        config.get(StateAccelOptions.AGGREGATE_CACHE_SIZE).getBytes(),
                        config.get(StateAccelOptions.PACKED_DISTINCT_ENABLED));

        return CachedGroups.aggregate(
                input,
                createTransformationMeta(GROUP_AGGREGATE_TRANSFORMATION, config),
                spec,
                (RowType) getOutputType());
    }

    /** The functions, for what the input is or comes to. */
    protected abstract GroupAggregateFunctions<GeneratedAggsHandleFunction> functions(
            PlannerBase planner, ExecNodeConfig config, RowType inputType);

    /** Merges on the heap what the input is; null if that are rows. */
    @Nullable
    protected abstract GeneratedAggsHandleFunction partials(
            PlannerBase planner, ExecNodeConfig config);
}
