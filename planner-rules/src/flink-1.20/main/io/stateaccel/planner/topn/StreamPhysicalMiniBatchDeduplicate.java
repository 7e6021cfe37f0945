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
package io.stateaccel.planner.topn;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.planner.rule.RuleContext;
import java.util.List;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalDeduplicate;
import org.apache.flink.table.planner.plan.utils.ChangelogPlanUtils;
import org.apache.flink.table.planner.utils.ShortcutUtils;

/** A deduplication on bundles, as Flink 1.20 plans it. */
final class StreamPhysicalMiniBatchDeduplicate extends StreamPhysicalDeduplicate {

    private final RuleContext context;
    private final BundleSettings bundle;

    /**
     * @param node the deduplication to stand in for
     * @param context holds the settings of the session
     */
    StreamPhysicalMiniBatchDeduplicate(StreamPhysicalDeduplicate node, RuleContext context) {
        this(node, node.getTraitSet(), node.getInput(), context, context.bundle());
    }

    private StreamPhysicalMiniBatchDeduplicate(
            StreamPhysicalDeduplicate node,
            RelTraitSet traitSet,
            RelNode input,
            RuleContext context,
            BundleSettings bundle) {
        super(
                node.getCluster(),
                traitSet,
                input,
                node.getUniqueKeys(),
                node.isRowtime(),
                node.keepLastRow());
        this.context = context;
        this.bundle = bundle;
    }

    @Override
    public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
        return new StreamPhysicalMiniBatchDeduplicate(
                this, traitSet, inputs.get(0), context, bundle);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("bundle", bundle);
    }

    @Override
    public ExecNode<?> translateToExecNode() {
        return new StreamExecMiniBatchDeduplicate(
                ShortcutUtils.unwrapTableConfig(this),
                getUniqueKeys(),
                isRowtime(),
                keepLastRow(),
                ChangelogPlanUtils.isInsertOnly(this),
                ChangelogPlanUtils.generateUpdateBefore(this),
                context.bundleShare(),
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }
}
