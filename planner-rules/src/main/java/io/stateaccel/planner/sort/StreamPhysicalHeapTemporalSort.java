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
package io.stateaccel.planner.sort;

import io.stateaccel.planner.bundle.WindowHeap;
import io.stateaccel.planner.rule.RuleContext;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rex.RexNode;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalTemporalSort;
import org.apache.flink.table.planner.plan.utils.SortUtil;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import org.apache.flink.table.planner.utils.ShortcutUtils;

/**
 * {@link StreamPhysicalTemporalSort} by row time whose rows wait for a watermark on the heap. It
 * stays a {@code StreamPhysicalTemporalSort} for everything the planner derives from one.
 */
final class StreamPhysicalHeapTemporalSort extends StreamPhysicalTemporalSort {

    private final WindowHeap heap;

    /**
     * @param sort the sort to stand in for
     * @param context holds the settings of the session
     */
    StreamPhysicalHeapTemporalSort(StreamPhysicalTemporalSort sort, RuleContext context) {
        this(sort, sort.getTraitSet(), sort.getInput(), sort.getCollation(), context.windowHeap());
    }

    private StreamPhysicalHeapTemporalSort(
            StreamPhysicalTemporalSort sort,
            RelTraitSet traitSet,
            RelNode input,
            RelCollation collation,
            WindowHeap heap) {
        super(sort.getCluster(), traitSet, input, collation);
        this.heap = heap;
    }

    @Override
    public Sort copy(
            RelTraitSet traitSet,
            RelNode input,
            RelCollation newCollation,
            RexNode offset,
            RexNode fetch) {
        return new StreamPhysicalHeapTemporalSort(this, traitSet, input, newCollation, heap);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("heap", heap);
    }

    @Override
    public ExecNode<?> translateToExecNode() {
        return new StreamExecHeapTemporalSort(
                ShortcutUtils.unwrapTableConfig(this),
                SortUtil.getSortSpec(
                        JavaScalaConversionUtil.toScala(getCollation().getFieldCollations())),
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }
}
