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

import io.stateaccel.planner.aggregate.GroupAggregateFunctions;
import io.stateaccel.planner.aggregate.StreamExecCachedGroupAggregate;
import io.stateaccel.planner.bundle.BundleShare;
import io.stateaccel.planner.fused.NodesBelow;
import io.stateaccel.planner.fused.aggregate.StreamExecMiniBatchJoinAggregate.Aggregation;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.runtime.generated.GeneratedAggsHandleFunction;
import org.apache.flink.table.types.logical.RowType;

/**
 * An aggregate that merges what a {@link StreamExecMiniBatchJoinLocalAggregate} has aggregated, in
 * the place of a node that has the inputs of the join: given those, it puts that node and the
 * exchange in between.
 */
public final class StreamExecGroupAggregateOfPartials extends StreamExecCachedGroupAggregate {

    private final Aggregation aggregation;
    private final RowType rowType;
    private final transient List<ExecNode<?>> below;

    /**
     * @param aggregation of the rows
     * @param rowType the rows that are aggregated locally
     * @param below the local aggregate and the exchange, not connected yet
     */
    public StreamExecGroupAggregateOfPartials(
            ReadableConfig tableConfig,
            Aggregation aggregation,
            RowType rowType,
            BundleShare bundle,
            MemorySize cacheSize,
            List<ExecNode<?>> below,
            InputProperty inputProperty,
            RowType outputType,
            String description) {
        super(
                tableConfig,
                IntStream.range(0, aggregation.grouping().length).toArray(),
                aggregation.aggCalls(),
                aggregation.aggCallNeedRetractions(),
                aggregation.generateUpdateBefore(),
                aggregation.needRetraction(),
                aggregation.stateTtlFromHint(),
                bundle,
                cacheSize,
                inputProperty,
                outputType,
                description);
        this.aggregation = aggregation;
        this.rowType = rowType;
        this.below = below;
    }

    /**
     * @param inputEdges those of the join
     */
    @Override
    public void setInputEdges(List<ExecEdge> inputEdges) {
        super.setInputEdges(NodesBelow.connect(inputEdges, below, this));
    }

    @Override
    protected GroupAggregateFunctions functions(
            PlannerBase planner, ExecNodeConfig config, RowType inputType) {
        return functions(planner, config, 0, true);
    }

    @Override
    protected GeneratedAggsHandleFunction partials(PlannerBase planner, ExecNodeConfig config) {
        return functions(planner, config, aggregation.grouping().length, false).generated();
    }

    private GroupAggregateFunctions functions(
            PlannerBase planner, ExecNodeConfig config, int offset, boolean viewsInState) {
        return GroupAggregateFunctions.ofPartials(
                planner,
                config,
                rowType,
                offset,
                aggregation.aggCalls(),
                aggregation.aggCallNeedRetractions(),
                aggregation.needRetraction(),
                viewsInState);
    }
}
