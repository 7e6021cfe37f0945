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
package io.stateaccel.planner.window.aggregate;

import io.stateaccel.planner.bundle.WindowHeap;
import io.stateaccel.planner.rule.RuleContext;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGlobalWindowAggregate;
import org.apache.flink.table.planner.plan.utils.AggregateUtil;
import org.apache.flink.table.planner.plan.utils.WindowUtil;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import org.apache.flink.table.planner.utils.ShortcutUtils;
import org.apache.flink.table.runtime.groupwindow.NamedWindowProperty;

/**
 * {@link StreamPhysicalGlobalWindowAggregate} whose slices are on the heap before they are in the
 * state. It stays a {@code StreamPhysicalGlobalWindowAggregate} for everything the planner derives
 * from one.
 */
final class StreamPhysicalHeapGlobalWindowAggregate extends StreamPhysicalGlobalWindowAggregate
        implements KeepsBestOfWindow {

    private final WindowHeap heap;
    @Nullable private final BestOfWindow best;

    /**
     * @param aggregate the aggregate to stand in for
     * @param context holds the settings of the session
     */
    StreamPhysicalHeapGlobalWindowAggregate(
            StreamPhysicalGlobalWindowAggregate aggregate, RuleContext context) {
        this(aggregate, aggregate.getTraitSet(), aggregate.getInput(), context.windowHeap(), null);
    }

    private StreamPhysicalHeapGlobalWindowAggregate(
            StreamPhysicalGlobalWindowAggregate aggregate,
            RelTraitSet traitSet,
            RelNode input,
            WindowHeap heap,
            @Nullable BestOfWindow best) {
        super(
                aggregate.getCluster(),
                traitSet,
                input,
                aggregate.inputRowTypeOfLocalAgg(),
                aggregate.grouping(),
                aggregate.aggCalls(),
                aggregate.windowing(),
                aggregate.namedWindowProperties());
        this.heap = heap;
        this.best = best;
    }

    @Override
    public RelNode keeping(BestOfWindow newBest) {
        return new StreamPhysicalHeapGlobalWindowAggregate(
                this, getTraitSet(), getInput(), heap, newBest);
    }

    @Override
    public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
        return new StreamPhysicalHeapGlobalWindowAggregate(
                this, traitSet, inputs.get(0), heap, best);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return BestOfWindow.explain(
                super.explainTerms(writer).item("heap", heap), best, getRowType());
    }

    @Override
    public ExecNode<?> translateToExecNode() {
        WindowUtil.checkEmitConfiguration(ShortcutUtils.unwrapTableConfig(this));
        return new StreamExecHeapGlobalWindowAggregate(
                ShortcutUtils.unwrapTableConfig(this),
                grouping(),
                JavaScalaConversionUtil.toJava(aggCalls()).toArray(AggregateCall[]::new),
                windowing(),
                JavaScalaConversionUtil.toJava(namedWindowProperties())
                        .toArray(NamedWindowProperty[]::new),
                AggregateUtil.needRetraction(this),
                FlinkTypeFactory.toLogicalRowType(inputRowTypeOfLocalAgg()),
                best,
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }
}
