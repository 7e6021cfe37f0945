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
package io.stateaccel.planner.fused.aggregate;

import io.stateaccel.planner.fused.NodesBelow;
import io.stateaccel.planner.fused.aggregate.StreamExecMiniBatchJoinAggregate.Aggregation;
import java.util.List;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecGroupAggregate;
import org.apache.flink.table.types.logical.RowType;

/**
 * Flink's own aggregate, for a compiled plan, in the place of a node that has the inputs of the
 * join below: given those, it puts the nodes between them and itself in between.
 */
public final class StockGroupAggregateAboveJoin extends StreamExecGroupAggregate {

    private final transient List<ExecNode<?>> below;

    /**
     * @param below the join and what is between it and this node, each the input of the next; not
     *     connected yet
     */
    public StockGroupAggregateAboveJoin(
            ReadableConfig tableConfig,
            Aggregation aggregation,
            List<ExecNode<?>> below,
            InputProperty inputProperty,
            RowType outputType,
            String description) {
        super(
                tableConfig,
                aggregation.grouping(),
                aggregation.aggCalls(),
                aggregation.aggCallNeedRetractions(),
                aggregation.generateUpdateBefore(),
                aggregation.needRetraction(),
                aggregation.stateTtlFromHint(),
                inputProperty,
                outputType,
                description);
        this.below = below;
    }

    /**
     * @param inputEdges those of the join
     */
    @Override
    public void setInputEdges(List<ExecEdge> inputEdges) {
        super.setInputEdges(NodesBelow.connect(inputEdges, below, this));
    }

    /**
     * Fixed: it is the operator's name, by which metrics are found, whatever this class is called.
     */
    @Override
    protected String getSimplifiedName() {
        return "GroupAggregateOnJoin";
    }
}
