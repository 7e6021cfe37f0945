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
package io.stateaccel.planner.window.topn;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.operators.window.topn.HeapWindowRank;
import io.stateaccel.planner.compiled.CompiledNode;
import io.stateaccel.planner.window.WindowedInput;
import java.util.List;
import org.apache.flink.FlinkVersion;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonCreator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.codegen.sort.ComparatorCodeGenerator;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.logical.WindowingStrategy;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.spec.PartitionSpec;
import org.apache.flink.table.planner.plan.nodes.exec.spec.SortSpec;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecWindowRank;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.operators.rank.ConstantRankRange;
import org.apache.flink.table.runtime.operators.rank.RankType;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * {@link StreamExecWindowRank} that makes a {@link HeapWindowRank}. The transformation has the
 * input, parallelism, key, managed memory and identifiers of the stock one.
 */
@ExecNodeMetadata(
        name = "state-accel-window-rank",
        version = 1,
        producedTransformations = StreamExecWindowRank.WINDOW_RANK_TRANSFORMATION,
        minPlanVersion = FlinkVersion.v1_20,
        minStateVersion = FlinkVersion.v1_20)
public final class StreamExecHeapWindowRank extends StreamExecWindowRank {

    private final PartitionSpec partition;
    private final SortSpec order;
    private final ConstantRankRange range;
    private final boolean outputsNumber;
    private final WindowingStrategy windows;

    public StreamExecHeapWindowRank(
            ReadableConfig tableConfig,
            RankType rankType,
            PartitionSpec partitionSpec,
            SortSpec sortSpec,
            ConstantRankRange rankRange,
            boolean outputRankNumber,
            WindowingStrategy windowing,
            RowType outputType,
            String description) {
        this(
                ExecNodeContext.newNodeId(),
                CompiledNode.context(StreamExecHeapWindowRank.class, StreamExecWindowRank.class),
                CompiledNode.config(
                        StreamExecWindowRank.class,
                        tableConfig,
                        List.of(StateAccelOptions.WINDOW_HEAP_SIZE)),
                rankType,
                partitionSpec,
                sortSpec,
                rankRange,
                outputRankNumber,
                windowing,
                List.of(InputProperty.DEFAULT),
                outputType,
                description);
    }

    @JsonCreator
    public StreamExecHeapWindowRank(
            @JsonProperty(FIELD_NAME_ID) int id,
            @JsonProperty(FIELD_NAME_TYPE) ExecNodeContext context,
            @JsonProperty(FIELD_NAME_CONFIGURATION) ReadableConfig persistedConfig,
            @JsonProperty(FIELD_NAME_RANK_TYPE) RankType rankType,
            @JsonProperty(FIELD_NAME_PARTITION_SPEC) PartitionSpec partitionSpec,
            @JsonProperty(FIELD_NAME_SORT_SPEC) SortSpec sortSpec,
            @JsonProperty(FIELD_NAME_RANK_RANG) ConstantRankRange rankRange,
            @JsonProperty(FIELD_NAME_OUTPUT_RANK_NUMBER) boolean outputRankNumber,
            @JsonProperty(FIELD_NAME_WINDOWING) WindowingStrategy windowing,
            @JsonProperty(FIELD_NAME_INPUT_PROPERTIES) List<InputProperty> inputProperties,
            @JsonProperty(FIELD_NAME_OUTPUT_TYPE) RowType outputType,
            @JsonProperty(FIELD_NAME_DESCRIPTION) String description) {
        super(
                id,
                context,
                persistedConfig,
                rankType,
                partitionSpec,
                sortSpec,
                rankRange,
                outputRankNumber,
                windowing,
                inputProperties,
                outputType,
                description);
        this.partition = partitionSpec;
        this.order = sortSpec;
        this.range = rankRange;
        this.outputsNumber = outputRankNumber;
        this.windows = windowing;
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
        final ClassLoader classLoader = planner.getFlinkContext().getClassLoader();
        final HeapWindowRank operator =
                new HeapWindowRank(
                        WindowedInput.rows(inputType, windows, config),
                        ComparatorCodeGenerator.gen(
                                config, classLoader, "WindowRankComparator", inputType, order),
                        KeySelectorUtil.getRowDataSelector(
                                classLoader,
                                order.getFieldIndices(),
                                InternalTypeInfo.of(inputType)),
                        range.getRankStart(),
                        range.getRankEnd(),
                        outputsNumber);

        final OneInputTransformation<RowData, RowData> rank =
                ExecNodeUtil.createOneInputTransformation(
                        input,
                        createTransformationMeta(WINDOW_RANK_TRANSFORMATION, config),
                        SimpleOperatorFactory.of(operator.operator()),
                        InternalTypeInfo.of(getOutputType()),
                        input.getParallelism(),
                        WindowedInput.MEMORY_RATIO,
                        false);
        final RowDataKeySelector keySelector =
                KeySelectorUtil.getRowDataSelector(
                        classLoader, partition.getFieldIndices(), InternalTypeInfo.of(inputType));
        rank.setStateKeySelector(keySelector);
        rank.setStateKeyType(keySelector.getProducedType());
        return rank;
    }
}
