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
package io.stateaccel.planner.normalize;

import io.stateaccel.flink.planner.ChangelogNormalizeRel;
import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.planner.rule.RuleContext;
import java.util.List;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalChangelogNormalize;
import org.apache.flink.table.planner.plan.utils.ChangelogPlanUtils;
import org.apache.flink.table.planner.utils.ShortcutUtils;

/**
 * The normalisation of a changelog on bundles. Whatever is inferred of Flink's {@link
 * StreamPhysicalChangelogNormalize} holds for it as well.
 */
public final class StreamPhysicalMiniBatchChangelogNormalize extends ChangelogNormalizeRel {

    private final StreamPhysicalChangelogNormalize stock;
    private final RuleContext context;
    private final BundleSettings bundle;

    /**
     * @param stock the node to stand in for
     * @param context holds the settings of the session
     */
    public StreamPhysicalMiniBatchChangelogNormalize(
            StreamPhysicalChangelogNormalize stock, RuleContext context) {
        this(stock, stock.getTraitSet(), stock.getInput(), context, context.bundle());
    }

    private StreamPhysicalMiniBatchChangelogNormalize(
            StreamPhysicalChangelogNormalize stock,
            RelTraitSet traitSet,
            RelNode input,
            RuleContext context,
            BundleSettings bundle) {
        super(stock, traitSet, input);
        this.stock = stock;
        this.context = context;
        this.bundle = bundle;
    }

    @Override
    public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
        return new StreamPhysicalMiniBatchChangelogNormalize(
                stock, traitSet, inputs.get(0), context, bundle);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("bundle", bundle);
    }

    @Override
    public ExecNode<?> translateToExecNode() {
        return new StreamExecMiniBatchChangelogNormalize(
                ShortcutUtils.unwrapTableConfig(this),
                uniqueKeys(),
                ChangelogPlanUtils.generateUpdateBefore(this),
                filterCondition(),
                context.bundleShare(),
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }
}
