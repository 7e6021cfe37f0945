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

import io.stateaccel.flink.planner.ExplainedTerms;
import io.stateaccel.planner.bundle.WindowHeap;
import io.stateaccel.planner.rule.RuleContext;
import java.util.List;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.logical.WindowingStrategy;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalWindowDeduplicate;
import org.apache.flink.table.planner.utils.ShortcutUtils;

/**
 * {@link StreamPhysicalWindowDeduplicate} whose rows are on the heap before they are in the state.
 * It stays a {@code StreamPhysicalWindowDeduplicate} for everything the planner derives from one.
 */
final class StreamPhysicalHeapWindowDeduplicate extends StreamPhysicalWindowDeduplicate {

    private final boolean keepLastRow;
    private final WindowingStrategy windowing;
    private final WindowHeap heap;

    /**
     * @param deduplicate the deduplication to stand in for
     * @param windowing that of the deduplication
     * @param context holds the settings of the session
     */
    StreamPhysicalHeapWindowDeduplicate(
            StreamPhysicalWindowDeduplicate deduplicate,
            WindowingStrategy windowing,
            RuleContext context) {
        this(
                deduplicate,
                deduplicate.getTraitSet(),
                deduplicate.getInput(),
                keepsLastRow(deduplicate),
                windowing,
                context.windowHeap());
    }

    private StreamPhysicalHeapWindowDeduplicate(
            StreamPhysicalWindowDeduplicate deduplicate,
            RelTraitSet traitSet,
            RelNode input,
            boolean keepLastRow,
            WindowingStrategy windowing,
            WindowHeap heap) {
        super(
                deduplicate.getCluster(),
                traitSet,
                input,
                deduplicate.partitionKeys(),
                deduplicate.orderKey(),
                keepLastRow,
                windowing);
        this.keepLastRow = keepLastRow;
        this.windowing = windowing;
        this.heap = heap;
    }

    @Override
    public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
        return new StreamPhysicalHeapWindowDeduplicate(
                this, traitSet, inputs.get(0), keepLastRow, windowing, heap);
    }

    /** Flink's node tells it in EXPLAIN alone. */
    private static boolean keepsLastRow(StreamPhysicalWindowDeduplicate deduplicate) {
        final Object kept = ExplainedTerms.of(deduplicate, "keep");
        if (!"LastRow".equals(kept) && !"FirstRow".equals(kept)) {
            throw new IllegalStateException("Neither the first nor the last row: " + kept);
        }
        return kept.equals("LastRow");
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("heap", heap);
    }

    @Override
    public ExecNode<?> translateToExecNode() {
        return new StreamExecHeapWindowDeduplicate(
                ShortcutUtils.unwrapTableConfig(this),
                partitionKeys(),
                orderKey(),
                keepLastRow,
                windowing,
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }
}
