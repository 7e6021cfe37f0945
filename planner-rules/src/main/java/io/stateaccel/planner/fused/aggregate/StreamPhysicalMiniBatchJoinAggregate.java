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

import io.stateaccel.planner.fused.JoinBelow;
import java.util.List;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGroupAggregate;
import org.apache.flink.table.planner.utils.ShortcutUtils;

/** A group aggregate and the join below it that run as one operator. */
public final class StreamPhysicalMiniBatchJoinAggregate extends AggregateContainingJoin {

    /**
     * @param aggregate the aggregate to stand in for
     * @param join what is below it, of whose results each group has those of one join key only
     */
    public StreamPhysicalMiniBatchJoinAggregate(
            StreamPhysicalGroupAggregate aggregate, JoinBelow join) {
        this(aggregate, aggregate.getTraitSet(), join);
    }

    private StreamPhysicalMiniBatchJoinAggregate(
            StreamPhysicalGroupAggregate aggregate, RelTraitSet traitSet, JoinBelow join) {
        super(aggregate, traitSet, join);
    }

    @Override
    public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
        return new StreamPhysicalMiniBatchJoinAggregate(aggregate, traitSet, join.copy(inputs));
    }

    @Override
    public ExecNode<?> translateToExecNode() {
        return new StreamExecMiniBatchJoinAggregate(
                ShortcutUtils.unwrapTableConfig(this),
                join.plannedJoin(),
                join.projection(),
                aggregation(),
                stateTtlFromHint(),
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }
}
