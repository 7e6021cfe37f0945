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

import io.stateaccel.flink.planner.RankNode;
import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.planner.rule.RuleContext;
import java.util.List;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.spec.PartitionSpec;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalRank;
import org.apache.flink.table.planner.plan.utils.ChangelogPlanUtils;
import org.apache.flink.table.planner.plan.utils.SortUtil;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import org.apache.flink.table.planner.utils.ShortcutUtils;

/**
 * Top-N, or a deduplication, on bundles. Whatever is inferred of Flink's {@link StreamPhysicalRank}
 * holds for it as well.
 */
public final class StreamPhysicalMiniBatchRank extends RankNode {

    private final RuleContext context;
    private final BundleSettings bundle;

    /**
     * @param rank the top-N to stand in for
     * @param context holds the settings of the session
     */
    public StreamPhysicalMiniBatchRank(StreamPhysicalRank rank, RuleContext context) {
        this(rank, rank.getTraitSet(), rank.getInput(), context, context.bundle());
    }

    private StreamPhysicalMiniBatchRank(
            StreamPhysicalRank rank,
            RelTraitSet traitSet,
            RelNode input,
            RuleContext context,
            BundleSettings bundle) {
        super(rank, traitSet, input);
        this.context = context;
        this.bundle = bundle;
    }

    @Override
    public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
        return new StreamPhysicalMiniBatchRank(this, traitSet, inputs.get(0), context, bundle);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("bundle", bundle);
    }

    @Override
    public ExecNode<?> translateToExecNode() {
        return isDeduplication(this) ? deduplicate() : rank();
    }

    private ExecNode<?> rank() {
        return new StreamExecMiniBatchRank(
                ShortcutUtils.unwrapTableConfig(this),
                rankType(),
                rankingOf(this),
                context.bundleShare(),
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }

    /** What is ranked, and how. */
    public static Ranking rankingOf(StreamPhysicalRank rank) {
        return new Ranking(
                new PartitionSpec(rank.partitionKey().toArray()),
                SortUtil.getSortSpec(
                        JavaScalaConversionUtil.toScala(rank.orderKey().getFieldCollations())),
                rank.rankRange(),
                rank.rankStrategy(),
                rank.outputRankNumber(),
                ChangelogPlanUtils.generateUpdateBefore(rank),
                ChangelogPlanUtils.isInsertOnly(rank));
    }

    private ExecNode<?> deduplicate() {
        return new StreamExecMiniBatchDeduplicate(
                ShortcutUtils.unwrapTableConfig(this),
                partitionKey().toArray(),
                isByRowTime(this),
                keepsLastRow(this),
                ChangelogPlanUtils.isInsertOnly(this),
                ChangelogPlanUtils.generateUpdateBefore(this),
                context.bundleShare(),
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }
}
