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
package io.stateaccel.planner.fused.aggregate;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.planner.aggregate.Aggregation;
import io.stateaccel.planner.aggregate.GroupAggregateFunctions;
import io.stateaccel.planner.aggregate.StreamExecCachedGroupAggregateBase;
import io.stateaccel.planner.bundle.BundleSettingsResolver;
import io.stateaccel.planner.bundle.BundleShare;
import io.stateaccel.planner.compiled.CompiledNode;
import java.util.List;
import java.util.stream.IntStream;
import javax.annotation.Nullable;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.flink.FlinkVersion;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonCreator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.StateMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecGroupAggregate;
import org.apache.flink.table.runtime.generated.GeneratedAggsHandleFunction;
import org.apache.flink.table.types.logical.RowType;

/**
 * An aggregate that merges what a {@link StreamExecMiniBatchJoinLocalAggregate} has aggregated.
 * Where it is planned, it is in the place of a node that has the inputs of the join: given those,
 * it puts that node and the exchange in between.
 */
@ExecNodeMetadata(
        name = "state-accel-group-aggregate-of-partials",
        version = 1,
        producedTransformations = StreamExecGroupAggregate.GROUP_AGGREGATE_TRANSFORMATION,
        minPlanVersion = FlinkVersion.v1_20,
        minStateVersion = FlinkVersion.v1_20)
public final class StreamExecGroupAggregateOfPartials extends StreamExecCachedGroupAggregateBase {

    private static final String FIELD_NAME_AGGREGATED_TYPE = "aggregatedType";

    @JsonProperty(FIELD_NAME_AGGREGATED_TYPE)
    private final RowType aggregatedType;

    /** What a plan that is read has as nodes of its own. */
    private List<ExecNode<?>> below = List.of();

    /**
     * @param aggregation of the rows
     * @param aggregatedType the rows that are aggregated locally
     * @param below the local aggregate and the exchange, not connected yet
     */
    public StreamExecGroupAggregateOfPartials(
            ReadableConfig tableConfig,
            Aggregation aggregation,
            @Nullable Long stateTtlFromHint,
            BundleShare bundles,
            RowType aggregatedType,
            List<ExecNode<?>> below,
            RowType outputType,
            String description) {
        this(
                ExecNodeContext.newNodeId(),
                CompiledNode.context(
                        StreamExecGroupAggregateOfPartials.class, StreamExecGroupAggregate.class),
                CompiledNode.config(
                        StreamExecGroupAggregate.class,
                        tableConfig,
                        BundleSettingsResolver.optionsAnd(
                                StateAccelOptions.AGGREGATE_CACHE_SIZE,
                                StateAccelOptions.PACKED_DISTINCT_ENABLED)),
                IntStream.range(0, aggregation.grouping().length).toArray(),
                aggregation.aggCalls(),
                aggregation.aggCallNeedRetractions(),
                aggregation.generateUpdateBefore(),
                aggregation.needRetraction(),
                aggregatedType,
                bundles,
                StateMetadata.getOneInputOperatorDefaultMeta(
                        stateTtlFromHint, tableConfig, STATE_NAME),
                List.of(InputProperty.DEFAULT),
                outputType,
                description);
        this.below = below;
    }

    @JsonCreator
    public StreamExecGroupAggregateOfPartials(
            @JsonProperty(FIELD_NAME_ID) int id,
            @JsonProperty(FIELD_NAME_TYPE) ExecNodeContext context,
            @JsonProperty(FIELD_NAME_CONFIGURATION) ReadableConfig persistedConfig,
            @JsonProperty(FIELD_NAME_GROUPING) int[] grouping,
            @JsonProperty(FIELD_NAME_AGG_CALLS) AggregateCall[] aggCalls,
            @JsonProperty(FIELD_NAME_AGG_CALL_NEED_RETRACTIONS) boolean[] aggCallNeedRetractions,
            @JsonProperty(FIELD_NAME_GENERATE_UPDATE_BEFORE) boolean generateUpdateBefore,
            @JsonProperty(FIELD_NAME_NEED_RETRACTION) boolean needRetraction,
            @JsonProperty(FIELD_NAME_AGGREGATED_TYPE) RowType aggregatedType,
            @JsonProperty(FIELD_NAME_BUNDLES) BundleShare bundles,
            @Nullable @JsonProperty(FIELD_NAME_STATE) List<StateMetadata> states,
            @JsonProperty(FIELD_NAME_INPUT_PROPERTIES) List<InputProperty> inputProperties,
            @JsonProperty(FIELD_NAME_OUTPUT_TYPE) RowType outputType,
            @JsonProperty(FIELD_NAME_DESCRIPTION) String description) {
        super(
                id,
                context,
                persistedConfig,
                new Aggregation(
                        grouping,
                        aggCalls,
                        aggCallNeedRetractions,
                        needRetraction,
                        generateUpdateBefore),
                bundles,
                states,
                inputProperties,
                outputType,
                description);
        this.aggregatedType = aggregatedType;
    }

    /**
     * @param inputEdges those of the join
     */
    @Override
    public void setInputEdges(List<ExecEdge> inputEdges) {
        super.setInputEdges(NodesBelow.connect(inputEdges, below, this));
    }

    @Override
    public void setCompiled(boolean compiled) {
        super.setCompiled(compiled);
        below.forEach(node -> node.setCompiled(compiled));
    }

    @Override
    protected GroupAggregateFunctions<GeneratedAggsHandleFunction> functions(
            PlannerBase planner, ExecNodeConfig config, RowType inputType) {
        return functions(planner, config, 0, true);
    }

    @Override
    protected GeneratedAggsHandleFunction partials(PlannerBase planner, ExecNodeConfig config) {
        return functions(planner, config, aggregation().grouping().length, false).generated();
    }

    private GroupAggregateFunctions<GeneratedAggsHandleFunction> functions(
            PlannerBase planner, ExecNodeConfig config, int offset, boolean viewsInState) {
        return GroupAggregateFunctions.ofPartials(
                planner,
                config,
                aggregatedType,
                offset,
                aggregation().aggCalls(),
                aggregation().aggCallNeedRetractions(),
                aggregation().needRetraction(),
                viewsInState);
    }
}
