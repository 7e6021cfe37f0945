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
package io.stateaccel.planner.window.topn;

import io.stateaccel.planner.bundle.WindowHeap;
import io.stateaccel.planner.rule.RuleContext;
import java.util.List;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.spec.PartitionSpec;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalWindowRank;
import org.apache.flink.table.planner.plan.utils.SortUtil;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import org.apache.flink.table.planner.utils.ShortcutUtils;
import org.apache.flink.table.runtime.operators.rank.ConstantRankRange;

/**
 * {@link StreamPhysicalWindowRank} whose rows are on the heap before they are in the state. It
 * stays a {@code StreamPhysicalWindowRank} for everything the planner derives from one.
 */
final class StreamPhysicalHeapWindowRank extends StreamPhysicalWindowRank {

    private final WindowHeap heap;

    /**
     * @param rank the top-N to stand in for, up to a constant
     * @param context holds the settings of the session
     */
    StreamPhysicalHeapWindowRank(StreamPhysicalWindowRank rank, RuleContext context) {
        this(rank, rank.getTraitSet(), rank.getInput(), context.windowHeap());
    }

    private StreamPhysicalHeapWindowRank(
            StreamPhysicalWindowRank rank, RelTraitSet traitSet, RelNode input, WindowHeap heap) {
        super(
                rank.getCluster(),
                traitSet,
                input,
                rank.partitionKey(),
                rank.orderKey(),
                rank.rankType(),
                rank.rankRange(),
                rank.rankNumberType(),
                rank.outputRankNumber(),
                rank.windowing());
        this.heap = heap;
    }

    @Override
    public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
        return new StreamPhysicalHeapWindowRank(this, traitSet, inputs.get(0), heap);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("heap", heap);
    }

    @Override
    public ExecNode<?> translateToExecNode() {
        return new StreamExecHeapWindowRank(
                ShortcutUtils.unwrapTableConfig(this),
                rankType(),
                new PartitionSpec(partitionKey().toArray()),
                SortUtil.getSortSpec(
                        JavaScalaConversionUtil.toScala(orderKey().getFieldCollations())),
                (ConstantRankRange) rankRange(),
                outputRankNumber(),
                windowing(),
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }
}
