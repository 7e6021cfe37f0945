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
package io.stateaccel.planner.sort;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.operators.sort.HeapRowTimeSortOperator;
import io.stateaccel.operators.sort.HeapRowTimeSortSpec;
import io.stateaccel.planner.bundle.WindowHeap;
import io.stateaccel.planner.compiled.CompiledNode;
import java.util.List;
import org.apache.flink.FlinkVersion;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonCreator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.codegen.sort.ComparatorCodeGenerator;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.spec.SortSpec;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecTemporalSort;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.runtime.generated.GeneratedRecordComparator;
import org.apache.flink.table.runtime.keyselector.EmptyRowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * {@link StreamExecTemporalSort} by row time that makes a {@link HeapRowTimeSortOperator}. The
 * transformation has the input, parallelism, key and identifiers of the stock one.
 */
@ExecNodeMetadata(
        name = "state-accel-temporal-sort",
        version = 1,
        producedTransformations = StreamExecTemporalSort.TEMPORAL_SORT_TRANSFORMATION,
        minPlanVersion = FlinkVersion.v1_20,
        minStateVersion = FlinkVersion.v1_20)
public final class StreamExecHeapTemporalSort extends StreamExecTemporalSort {

    private final SortSpec sort;

    public StreamExecHeapTemporalSort(
            ReadableConfig tableConfig, SortSpec sort, RowType outputType, String description) {
        this(
                ExecNodeContext.newNodeId(),
                CompiledNode.context(
                        StreamExecHeapTemporalSort.class, StreamExecTemporalSort.class),
                CompiledNode.config(
                        StreamExecTemporalSort.class,
                        tableConfig,
                        List.of(StateAccelOptions.WINDOW_HEAP_SIZE)),
                sort,
                List.of(InputProperty.DEFAULT),
                outputType,
                description);
    }

    @JsonCreator
    public StreamExecHeapTemporalSort(
            @JsonProperty(FIELD_NAME_ID) int id,
            @JsonProperty(FIELD_NAME_TYPE) ExecNodeContext context,
            @JsonProperty(FIELD_NAME_CONFIGURATION) ReadableConfig persistedConfig,
            @JsonProperty(FIELD_NAME_SORT_SPEC) SortSpec sort,
            @JsonProperty(FIELD_NAME_INPUT_PROPERTIES) List<InputProperty> inputProperties,
            @JsonProperty(FIELD_NAME_OUTPUT_TYPE) RowType outputType,
            @JsonProperty(FIELD_NAME_DESCRIPTION) String description) {
        super(id, context, persistedConfig, sort, inputProperties, outputType, description);
        this.sort = sort;
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
        final OneInputTransformation<RowData, RowData> transformation =
                ExecNodeUtil.createOneInputTransformation(
                        input,
                        createTransformationMeta(TEMPORAL_SORT_TRANSFORMATION, config),
                        new HeapRowTimeSortOperator(
                                new HeapRowTimeSortSpec(
                                        InternalTypeInfo.of(inputType),
                                        sort.getFieldSpec(0).getFieldIndex(),
                                        comparatorOfTheRest(planner, config, inputType),
                                        WindowHeap.of(config).bytes())),
                        InternalTypeInfo.of(inputType),
                        input.getParallelism(),
                        false);
        if (inputsContainSingleton()) {
            transformation.setParallelism(1);
            transformation.setMaxParallelism(1);
        }
        transformation.setStateKeySelector(EmptyRowDataKeySelector.INSTANCE);
        transformation.setStateKeyType(EmptyRowDataKeySelector.INSTANCE.getProducedType());
        return transformation;
    }

    private GeneratedRecordComparator comparatorOfTheRest(
            PlannerBase planner, ExecNodeConfig config, RowType inputType) {
        return sort.getFieldSize() == 1
                ? null
                : ComparatorCodeGenerator.gen(
                        config,
                        planner.getFlinkContext().getClassLoader(),
                        "RowTimeSortComparator",
                        inputType,
                        sort.createSubSortSpec(1));
    }
}
