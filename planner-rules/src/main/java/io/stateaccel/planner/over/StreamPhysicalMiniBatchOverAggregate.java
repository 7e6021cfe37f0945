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
package io.stateaccel.planner.over;

import io.stateaccel.planner.bundle.WindowHeap;
import io.stateaccel.planner.rule.RuleContext;
import java.util.List;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalOverAggregate;
import org.apache.flink.table.planner.plan.utils.OverAggregateUtil;
import org.apache.flink.table.planner.utils.ShortcutUtils;

/**
 * {@link StreamPhysicalOverAggregate} by row time whose rows wait for a watermark on the heap and
 * are worked off partition by partition. It stays a {@code StreamPhysicalOverAggregate} for
 * everything the planner derives from one.
 */
final class StreamPhysicalMiniBatchOverAggregate extends StreamPhysicalOverAggregate {

    private final WindowHeap heap;

    /**
     * @param over the aggregate to stand in for
     * @param context holds the settings of the session
     */
    StreamPhysicalMiniBatchOverAggregate(StreamPhysicalOverAggregate over, RuleContext context) {
        this(over, over.getTraitSet(), over.getInput(), context.windowHeap());
    }

    private StreamPhysicalMiniBatchOverAggregate(
            StreamPhysicalOverAggregate over,
            RelTraitSet traitSet,
            RelNode input,
            WindowHeap heap) {
        super(over.getCluster(), traitSet, input, over.getRowType(), over.logicWindow());
        this.heap = heap;
    }

    @Override
    public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
        return new StreamPhysicalMiniBatchOverAggregate(this, traitSet, inputs.get(0), heap);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("heap", heap);
    }

    @Override
    public ExecNode<?> translateToExecNode() {
        return new StreamExecMiniBatchOverAggregate(
                ShortcutUtils.unwrapTableConfig(this),
                OverAggregateUtil.createOverSpec(logicWindow()),
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }
}
