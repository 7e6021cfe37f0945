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
package io.stateaccel.planner.join;

import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.transformations.TwoInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.planner.plan.nodes.exec.utils.TransformationMetadata;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/** Translates what all joins of ours translate alike. */
public final class TwoInputJoins {

    private TwoInputJoins() {}

    @SuppressWarnings("unchecked")
    public static Transformation<RowData> translate(ExecEdge edge, PlannerBase planner) {
        return (Transformation<RowData>) edge.translateToPlan(planner);
    }

    public static Transformation<RowData> transformation(
            Transformation<RowData> left,
            Transformation<RowData> right,
            TransformationMetadata metadata,
            TwoInputStreamOperator<RowData, RowData, RowData> operator,
            RowType outputType,
            RowDataKeySelector leftKey,
            RowDataKeySelector rightKey) {
        final TwoInputTransformation<RowData, RowData, RowData> join =
                ExecNodeUtil.createTwoInputTransformation(
                        left,
                        right,
                        metadata,
                        operator,
                        InternalTypeInfo.of(outputType),
                        left.getParallelism(),
                        false);
        join.setStateKeySelectors(leftKey, rightKey);
        join.setStateKeyType(leftKey.getProducedType());
        return join;
    }
}
