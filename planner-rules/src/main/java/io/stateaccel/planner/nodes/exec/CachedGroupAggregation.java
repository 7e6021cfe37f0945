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
package io.stateaccel.planner.nodes.exec;

import io.stateaccel.operators.aggregate.CachedGroupAggregateOperator;
import io.stateaccel.operators.aggregate.CachedGroupAggregateSpec;
import io.stateaccel.operators.bundle.BundleSettings;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.planner.plan.nodes.exec.utils.TransformationMetadata;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * What the cached group aggregates have in common once their functions are generated.
 *
 * @param functions aggregates rows, or merges the accumulators of a local aggregate
 * @param mergesPartials which of both
 * @param grouping the columns of the input that are grouped by
 */
record CachedGroupAggregation(
        GroupAggregateFunctions functions,
        boolean mergesPartials,
        int[] grouping,
        boolean generateUpdateBefore,
        BundleSettings bundle,
        MemorySize cacheSize) {

    Transformation<RowData> translate(
            Transformation<RowData> input,
            RowType inputType,
            RowType outputType,
            TransformationMetadata metadata,
            ClassLoader classLoader) {
        final RowDataKeySelector keySelector =
                KeySelectorUtil.getRowDataSelector(
                        classLoader, grouping, InternalTypeInfo.of(inputType));
        final CachedGroupAggregateSpec spec =
                new CachedGroupAggregateSpec(
                        functions.generated(),
                        mergesPartials,
                        functions.equaliser(classLoader),
                        functions.accumulatorTypes(),
                        functions.aggregates().getIndexOfCountStar(),
                        generateUpdateBefore,
                        keySelector,
                        bundle,
                        cacheSize.getBytes());
        final OneInputTransformation<RowData, RowData> aggregate =
                ExecNodeUtil.createOneInputTransformation(
                        input,
                        metadata,
                        new CachedGroupAggregateOperator(spec),
                        InternalTypeInfo.of(outputType),
                        input.getParallelism(),
                        false);
        aggregate.setStateKeySelector(keySelector);
        aggregate.setStateKeyType(keySelector.getProducedType());
        return aggregate;
    }
}
