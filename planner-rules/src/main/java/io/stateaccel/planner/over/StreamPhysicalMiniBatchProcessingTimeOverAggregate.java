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

import io.stateaccel.operators.bundle.BundleSettings;
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
 * {@link StreamPhysicalOverAggregate} by processing time that works on bundles. It stays a {@code
 * StreamPhysicalOverAggregate} for everything the planner derives from one.
 */
final class StreamPhysicalMiniBatchProcessingTimeOverAggregate extends StreamPhysicalOverAggregate {

    private final RuleContext context;
    private final BundleSettings bundle;

    /**
     * @param over the aggregate to stand in for
     * @param context holds the settings of the session
     */
    StreamPhysicalMiniBatchProcessingTimeOverAggregate(
            StreamPhysicalOverAggregate over, RuleContext context) {
        this(over, over.getTraitSet(), over.getInput(), context, context.bundle());
    }

    private StreamPhysicalMiniBatchProcessingTimeOverAggregate(
            StreamPhysicalOverAggregate over,
            RelTraitSet traitSet,
            RelNode input,
            RuleContext context,
            BundleSettings bundle) {
        super(over.getCluster(), traitSet, input, over.getRowType(), over.logicWindow());
        this.context = context;
        this.bundle = bundle;
    }

    @Override
    public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
        return new StreamPhysicalMiniBatchProcessingTimeOverAggregate(
                this, traitSet, inputs.get(0), context, bundle);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("bundle", bundle);
    }

    @Override
    public ExecNode<?> translateToExecNode() {
        return new StreamExecMiniBatchProcessingTimeOverAggregate(
                ShortcutUtils.unwrapTableConfig(this),
                OverAggregateUtil.createOverSpec(logicWindow()),
                context.bundleShare(),
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }
}
