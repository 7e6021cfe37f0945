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
package io.stateaccel.planner.window.session;

import io.stateaccel.planner.bundle.WindowHeap;
import io.stateaccel.planner.rule.RuleContext;
import java.util.List;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalWindowTableFunction;
import org.apache.flink.table.planner.utils.ShortcutUtils;

/**
 * {@link StreamPhysicalWindowTableFunction} of sessions whose rows are on the heap. It stays one
 * for everything the planner derives from it.
 */
final class StreamPhysicalHeapWindowTableFunction extends StreamPhysicalWindowTableFunction {

    private final WindowHeap heap;

    /**
     * @param function the node to stand in for, of sessions
     * @param context holds the settings of the session
     */
    StreamPhysicalHeapWindowTableFunction(
            StreamPhysicalWindowTableFunction function, RuleContext context) {
        this(function, function.getTraitSet(), function.getInput(), context.windowHeap());
    }

    private StreamPhysicalHeapWindowTableFunction(
            StreamPhysicalWindowTableFunction function,
            RelTraitSet traitSet,
            RelNode input,
            WindowHeap heap) {
        super(function.getCluster(), traitSet, input, function.getRowType(), function.windowing());
        this.heap = heap;
    }

    @Override
    public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
        return new StreamPhysicalHeapWindowTableFunction(this, traitSet, inputs.get(0), heap);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("heap", heap);
    }

    @Override
    public ExecNode<?> translateToExecNode() {
        return new StreamExecHeapWindowTableFunction(
                ShortcutUtils.unwrapTableConfig(this),
                windowing(),
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }
}
