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
package io.stateaccel.planner.window.group;

import io.stateaccel.planner.bundle.WindowHeap;
import io.stateaccel.planner.rule.RuleContext;
import java.util.List;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGroupWindowAggregate;

/**
 * {@link StreamPhysicalGroupWindowAggregate} whose windows are on the heap before they are in the
 * state. It stays a {@code StreamPhysicalGroupWindowAggregate} for everything the planner derives
 * from one.
 */
final class StreamPhysicalHeapGroupWindowAggregate extends StreamPhysicalGroupWindowAggregate {

    private final WindowHeap heap;

    /**
     * @param aggregate the aggregate to stand in for
     * @param context holds the settings of the session
     */
    StreamPhysicalHeapGroupWindowAggregate(
            StreamPhysicalGroupWindowAggregate aggregate, RuleContext context) {
        this(aggregate, aggregate.getTraitSet(), aggregate.getInput(), context.windowHeap());
    }

    private StreamPhysicalHeapGroupWindowAggregate(
            StreamPhysicalGroupWindowAggregate aggregate,
            RelTraitSet traitSet,
            RelNode input,
            WindowHeap heap) {
        super(
                aggregate.getCluster(),
                traitSet,
                input,
                aggregate.getRowType(),
                aggregate.grouping(),
                aggregate.aggCalls(),
                aggregate.window(),
                aggregate.namedWindowProperties(),
                aggregate.emitStrategy());
        this.heap = heap;
    }

    @Override
    public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
        return new StreamPhysicalHeapGroupWindowAggregate(this, traitSet, inputs.get(0), heap);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("heap", heap);
    }

    @Override
    public ExecNode<?> translateToExecNode() {
        return StreamExecHeapGroupWindowAggregate.of(this);
    }
}
