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
package io.stateaccel.planner.sink;

import io.stateaccel.planner.bundle.WindowHeap;
import io.stateaccel.planner.rule.RuleContext;
import java.util.List;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.spec.DynamicTableSinkSpec;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalSink;
import org.apache.flink.table.planner.utils.ShortcutUtils;

/**
 * A sink whose changes wait on the heap for the watermark that tells which rows are in conflict.
 */
final class StreamPhysicalHeapSink extends MaterializingSinkNode {

    private final WindowHeap heap;

    /**
     * @param sink the sink to stand in for, with a materializer
     * @param context holds the settings of the session
     */
    StreamPhysicalHeapSink(StreamPhysicalSink sink, RuleContext context) {
        this(sink, sink.getTraitSet(), sink.getInput(), context.windowHeap());
    }

    private StreamPhysicalHeapSink(
            StreamPhysicalSink sink, RelTraitSet traitSet, RelNode input, WindowHeap heap) {
        super(sink, traitSet, input, "heap");
        this.heap = heap;
    }

    @Override
    public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
        return new StreamPhysicalHeapSink(this, traitSet, inputs.get(0), heap);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("heap", heap);
    }

    @Override
    ExecNode<?> translate(DynamicTableSinkSpec table, ChangelogMode changes, int[] upsertKey) {
        return new StreamExecHeapSink(
                ShortcutUtils.unwrapTableConfig(this),
                this,
                table,
                changes,
                upsertKey,
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }
}
