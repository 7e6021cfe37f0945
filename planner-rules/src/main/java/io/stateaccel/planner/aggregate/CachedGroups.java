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
package io.stateaccel.planner.aggregate;

import io.stateaccel.operators.aggregate.CachedGroupAggregateOperator;
import io.stateaccel.operators.aggregate.CachedGroupAggregateSpec;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.planner.plan.nodes.exec.utils.TransformationMetadata;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/** What nodes that make a {@link CachedGroupAggregateOperator} have in common. */
final class CachedGroups {

    private CachedGroups() {}

    /** Extracts the grouping key from the rows of a node's input. */
    static RowDataKeySelector keySelector(
            PlannerBase planner, Aggregation aggregation, ExecEdge input) {
        return KeySelectorUtil.getRowDataSelector(
                planner.getFlinkContext().getClassLoader(),
                aggregation.grouping(),
                InternalTypeInfo.of((RowType) input.getOutputType()));
    }

    /** The transformation with the operator, by the key of the specification. */
    static Transformation<RowData> aggregate(
            Transformation<RowData> input,
            TransformationMetadata metadata,
            CachedGroupAggregateSpec spec,
            RowType outputType) {
        final OneInputTransformation<RowData, RowData> aggregate =
                ExecNodeUtil.createOneInputTransformation(
                        input,
                        metadata,
                        new CachedGroupAggregateOperator(spec),
                        InternalTypeInfo.of(outputType),
                        input.getParallelism(),
                        false);
        aggregate.setStateKeySelector(spec.keySelector());
        aggregate.setStateKeyType(spec.keySelector().getProducedType());
        return aggregate;
    }
}
