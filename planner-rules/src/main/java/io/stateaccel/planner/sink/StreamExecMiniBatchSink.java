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
package io.stateaccel.planner.sink;

import io.stateaccel.operators.sink.MiniBatchSinkMaterializerOperator;
import io.stateaccel.operators.sink.MiniBatchSinkMaterializerSpec;
import io.stateaccel.planner.bundle.BundleSettingsResolver;
import io.stateaccel.planner.bundle.BundleShare;
import io.stateaccel.planner.bundle.BundlingNode;
import io.stateaccel.planner.compiled.CompiledNode;
import io.stateaccel.views.time.TimeToLive;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.FlinkVersion;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonCreator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.StateMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.spec.DynamicTableSinkSpec;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecSink;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalSink;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/**
 * Translates a sink whose upsert materializer works on bundles; stands in for Flink's {@link
 * StreamExecSink}.
 */
@ExecNodeMetadata(
        name = "state-accel-sink",
        version = 1,
        producedTransformations = {
            StreamExecSink.CONSTRAINT_VALIDATOR_TRANSFORMATION,
            StreamExecSink.PARTITIONER_TRANSFORMATION,
            StreamExecSink.UPSERT_MATERIALIZE_TRANSFORMATION,
            StreamExecSink.TIMESTAMP_INSERTER_TRANSFORMATION,
            StreamExecSink.SINK_TRANSFORMATION
        },
        minPlanVersion = FlinkVersion.v1_20,
        minStateVersion = FlinkVersion.v1_20)
@ExecNodeMetadata(
        name = "state-accel-sink",
        version = 2,
        producedTransformations = {
            StreamExecSink.CONSTRAINT_VALIDATOR_TRANSFORMATION,
            StreamExecSink.PARTITIONER_TRANSFORMATION,
            StreamExecSink.UPSERT_MATERIALIZE_TRANSFORMATION,
            StreamExecSink.TIMESTAMP_INSERTER_TRANSFORMATION,
            StreamExecSink.SINK_TRANSFORMATION
        },
        minPlanVersion = FlinkVersion.v1_20,
        minStateVersion = FlinkVersion.v1_20)
public final class StreamExecMiniBatchSink extends MaterializingSinkExecNode
        implements BundlingNode {

    @JsonProperty(FIELD_NAME_BUNDLES)
    private final BundleShare bundles;

    public StreamExecMiniBatchSink(
            ReadableConfig tableConfig,
            StreamPhysicalSink sink,
            DynamicTableSinkSpec table,
            ChangelogMode input,
            int[] upsertKey,
            BundleShare bundles,
            LogicalType outputType,
            String description) {
        this(
                ExecNodeContext.newNodeId(),
                CompiledNode.context(StreamExecMiniBatchSink.class, StreamExecSink.class),
                CompiledNode.config(
                        StreamExecSink.class, tableConfig, BundleSettingsResolver.optionsAnd()),
                table,
                input,
                true,
                strategyOf(tableConfig),
                StateMetadata.getOneInputOperatorDefaultMeta(tableConfig, STATE_NAME),
                upsertKey,
                conflictsOf(sink),
                bundles,
                List.of(InputProperty.DEFAULT),
                outputType,
                description);
    }

    @JsonCreator
    public StreamExecMiniBatchSink(
            @JsonProperty(FIELD_NAME_ID) int id,
            @JsonProperty(FIELD_NAME_TYPE) ExecNodeContext context,
            @JsonProperty(FIELD_NAME_CONFIGURATION) ReadableConfig persistedConfig,
            @JsonProperty(FIELD_NAME_DYNAMIC_TABLE_SINK) DynamicTableSinkSpec table,
            @JsonProperty(FIELD_NAME_INPUT_CHANGELOG_MODE) ChangelogMode input,
            @JsonProperty(FIELD_NAME_REQUIRE_UPSERT_MATERIALIZE) boolean upsertMaterialize,
            @Nullable @JsonProperty(STRATEGY) String strategy,
            @Nullable @JsonProperty(FIELD_NAME_STATE) List<StateMetadata> states,
            @JsonProperty(FIELD_NAME_INPUT_UPSERT_KEY) int[] upsertKey,
            @Nullable @JsonProperty(CONFLICTS) Map<String, String> conflicts,
            @JsonProperty(FIELD_NAME_BUNDLES) BundleShare bundles,
            @JsonProperty(FIELD_NAME_INPUT_PROPERTIES) List<InputProperty> inputProperties,
            @JsonProperty(FIELD_NAME_OUTPUT_TYPE) LogicalType outputType,
            @JsonProperty(FIELD_NAME_DESCRIPTION) String description) {
        super(
                id,
                context,
                persistedConfig,
                table,
                input,
                upsertMaterialize,
                strategy,
                states,
                upsertKey,
                conflicts,
                inputProperties,
                outputType,
                description);
        if (waitsForWatermarks()) {
            throw new IllegalArgumentException(
                    "A sink on bundles does not wait for watermarks to tell conflicts: "
                            + conflicts);
        }
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
        return bundles.describe(super.getDescription(), getPersistedConfig());
    }

    @Override
    protected Transformation<RowData> applyUpsertMaterialize(
            Transformation<RowData> input,
            int[] primaryKeys,
            int sinkParallelism,
            ExecNodeConfig config,
            ClassLoader classLoader,
            RowType physicalRowType,
            @Nullable int[] inputUpsertKey) {
        final InternalTypeInfo<RowData> rowType = InternalTypeInfo.of(physicalRowType);
        final RowDataKeySelector primaryKey =
                KeySelectorUtil.getRowDataSelector(classLoader, primaryKeys, rowType);
        final boolean hasUpsertKey = inputUpsertKey != null && inputUpsertKey.length > 0;
        final MiniBatchSinkMaterializerSpec spec =
                new MiniBatchSinkMaterializerSpec(
                        rowType,
                        primaryKey,
                        hasUpsertKey
                                ? KeySelectorUtil.getRowDataSelector(
                                        classLoader, inputUpsertKey, rowType)
                                : null,
                        stateName(),
                        mayExpire() ? timeToLive(config) : TimeToLive.FOREVER,
                        bundles.settings(config, getOutputType()));

        return materializer(
                input,
                new MiniBatchSinkMaterializerOperator(spec),
                primaryKey,
                project(physicalRowType, primaryKeys),
                sinkParallelism,
                config);
    }
}
