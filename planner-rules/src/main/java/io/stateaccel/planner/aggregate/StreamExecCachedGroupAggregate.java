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
import io.stateaccel.planner.bundle.BundleSettingsResolver;
import io.stateaccel.planner.bundle.BundleShare;
import io.stateaccel.planner.compiled.CompiledNode;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.flink.FlinkVersion;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonCreator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.StateMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecGroupAggregate;
import org.apache.flink.table.runtime.generated.GeneratedAggsHandleFunction;
import org.apache.flink.table.types.logical.RowType;

/** A group aggregate of rows. */
@ExecNodeMetadata(
        name = "state-accel-group-aggregate",
        version = 1,
        producedTransformations = StreamExecGroupAggregate.GROUP_AGGREGATE_TRANSFORMATION,
        minPlanVersion = FlinkVersion.v1_20,
        minStateVersion = FlinkVersion.v1_20)
public final class StreamExecCachedGroupAggregate extends StreamExecCachedGroupAggregateBase {

    public StreamExecCachedGroupAggregate(
            ReadableConfig tableConfig,
            Aggregation aggregation,
            @Nullable Long stateTtlFromHint,
            BundleShare bundles,
            RowType outputType,
            String description) {
        this(
                ExecNodeContext.newNodeId(),
                CompiledNode.context(
                        StreamExecCachedGroupAggregate.class, StreamExecGroupAggregate.class),
                CompiledNode.config(
                        StreamExecGroupAggregate.class,
                        tableConfig,
                        BundleSettingsResolver.optionsAnd(
                                StateAccelOptions.AGGREGATE_CACHE_SIZE,
                                StateAccelOptions.PACKED_DISTINCT_ENABLED)),
                aggregation.grouping(),
                aggregation.aggCalls(),
                aggregation.aggCallNeedRetractions(),
                aggregation.generateUpdateBefore(),
                aggregation.needRetraction(),
                bundles,
                StateMetadata.getOneInputOperatorDefaultMeta(
                        stateTtlFromHint, tableConfig, STATE_NAME),
                List.of(InputProperty.DEFAULT),
                outputType,
                description);
    }

    @JsonCreator
    public StreamExecCachedGroupAggregate(
            @JsonProperty(FIELD_NAME_ID) int id,
            @JsonProperty(FIELD_NAME_TYPE) ExecNodeContext context,
            @JsonProperty(FIELD_NAME_CONFIGURATION) ReadableConfig persistedConfig,
            @JsonProperty(FIELD_NAME_GROUPING) int[] grouping,
            @JsonProperty(FIELD_NAME_AGG_CALLS) AggregateCall[] aggCalls,
            @JsonProperty(FIELD_NAME_AGG_CALL_NEED_RETRACTIONS) boolean[] aggCallNeedRetractions,
            @JsonProperty(FIELD_NAME_GENERATE_UPDATE_BEFORE) boolean generateUpdateBefore,
            @JsonProperty(FIELD_NAME_NEED_RETRACTION) boolean needRetraction,
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
    }

    @Override
    protected GroupAggregateFunctions<GeneratedAggsHandleFunction> functions(
            PlannerBase planner, ExecNodeConfig config, RowType inputType) {
        return GroupAggregateFunctions.ofRows(
                planner,
                config,
                inputType,
                aggregation().aggCalls(),
                aggregation().aggCallNeedRetractions(),
                aggregation().needRetraction());
    }

    @Override
    @Nullable
    protected GeneratedAggsHandleFunction partials(PlannerBase planner, ExecNodeConfig config) {
        return null;
    }
}
