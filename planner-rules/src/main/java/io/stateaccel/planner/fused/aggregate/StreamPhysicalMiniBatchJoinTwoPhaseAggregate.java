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
package io.stateaccel.planner.fused.aggregate;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.planner.aggregate.Aggregation;
import io.stateaccel.planner.fused.JoinBelow;
import io.stateaccel.planner.rule.RuleContext;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty.RequiredDistribution;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecExchange;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGroupAggregate;
import org.apache.flink.table.planner.plan.utils.AggregateInfoList;
import org.apache.flink.table.planner.plan.utils.AggregateUtil;
import org.apache.flink.table.planner.plan.utils.ChangelogPlanUtils;
import org.apache.flink.table.planner.utils.ShortcutUtils;
import org.apache.flink.table.types.logical.RowType;

/**
 * A group aggregate and the join below it, where the aggregate's first phase runs in the operator
 * of the join and its second behind an exchange. It is one node because the planner knows no
 * changelog of accumulators.
 */
public final class StreamPhysicalMiniBatchJoinTwoPhaseAggregate extends AggregateContainingJoin {

    private final RuleContext context;
    private final BundleSettings bundle;
    private final MemorySize cacheSize;

    /**
     * @param aggregate the aggregate to stand in for, whose functions can all merge accumulators
     * @param join what is below it, with an exchange
     * @param context holds the settings of the session
     */
    public StreamPhysicalMiniBatchJoinTwoPhaseAggregate(
            StreamPhysicalGroupAggregate aggregate, JoinBelow join, RuleContext context) {
        this(
                aggregate,
                aggregate.getTraitSet(),
                join,
                context,
                context.bundle(),
                context.aggregateCacheSize());
    }

    private StreamPhysicalMiniBatchJoinTwoPhaseAggregate(
            StreamPhysicalGroupAggregate aggregate,
            RelTraitSet traitSet,
            JoinBelow join,
            RuleContext context,
            BundleSettings bundle,
            MemorySize cacheSize) {
        super(aggregate, traitSet, join);
        this.context = context;
        this.bundle = bundle;
        this.cacheSize = cacheSize;
    }

    @Override
    public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
        return new StreamPhysicalMiniBatchJoinTwoPhaseAggregate(
                aggregate, traitSet, join.copy(inputs), context, bundle, cacheSize);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        final RelWriter ofBoth = super.explainTerms(writer);
        return join == null
                ? ofBoth
                : ofBoth.item("exchange", join.exchange().getRelDetailedDescription())
                        .item("bundle", bundle)
                        .item("cache", cacheSize);
    }

    @Override
    public ExecNode<?> translateToExecNode() {
        final ReadableConfig config = ShortcutUtils.unwrapTableConfig(this);
        final Aggregation aggregation = aggregation();
        final RowType partials = partials();
        final ExecNode<?> localAggregate =
                new StreamExecMiniBatchJoinLocalAggregate(
                        config,
                        join.plannedJoin(),
                        join.projection(),
                        aggregation,
                        partials,
                        "MiniBatchJoinLocalAggregate(join=[%s], select=[%s])"
                                .formatted(
                                        join.join().getRelDetailedDescription(),
                                        String.join(", ", partials.getFieldNames())));
        final ExecNode<?> exchange =
                new StreamExecExchange(
                        config,
                        InputProperty.builder().requiredDistribution(distribution()).build(),
                        partials,
                        join.exchange().getRelDetailedDescription());
        return new StreamExecGroupAggregateOfPartials(
                config,
                aggregation,
                stateTtlFromHint(),
                context.bundleShare(),
                join.projection().outputType(),
                List.of(localAggregate, exchange),
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }

    /** By the grouping key, which comes first in what is exchanged. */
    private RequiredDistribution distribution() {
        final int[] keys = IntStream.range(0, grouping().length).toArray();
        return keys.length == 0
                ? InputProperty.SINGLETON_DISTRIBUTION
                : InputProperty.hashDistribution(keys);
    }

    /** The grouping key and the fields of the accumulator. */
    private RowType partials() {
        final RelNode results = join.results();
        final AggregateInfoList aggregates =
                AggregateUtil.transformToStreamAggregateInfoList(
                        ShortcutUtils.unwrapTypeFactory(results),
                        FlinkTypeFactory.toLogicalRowType(results.getRowType()),
                        aggCalls(),
                        needRetractions(),
                        !ChangelogPlanUtils.inputInsertOnly(aggregate),
                        false,
                        true);
        return FlinkTypeFactory.toLogicalRowType(
                AggregateUtil.inferLocalAggRowType(
                        aggregates,
                        results.getRowType(),
                        grouping(),
                        ShortcutUtils.unwrapTypeFactory(results)));
    }
}
