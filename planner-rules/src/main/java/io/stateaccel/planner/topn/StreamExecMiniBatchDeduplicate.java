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

import io.stateaccel.flink.planner.DeduplicateNode;
import io.stateaccel.operators.deduplicate.MiniBatchDeduplicateOperator;
import io.stateaccel.operators.deduplicate.MiniBatchDeduplicateSpec;
import io.stateaccel.operators.deduplicate.RowTimeFirstRowOperator;
import io.stateaccel.operators.deduplicate.RowTimeFirstRowSpec;
import io.stateaccel.planner.bundle.BundleShare;
import io.stateaccel.planner.bundle.BundlingNode;
import io.stateaccel.views.time.TimeToLive;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
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
import org.apache.flink.table.runtime.typeutils.TypeCheckUtils;
import org.apache.flink.table.types.logical.RowType;

/** Translates a deduplication on bundles; stands in for Flink's {@link DeduplicateNode}. */
public final class StreamExecMiniBatchDeduplicate extends DeduplicateNode implements BundlingNode {

    private final int[] uniqueKeys;
    private final boolean isRowTime;
    private final boolean keepLastRow;
    private final boolean outputInsertOnly;
    private final boolean generateUpdateBefore;
    private final BundleShare bundle;
    private final MemorySize heap;

    public StreamExecMiniBatchDeduplicate(
            ReadableConfig tableConfig,
            int[] uniqueKeys,
            boolean isRowTime,
            boolean keepLastRow,
            boolean outputInsertOnly,
            boolean generateUpdateBefore,
            BundleShare bundle,
            MemorySize heap,
            InputProperty inputProperty,
            RowType outputType,
            String description) {
        super(
                tableConfig,
                uniqueKeys,
                isRowTime,
                keepLastRow,
                outputInsertOnly,
                generateUpdateBefore,
                inputProperty,
                outputType,
                description);
        this.uniqueKeys = uniqueKeys;
        this.isRowTime = isRowTime;
        this.keepLastRow = keepLastRow;
        this.outputInsertOnly = outputInsertOnly;
        this.generateUpdateBefore = generateUpdateBefore;
        this.bundle = bundle;
        this.heap = heap;
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
        final RowType inputType = (RowType) inputEdge.getOutputType();
        final InternalTypeInfo<RowData> rowType = InternalTypeInfo.of(inputType);
        final ClassLoader classLoader = planner.getFlinkContext().getClassLoader();
        final RowDataKeySelector keySelector =
                KeySelectorUtil.getRowDataSelector(classLoader, uniqueKeys, rowType);
        final TimeToLive ttl = TimeToLive.ofMillis(config.getStateRetentionTime());
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
                                                bundle.settings(getOutputType())
                                                        .endingAtWatermarks(true),
                                                heap.getBytes()))
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
        return isRowTime && !keepLastRow && outputInsertOnly;
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
                isRowTime ? rowTimeColumn(inputType) : -1,
                keepLastRow,
                generateUpdateBefore,
                config.get(
                        ExecutionConfigOptions
                                .TABLE_EXEC_DEDUPLICATE_INSERT_UPDATE_AFTER_SENSITIVE_ENABLED),
                new EqualiserCodeGenerator(inputType, classLoader)
                        .generateRecordEqualiser("DeduplicateRowEqualiser"),
                ttl,
                bundle.settings(getOutputType()));
    }

    /** The first, as Flink takes it. */
    private static int rowTimeColumn(RowType type) {
        return IntStream.range(0, type.getFieldCount())
                .filter(column -> TypeCheckUtils.isRowTime(type.getTypeAt(column)))
                .findFirst()
                .orElseThrow();
    }
}
