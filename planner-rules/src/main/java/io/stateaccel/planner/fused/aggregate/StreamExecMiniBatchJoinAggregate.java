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
import io.stateaccel.operators.join.MiniBatchJoinOperator;
import io.stateaccel.operators.join.MiniBatchJoinSpec;
import io.stateaccel.operators.join.aggregate.MiniBatchJoinAggregateOperator;
import io.stateaccel.operators.join.aggregate.MiniBatchJoinAggregateSpec;
import io.stateaccel.planner.aggregate.Aggregation;
import io.stateaccel.planner.aggregate.GroupAggregateFunctions;
import io.stateaccel.planner.bundle.BundleSettingsResolver;
import io.stateaccel.planner.bundle.BundleShare;
import io.stateaccel.planner.compiled.CompiledNode;
import io.stateaccel.planner.fused.JoinProjection;
import io.stateaccel.planner.join.JoinChangelogs;
import io.stateaccel.planner.join.PlannedJoin;
import io.stateaccel.planner.join.StreamExecMiniBatchJoinBase;
import io.stateaccel.views.time.TimeToLive;
import java.util.List;
import javax.annotation.Nullable;
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
import org.apache.flink.table.planner.plan.nodes.exec.spec.JoinSpec;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecGroupAggregate;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecJoin;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.generated.GeneratedAggsHandleFunction;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * Translates a join and the group aggregate above it into one operator; stands in for Flink's join,
 * calc, exchange and aggregate.
 */
@ExecNodeMetadata(
        name = "state-accel-join-aggregate",
        version = 1,
        producedTransformations = StreamExecJoin.JOIN_TRANSFORMATION,
        minPlanVersion = FlinkVersion.v1_20,
        minStateVersion = FlinkVersion.v1_20)
public final class StreamExecMiniBatchJoinAggregate extends StreamExecMiniBatchJoinBase {

    @JsonProperty(JoinProjection.FIELD_NAME)
    private final JoinProjection projection;

    @JsonProperty(Aggregation.FIELD_NAME)
    private final Aggregation aggregation;

    public StreamExecMiniBatchJoinAggregate(
            ReadableConfig tableConfig,
            PlannedJoin join,
            JoinProjection projection,
            Aggregation aggregation,
            @Nullable Long stateTtlFromHint,
            RowType outputType,
            String description) {
        this(
                ExecNodeContext.newNodeId(),
                CompiledNode.context(StreamExecMiniBatchJoinAggregate.class, StreamExecJoin.class),
                CompiledNode.config(
                        StreamExecJoin.class,
                        tableConfig,
                        BundleSettingsResolver.optionsAnd(
                                StateAccelOptions.AGGREGATE_CACHE_SIZE,
                                StateAccelOptions.PACKED_DISTINCT_ENABLED)),
                join.inputs().joinSpec(),
                join.inputs().leftUpsertKeys(),
                join.inputs().rightUpsertKeys(),
                join.inputs().changelogs(),
                join.bundle(),
                projection,
                aggregation,
                join.statesAnd(StreamExecGroupAggregate.STATE_NAME, stateTtlFromHint, tableConfig),
                List.of(InputProperty.DEFAULT, InputProperty.DEFAULT),
                outputType,
                description);
    }

    @JsonCreator
    public StreamExecMiniBatchJoinAggregate(
            @JsonProperty(FIELD_NAME_ID) int id,
            @JsonProperty(FIELD_NAME_TYPE) ExecNodeContext context,
            @JsonProperty(FIELD_NAME_CONFIGURATION) ReadableConfig persistedConfig,
            @JsonProperty(FIELD_NAME_JOIN_SPEC) JoinSpec joinSpec,
            @Nullable @JsonProperty(FIELD_NAME_LEFT_UPSERT_KEYS) List<int[]> leftUpsertKeys,
            @Nullable @JsonProperty(FIELD_NAME_RIGHT_UPSERT_KEYS) List<int[]> rightUpsertKeys,
            @JsonProperty(FIELD_NAME_CHANGELOGS) JoinChangelogs changelogs,
            @JsonProperty(FIELD_NAME_BUNDLES) BundleShare bundles,
            @JsonProperty(JoinProjection.FIELD_NAME) JoinProjection projection,
            @JsonProperty(Aggregation.FIELD_NAME) Aggregation aggregation,
            @Nullable @JsonProperty(FIELD_NAME_STATE) List<StateMetadata> states,
            @JsonProperty(FIELD_NAME_INPUT_PROPERTIES) List<InputProperty> inputProperties,
            @JsonProperty(FIELD_NAME_OUTPUT_TYPE) RowType outputType,
            @JsonProperty(FIELD_NAME_DESCRIPTION) String description) {
        super(
                id,
                context,
                persistedConfig,
                joinSpec,
                leftUpsertKeys,
                rightUpsertKeys,
                changelogs,
                bundles,
                states,
                inputProperties,
                outputType,
                description);
        this.projection = projection;
        this.aggregation = aggregation;
    }

    @Override
    protected int statesBehindJoin() {
        return 1;
    }

    @Override
    protected MiniBatchJoinOperator operator(
            PlannerBase planner,
            ExecNodeConfig config,
            MiniBatchJoinSpec joinSpec,
            List<TimeToLive> ttls) {
        final ClassLoader classLoader = planner.getFlinkContext().getClassLoader();
        final RowType aggregatedType = projection.outputType();
        final GroupAggregateFunctions<GeneratedAggsHandleFunction> functions =
                GroupAggregateFunctions.ofRows(
                        planner,
                        config,
                        aggregatedType,
                        aggregation.aggCalls(),
                        aggregation.aggCallNeedRetractions(),
                        aggregation.needRetraction());
        return new MiniBatchJoinAggregateOperator(
                new MiniBatchJoinAggregateSpec(
                        joinSpec,
                        projection.generate(config, classLoader),
                        KeySelectorUtil.getRowDataSelector(
                                classLoader,
                                aggregation.grouping(),
                                InternalTypeInfo.of(aggregatedType)),
                        functions.generated(),
                        functions.equaliser(classLoader),
                        functions.accumulatorTypes(),
                        functions.aggregates().getIndexOfCountStar(),
                        aggregation.generateUpdateBefore(),
                        ttls.get(0),
                        Aggregation.heapBytes(config),
                        config.get(StateAccelOptions.PACKED_DISTINCT_ENABLED)));
    }
}
