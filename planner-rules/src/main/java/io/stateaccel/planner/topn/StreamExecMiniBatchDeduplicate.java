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
package io.stateaccel.planner.topn;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.flink.planner.DeduplicateNode;
import io.stateaccel.operators.deduplicate.MiniBatchDeduplicateOperator;
import io.stateaccel.operators.deduplicate.MiniBatchDeduplicateSpec;
import io.stateaccel.operators.deduplicate.RowTimeFirstRowOperator;
import io.stateaccel.operators.deduplicate.RowTimeFirstRowSpec;
import io.stateaccel.planner.bundle.BundleSettingsResolver;
import io.stateaccel.planner.bundle.BundleShare;
import io.stateaccel.planner.bundle.BundlingNode;
import io.stateaccel.planner.bundle.WindowHeap;
import io.stateaccel.planner.compiled.CompiledNode;
import io.stateaccel.views.time.TimeToLive;
import java.util.List;
import java.util.stream.IntStream;
import javax.annotation.Nullable;
import org.apache.flink.FlinkVersion;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonCreator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.codegen.EqualiserCodeGenerator;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.StateMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecDeduplicate;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.typeutils.TypeCheckUtils;
import org.apache.flink.table.types.logical.RowType;

/** Translates a deduplication on bundles; stands in for Flink's {@link DeduplicateNode}. */
@ExecNodeMetadata(
        name = "state-accel-deduplicate",
        version = 1,
        producedTransformations = StreamExecDeduplicate.DEDUPLICATE_TRANSFORMATION,
        minPlanVersion = FlinkVersion.v1_20,
        minStateVersion = FlinkVersion.v1_20)
public final class StreamExecMiniBatchDeduplicate extends DeduplicateNode implements BundlingNode {

    @JsonProperty(FIELD_NAME_BUNDLES)
    private final BundleShare bundles;

    private final int[] keys;
    private final boolean isByRowTime;
    private final boolean keepsLast;
    private final boolean isInsertOnly;
    private final boolean emitsUpdateBefore;
    @Nullable private final List<StateMetadata> states;

    public StreamExecMiniBatchDeduplicate(
            ReadableConfig tableConfig,
            int[] uniqueKeys,
            boolean isRowTime,
            boolean keepLastRow,
            boolean outputInsertOnly,
            boolean generateUpdateBefore,
            BundleShare bundles,
            RowType outputType,
            String description) {
        this(
                ExecNodeContext.newNodeId(),
                CompiledNode.context(
                        StreamExecMiniBatchDeduplicate.class, StreamExecDeduplicate.class),
                CompiledNode.config(
                        StreamExecDeduplicate.class,
                        tableConfig,
                        BundleSettingsResolver.optionsAnd(StateAccelOptions.WINDOW_HEAP_SIZE)),
                uniqueKeys,
                isRowTime,
                keepLastRow,
                outputInsertOnly,
                generateUpdateBefore,
                bundles,
                StateMetadata.getOneInputOperatorDefaultMeta(tableConfig, STATE_NAME),
                List.of(InputProperty.DEFAULT),
                outputType,
                description);
    }

    @JsonCreator
    public StreamExecMiniBatchDeduplicate(
            @JsonProperty(FIELD_NAME_ID) int id,
            @JsonProperty(FIELD_NAME_TYPE) ExecNodeContext context,
            @JsonProperty(FIELD_NAME_CONFIGURATION) ReadableConfig persistedConfig,
            @JsonProperty(FIELD_NAME_UNIQUE_KEYS) int[] uniqueKeys,
            @JsonProperty(FIELD_NAME_IS_ROWTIME) boolean isRowTime,
            @JsonProperty(FIELD_NAME_KEEP_LAST_ROW) boolean keepLastRow,
            @Nullable @JsonProperty(OUTPUT_INSERT_ONLY) Boolean outputInsertOnly,
            @JsonProperty(FIELD_NAME_GENERATE_UPDATE_BEFORE) boolean generateUpdateBefore,
            @JsonProperty(FIELD_NAME_BUNDLES) BundleShare bundles,
            @Nullable @JsonProperty(FIELD_NAME_STATE) List<StateMetadata> states,
            @JsonProperty(FIELD_NAME_INPUT_PROPERTIES) List<InputProperty> inputProperties,
            @JsonProperty(FIELD_NAME_OUTPUT_TYPE) RowType outputType,
            @JsonProperty(FIELD_NAME_DESCRIPTION) String description) {
        super(
                id,
                context,
                persistedConfig,
                uniqueKeys,
                isRowTime,
                keepLastRow,
                outputInsertOnly,
                generateUpdateBefore,
                states,
                inputProperties,
                outputType,
                description);
        this.keys = uniqueKeys;
        this.isByRowTime = isRowTime;
        this.keepsLast = keepLastRow;
        this.isInsertOnly = Boolean.TRUE.equals(outputInsertOnly);
        this.emitsUpdateBefore = generateUpdateBefore;
        this.bundles = bundles;
        this.states = states;
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
        final RowType inputType = (RowType) inputEdge.getOutputType();
        final InternalTypeInfo<RowData> rowType = InternalTypeInfo.of(inputType);
        final ClassLoader classLoader = planner.getFlinkContext().getClassLoader();
        final RowDataKeySelector keySelector =
                KeySelectorUtil.getRowDataSelector(classLoader, keys, rowType);
        final TimeToLive ttl = CompiledNode.timeToLive(states, config);
        final OneInputTransformation<RowData, RowData> deduplicate =
                ExecNodeUtil.createOneInputTransformation(
                        input,
                        createTransformationMeta(DEDUPLICATE_TRANSFORMATION, config),
                        isFirstRowByRowTime()
                                ? new RowTimeFirstRowOperator(
                                        new RowTimeFirstRowSpec(
                                                rowType,
                                                keySelector,
                                                rowTimeColumn(inputType),
                                                ttl,
                                                // Which say when a row is the first.
                                                bundles.settings(config, getOutputType())
                                                        .endingAtWatermarks(true),
                                                WindowHeap.of(config).bytes()))
                                : new MiniBatchDeduplicateOperator(
                                        spec(config, classLoader, inputType, keySelector, ttl)),
                        rowType,
                        input.getParallelism(),
                        false);
        deduplicate.setStateKeySelector(keySelector);
        deduplicate.setStateKeyType(keySelector.getProducedType());
        return deduplicate;
    }

    /** Which is never taken back, as it is emitted when a watermark passes it. */
    private boolean isFirstRowByRowTime() {
        return isByRowTime && !keepsLast && isInsertOnly;
    }

    private MiniBatchDeduplicateSpec spec(
            ExecNodeConfig config,
            ClassLoader classLoader,
            RowType inputType,
            RowDataKeySelector keySelector,
            TimeToLive ttl) {
        return new MiniBatchDeduplicateSpec(
                InternalTypeInfo.of(inputType),
                keySelector,
                isByRowTime ? rowTimeColumn(inputType) : -1,
                keepsLast,
                emitsUpdateBefore,
                config.get(
                        ExecutionConfigOptions
                                .TABLE_EXEC_DEDUPLICATE_INSERT_UPDATE_AFTER_SENSITIVE_ENABLED),
                new EqualiserCodeGenerator(inputType, classLoader)
                        .generateRecordEqualiser("DeduplicateRowEqualiser"),
                ttl,
                bundles.settings(config, getOutputType()));
    }

    /** The first, as Flink takes it. */
    private static int rowTimeColumn(RowType type) {
        return IntStream.range(0, type.getFieldCount())
                .filter(column -> TypeCheckUtils.isRowTime(type.getTypeAt(column)))
                .findFirst()
                .orElseThrow();
    }
}
