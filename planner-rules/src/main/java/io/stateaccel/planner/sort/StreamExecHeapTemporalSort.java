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

import io.stateaccel.operators.sort.HeapRowTimeSortOperator;
import io.stateaccel.operators.sort.HeapRowTimeSortSpec;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.codegen.sort.ComparatorCodeGenerator;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
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
 * transformation has the input, parallelism, key and identifiers of the stock one. Never part of a
 * compiled plan.
 */
final class StreamExecHeapTemporalSort extends StreamExecTemporalSort {

    private final SortSpec sort;
    private final MemorySize heap;

    StreamExecHeapTemporalSort(
            ReadableConfig tableConfig,
            SortSpec sort,
            MemorySize heap,
            InputProperty inputProperty,
            RowType outputType,
            String description) {
        super(tableConfig, sort, inputProperty, outputType, description);
        this.sort = sort;
        this.heap = heap;
    }

    @Override
    @SuppressWarnings("unchecked")
    protected Transformation<RowData> translateToPlanInternal(
            PlannerBase planner, ExecNodeConfig config) {
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
                                        heap.getBytes())),
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
