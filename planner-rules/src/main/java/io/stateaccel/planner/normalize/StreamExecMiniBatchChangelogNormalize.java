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
import io.stateaccel.planner.bundle.BundleShare;
import io.stateaccel.planner.bundle.BundlingNode;
import io.stateaccel.views.time.TimeToLive;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.calcite.rex.RexNode;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.codegen.EqualiserCodeGenerator;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * Translates the normalisation of a changelog on bundles; stands in for Flink's {@link
 * ChangelogNormalizeNode}.
 */
public final class StreamExecMiniBatchChangelogNormalize extends ChangelogNormalizeNode
        implements BundlingNode {

    private final int[] uniqueKeys;
    private final boolean generateUpdateBefore;
    private final BundleShare bundle;

    public StreamExecMiniBatchChangelogNormalize(
            ReadableConfig tableConfig,
            int[] uniqueKeys,
            boolean generateUpdateBefore,
            @Nullable RexNode condition,
            BundleShare bundle,
            InputProperty inputProperty,
            RowType outputType,
            String description) {
        super(
                tableConfig,
                uniqueKeys,
                generateUpdateBefore,
                condition,
                inputProperty,
                outputType,
                description);
        this.uniqueKeys = uniqueKeys;
        this.generateUpdateBefore = generateUpdateBefore;
        this.bundle = bundle;
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
        final InternalTypeInfo<RowData> rowType = (InternalTypeInfo<RowData>) input.getOutputType();
        final ClassLoader classLoader = planner.getFlinkContext().getClassLoader();
        final RowDataKeySelector keySelector =
                KeySelectorUtil.getRowDataSelector(classLoader, uniqueKeys, rowType);
        final MiniBatchChangelogNormalizeSpec spec =
                new MiniBatchChangelogNormalizeSpec(
                        rowType,
                        keySelector,
                        generateUpdateBefore,
                        condition(config, classLoader, rowType.toRowType()),
                        new EqualiserCodeGenerator(rowType.toRowType(), classLoader)
                                .generateRecordEqualiser("DeduplicateRowEqualiser"),
                        TimeToLive.ofMillis(config.getStateRetentionTime()),
                        bundle.settings(getOutputType()));

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
