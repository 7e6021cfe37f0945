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
package io.stateaccel.planner.normalize;

import io.stateaccel.flink.planner.ChangelogNormalizeNode;
import io.stateaccel.operators.normalize.MiniBatchChangelogNormalizeOperator;
import io.stateaccel.operators.normalize.MiniBatchChangelogNormalizeSpec;
import io.stateaccel.planner.bundle.BundleSettingsResolver;
import io.stateaccel.planner.bundle.BundleShare;
import io.stateaccel.planner.bundle.BundlingNode;
import io.stateaccel.planner.compiled.CompiledNode;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.calcite.rex.RexNode;
import org.apache.flink.FlinkVersion;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonCreator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.codegen.EqualiserCodeGenerator;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.StateMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecChangelogNormalize;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * Translates the normalisation of a changelog on bundles; stands in for Flink's {@link
 * ChangelogNormalizeNode}.
 */
@ExecNodeMetadata(
        name = "state-accel-changelog-normalize",
        version = 1,
        producedTransformations = StreamExecChangelogNormalize.CHANGELOG_NORMALIZE_TRANSFORMATION,
        minPlanVersion = FlinkVersion.v1_20,
        minStateVersion = FlinkVersion.v1_20)
public final class StreamExecMiniBatchChangelogNormalize extends ChangelogNormalizeNode
        implements BundlingNode {

    @JsonProperty(FIELD_NAME_BUNDLES)
    private final BundleShare bundles;

    private final int[] keys;
    private final boolean emitsUpdateBefore;
    @Nullable private final List<StateMetadata> states;

    public StreamExecMiniBatchChangelogNormalize(
            ReadableConfig tableConfig,
            int[] uniqueKeys,
            boolean generateUpdateBefore,
            @Nullable RexNode condition,
            BundleShare bundles,
            RowType outputType,
            String description) {
        this(
                ExecNodeContext.newNodeId(),
                CompiledNode.context(
                        StreamExecMiniBatchChangelogNormalize.class,
                        StreamExecChangelogNormalize.class),
                CompiledNode.config(
                        StreamExecChangelogNormalize.class,
                        tableConfig,
                        BundleSettingsResolver.optionsAnd()),
                uniqueKeys,
                generateUpdateBefore,
                condition,
                bundles,
                StateMetadata.getOneInputOperatorDefaultMeta(tableConfig, STATE_NAME),
                List.of(InputProperty.DEFAULT),
                outputType,
                description);
    }

    @JsonCreator
    public StreamExecMiniBatchChangelogNormalize(
            @JsonProperty(FIELD_NAME_ID) int id,
            @JsonProperty(FIELD_NAME_TYPE) ExecNodeContext context,
            @JsonProperty(FIELD_NAME_CONFIGURATION) ReadableConfig persistedConfig,
            @JsonProperty(FIELD_NAME_UNIQUE_KEYS) int[] uniqueKeys,
            @JsonProperty(FIELD_NAME_GENERATE_UPDATE_BEFORE) boolean generateUpdateBefore,
            @Nullable @JsonProperty(CONDITION) RexNode condition,
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
                generateUpdateBefore,
                condition,
                states,
                inputProperties,
                outputType,
                description);
        this.keys = uniqueKeys;
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
        final InternalTypeInfo<RowData> rowType = (InternalTypeInfo<RowData>) input.getOutputType();
        final ClassLoader classLoader = planner.getFlinkContext().getClassLoader();
        final RowDataKeySelector keySelector =
                KeySelectorUtil.getRowDataSelector(classLoader, keys, rowType);
        final MiniBatchChangelogNormalizeSpec spec =
                new MiniBatchChangelogNormalizeSpec(
                        rowType,
                        keySelector,
                        emitsUpdateBefore,
                        condition(config, classLoader, rowType.toRowType()),
                        new EqualiserCodeGenerator(rowType.toRowType(), classLoader)
                                .generateRecordEqualiser("DeduplicateRowEqualiser"),
                        CompiledNode.timeToLive(states, config),
                        bundles.settings(config, getOutputType()));

        final OneInputTransformation<RowData, RowData> normalize =
                ExecNodeUtil.createOneInputTransformation(
                        input,
                        createTransformationMeta(CHANGELOG_NORMALIZE_TRANSFORMATION, config),
                        new MiniBatchChangelogNormalizeOperator(spec),
                        rowType,
                        input.getParallelism(),
                        false);
        normalize.setStateKeySelector(keySelector);
        normalize.setStateKeyType(keySelector.getProducedType());
        return normalize;
    }
}
