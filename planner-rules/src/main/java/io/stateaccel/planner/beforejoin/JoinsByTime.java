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
package io.stateaccel.planner.beforejoin;

import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.metadata.FlinkRelMetadataQuery;
import org.apache.flink.table.planner.plan.nodes.logical.FlinkLogicalCalc;
import org.apache.flink.table.planner.plan.nodes.logical.FlinkLogicalJoin;
import org.apache.flink.table.planner.plan.nodes.logical.FlinkLogicalSnapshot;
import org.apache.flink.table.planner.plan.utils.JoinUtil;

/** Which joins of a logical plan Flink makes another operator of than a regular join. */
final class JoinsByTime {

    private JoinsByTime() {}

    /**
     * @return true for lookup, temporal, interval and window joins, and for joins of windows that
     *     might still become one
     */
    static boolean isByTime(FlinkLogicalJoin join) {
        if (!JoinUtil.satisfyRegularJoin(join, join.getLeft(), join.getRight())) {
            return true;
        }
        final FlinkRelMetadataQuery metadata =
                FlinkRelMetadataQuery.reuseOrCreate(join.getCluster().getMetadataQuery());
        for (RelNode input : join.getInputs()) {
            final RelNode below =
                    input instanceof FlinkLogicalCalc found ? found.getInput() : input;
            if (below instanceof FlinkLogicalSnapshot
                    || metadata.getRelWindowProperties(input) != null) {
                return true;
            }
        }
        final List<RelDataType> types = RelOptUtil.getFieldTypeList(join.getLeft().getRowType());
        return join.analyzeCondition().leftKeys.stream()
                .anyMatch(key -> FlinkTypeFactory.isTimeIndicatorType(types.get(key)));
    }
}
