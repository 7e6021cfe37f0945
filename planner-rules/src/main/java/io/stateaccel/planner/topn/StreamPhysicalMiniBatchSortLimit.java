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
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalSortLimit;
import org.apache.flink.table.planner.plan.utils.ChangelogPlanUtils;
import org.apache.flink.table.planner.plan.utils.RankProcessStrategy;
import org.apache.flink.table.planner.plan.utils.SortUtil;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import org.apache.flink.table.planner.utils.ShortcutUtils;
import org.apache.flink.table.runtime.operators.rank.ConstantRankRange;

/**
 * The first rows of all, on bundles. Whatever is inferred of Flink's {@link
 * StreamPhysicalSortLimit} holds for it as well.
 */
public final class StreamPhysicalMiniBatchSortLimit extends StreamPhysicalSortLimit {

    private final RankProcessStrategy strategy;
    private final RuleContext context;
    private final BundleSettings bundle;

    /**
     * @param limit the node to stand in for, which has an end
     * @param context holds the settings of the session
     */
    public StreamPhysicalMiniBatchSortLimit(StreamPhysicalSortLimit limit, RuleContext context) {
        this(
                limit,
                limit.getTraitSet(),
                limit.getInput(),
                limit.getCollation(),
                StrategyOfSortLimit.of(limit),
                context,
                context.bundle());
    }

    private StreamPhysicalMiniBatchSortLimit(
            Sort limit,
            RelTraitSet traitSet,
            RelNode input,
            RelCollation collation,
            RankProcessStrategy strategy,
            RuleContext context,
            BundleSettings bundle) {
        super(limit.getCluster(), traitSet, input, collation, limit.offset, limit.fetch, strategy);
        this.strategy = strategy;
        this.context = context;
        this.bundle = bundle;
    }

    /** Which rows are wanted, from the first, 1, on. */
    static ConstantRankRange ranksOf(Sort limit) {
        return new ConstantRankRange(
                SortUtil.getLimitStart(limit.offset) + 1,
                SortUtil.getLimitEnd(limit.offset, limit.fetch));
    }

    @Override
    public Sort copy(
            RelTraitSet traitSet,
            RelNode input,
            RelCollation collation,
            RexNode offset,
            RexNode fetch) {
        return new StreamPhysicalMiniBatchSortLimit(
                this, traitSet, input, collation, strategy, context, bundle);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("bundle", bundle);
    }

    @Override
    public ExecNode<?> translateToExecNode() {
        return new StreamExecMiniBatchSortLimit(
                ShortcutUtils.unwrapTableConfig(this),
                SortUtil.getSortSpec(
                        JavaScalaConversionUtil.toScala(getCollation().getFieldCollations())),
                ranksOf(this),
                strategy,
                ChangelogPlanUtils.generateUpdateBefore(this),
                context.bundleShare(),
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }
}
