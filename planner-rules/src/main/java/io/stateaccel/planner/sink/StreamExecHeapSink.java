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

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.operators.sink.HeapConflictOperator;
import io.stateaccel.operators.sink.HeapConflictSpec;
import io.stateaccel.planner.bundle.WindowHeap;
import io.stateaccel.planner.compiled.CompiledNode;
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
import org.apache.flink.table.planner.codegen.EqualiserCodeGenerator;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.StateMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.spec.DynamicTableSinkSpec;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecSink;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalSink;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.generated.GeneratedRecordEqualiser;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/**
 * Translates a sink whose changes wait on the heap for the watermark that tells which rows are in
 * conflict; stands in for Flink's {@link StreamExecSink}.
 */
@ExecNodeMetadata(
        name = "state-accel-heap-sink",
        version = 1,
        producedTransformations = {
            StreamExecSink.CONSTRAINT_VALIDATOR_TRANSFORMATION,
            StreamExecSink.PARTITIONER_TRANSFORMATION,
            StreamExecHeapSink.WATERMARK_TIMESTAMP_ASSIGNER_TRANSFORMATION,
            StreamExecSink.UPSERT_MATERIALIZE_TRANSFORMATION,
            StreamExecSink.TIMESTAMP_INSERTER_TRANSFORMATION,
            StreamExecSink.SINK_TRANSFORMATION
        },
        minPlanVersion = FlinkVersion.v1_20,
        minStateVersion = FlinkVersion.v1_20)
@ExecNodeMetadata(
        name = "state-accel-heap-sink",
        version = 2,
        producedTransformations = {
            StreamExecSink.CONSTRAINT_VALIDATOR_TRANSFORMATION,
            StreamExecSink.PARTITIONER_TRANSFORMATION,
            StreamExecHeapSink.WATERMARK_TIMESTAMP_ASSIGNER_TRANSFORMATION,
            StreamExecSink.UPSERT_MATERIALIZE_TRANSFORMATION,
            StreamExecSink.TIMESTAMP_INSERTER_TRANSFORMATION,
            StreamExecSink.SINK_TRANSFORMATION
        },
        minPlanVersion = FlinkVersion.v1_20,
        minStateVersion = FlinkVersion.v1_20)
public final class StreamExecHeapSink extends MaterializingSinkExecNode {

    /** As Flink calls it from 2.3 on. */
    static final String WATERMARK_TIMESTAMP_ASSIGNER_TRANSFORMATION =
            "watermark-timestamp-assigner";

    public StreamExecHeapSink(
            ReadableConfig tableConfig,
            StreamPhysicalSink sink,
            DynamicTableSinkSpec table,
            ChangelogMode input,
            int[] upsertKey,
            LogicalType outputType,
            String description) {
        this(
                ExecNodeContext.newNodeId(),
                CompiledNode.context(StreamExecHeapSink.class, StreamExecSink.class),
                CompiledNode.config(
                        StreamExecSink.class,
                        tableConfig,
                        List.of(StateAccelOptions.WINDOW_HEAP_SIZE)),
                table,
                input,
                true,
                strategyOf(tableConfig),
                StateMetadata.getOneInputOperatorDefaultMeta(tableConfig, STATE_NAME),
                upsertKey,
                conflictsOf(sink),
                List.of(InputProperty.DEFAULT),
                outputType,
                description);
    }

    @JsonCreator
    public StreamExecHeapSink(
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
        if (!waitsForWatermarks()) {
            throw new IllegalArgumentException(
                    "A sink on the heap waits for watermarks to tell conflicts, which is not: "
                            + conflicts);
        }
    }

    /** Puts our operator in the place of Flink's, behind what Flink puts before it. */
    @Override
    protected Transformation<RowData> applyUpsertMaterialize(
            Transformation<RowData> input,
            int[] primaryKeys,
            int sinkParallelism,
            ExecNodeConfig config,
            ClassLoader classLoader,
            RowType physicalRowType,
            @Nullable int[] inputUpsertKey) {
        final Transformation<RowData> stock =
                super.applyUpsertMaterialize(
                        input,
                        primaryKeys,
                        sinkParallelism,
                        config,
                        classLoader,
                        physicalRowType,
                        inputUpsertKey);
        final RowType primaryKey = project(physicalRowType, primaryKeys);
        final boolean hasUpsertKey = inputUpsertKey != null && inputUpsertKey.length > 0;
        final HeapConflictSpec spec =
                new HeapConflictSpec(
                        failsOnConflict(),
                        InternalTypeInfo.of(physicalRowType),
                        equaliser(physicalRowType, "SinkMaterializeEqualiser", classLoader),
                        hasUpsertKey
                                ? equaliser(
                                        project(physicalRowType, inputUpsertKey),
                                        "SinkMaterializeUpsertKeyEqualiser",
                                        classLoader)
                                : null,
                        hasUpsertKey ? inputUpsertKey : null,
                        primaryKey,
                        primaryKey.getFieldNames().toArray(String[]::new),
                        timeToLive(config),
                        WindowHeap.of(config).bytes());

        return materializer(
                inputOf(stock),
                new HeapConflictOperator(spec),
                KeySelectorUtil.getRowDataSelector(
                        classLoader, primaryKeys, InternalTypeInfo.of(physicalRowType)),
                primaryKey,
                sinkParallelism,
                config);
    }

    @SuppressWarnings("unchecked")
    private static Transformation<RowData> inputOf(Transformation<RowData> of) {
        return (Transformation<RowData>) of.getInputs().get(0);
    }

    private static GeneratedRecordEqualiser equaliser(
            RowType type, String name, ClassLoader classLoader) {
        return new EqualiserCodeGenerator(type, classLoader).generateRecordEqualiser(name);
    }
}
