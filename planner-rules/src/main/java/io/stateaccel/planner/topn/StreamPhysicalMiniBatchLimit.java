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
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rex.RexNode;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalLimit;
import org.apache.flink.table.planner.plan.utils.ChangelogPlanUtils;
import org.apache.flink.table.planner.plan.utils.RankProcessStrategy;
import org.apache.flink.table.planner.utils.ShortcutUtils;

/**
 * The first rows that come, on bundles. Whatever is inferred of Flink's {@link StreamPhysicalLimit}
 * holds for it as well.
 */
public final class StreamPhysicalMiniBatchLimit extends StreamPhysicalLimit {

    private final RuleContext context;
    private final BundleSettings bundle;

    /**
     * @param limit the node to stand in for, which has an end
     * @param context holds the settings of the session
     */
    public StreamPhysicalMiniBatchLimit(StreamPhysicalLimit limit, RuleContext context) {
        this(
                limit,
                limit.getTraitSet(),
                limit.getInput(),
                ((Sort) limit).offset,
                ((Sort) limit).fetch,
                context,
                context.bundle());
    }

    private StreamPhysicalMiniBatchLimit(
            Sort limit,
            RelTraitSet traitSet,
            RelNode input,
            RexNode offset,
            RexNode fetch,
            RuleContext context,
            BundleSettings bundle) {
        super(limit.getCluster(), traitSet, input, offset, fetch);
        this.context = context;
        this.bundle = bundle;
    }

    @Override
    public Sort copy(
            RelTraitSet traitSet,
            RelNode input,
            RelCollation collation,
            RexNode offset,
            RexNode fetch) {
        return new StreamPhysicalMiniBatchLimit(
                this, traitSet, input, offset, fetch, context, bundle);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("bundle", bundle);
    }

    @Override
    public ExecNode<?> translateToExecNode() {
        return new StreamExecMiniBatchLimit(
                ShortcutUtils.unwrapTableConfig(this),
                StreamPhysicalMiniBatchSortLimit.ranksOf(this),
                ChangelogPlanUtils.inputInsertOnly(this)
                        ? RankProcessStrategy.APPEND_FAST_STRATEGY
                        : RankProcessStrategy.RETRACT_STRATEGY,
                ChangelogPlanUtils.generateUpdateBefore(this),
                context.bundleShare(),
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }
}
