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
package io.stateaccel.planner.window.join;

import io.stateaccel.planner.bundle.WindowHeap;
import io.stateaccel.planner.rule.RuleContext;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rex.RexNode;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalWindowJoin;
import org.apache.flink.table.planner.utils.ShortcutUtils;

/**
 * {@link StreamPhysicalWindowJoin} whose rows are on the heap before they are in the state. It
 * stays a {@code StreamPhysicalWindowJoin} for everything the planner derives from one.
 */
final class StreamPhysicalHeapWindowJoin extends StreamPhysicalWindowJoin {

    private final WindowHeap heap;

    /**
     * @param join the join to stand in for
     * @param context holds the settings of the session
     */
    StreamPhysicalHeapWindowJoin(StreamPhysicalWindowJoin join, RuleContext context) {
        this(
                join,
                join.getTraitSet(),
                join.getCondition(),
                join.getLeft(),
                join.getRight(),
                join.getJoinType(),
                context.windowHeap());
    }

    private StreamPhysicalHeapWindowJoin(
            StreamPhysicalWindowJoin join,
            RelTraitSet traitSet,
            RexNode condition,
            RelNode left,
            RelNode right,
            JoinRelType joinType,
            WindowHeap heap) {
        super(
                join.getCluster(),
                traitSet,
                left,
                right,
                joinType,
                condition,
                join.leftWindowing(),
                join.rightWindowing());
        this.heap = heap;
    }

    @Override
    public Join copy(
            RelTraitSet traitSet,
            RexNode condition,
            RelNode left,
            RelNode right,
            JoinRelType joinType,
            boolean semiJoinDone) {
        return new StreamPhysicalHeapWindowJoin(
                this, traitSet, condition, left, right, joinType, heap);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("heap", heap);
    }

    @Override
    public ExecNode<?> translateToExecNode() {
        return new StreamExecHeapWindowJoin(
                ShortcutUtils.unwrapTableConfig(this),
                joinSpec(),
                leftWindowing(),
                rightWindowing(),
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }
}
