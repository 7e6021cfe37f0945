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
package io.stateaccel.planner.aggregate;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.planner.rule.RuleContext;
import java.util.List;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.hint.StateTtlHint;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGroupAggregate;
import org.apache.flink.table.planner.utils.ShortcutUtils;

/**
 * {@link StreamPhysicalGroupAggregate} that runs as {@link
 * io.stateaccel.operators.aggregate.CachedGroupAggregateOperator}. It stays a {@code
 * StreamPhysicalGroupAggregate} for everything the planner derives from one.
 */
public final class StreamPhysicalCachedGroupAggregate extends StreamPhysicalGroupAggregate {

    private final RuleContext context;
    private final BundleSettings bundle;
    private final MemorySize cacheSize;

    /**
     * @param aggregate the aggregate to stand in for
     * @param context holds the settings of the session
     */
    public StreamPhysicalCachedGroupAggregate(
            StreamPhysicalGroupAggregate aggregate, RuleContext context) {
        this(
                aggregate,
                aggregate.getTraitSet(),
                aggregate.getInput(),
                context,
                context.bundle(),
                context.aggregateCacheSize());
    }

    private StreamPhysicalCachedGroupAggregate(
            StreamPhysicalGroupAggregate aggregate,
            RelTraitSet traitSet,
            RelNode input,
            RuleContext context,
            BundleSettings bundle,
            MemorySize cacheSize) {
        super(
                aggregate.getCluster(),
                traitSet,
                input,
                aggregate.getRowType(),
                aggregate.grouping(),
                aggregate.aggCalls(),
                aggregate.partialFinalType(),
                aggregate.hints());
        this.context = context;
        this.bundle = bundle;
        this.cacheSize = cacheSize;
    }

    @Override
    public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
        return new StreamPhysicalCachedGroupAggregate(
                this, traitSet, inputs.get(0), context, bundle, cacheSize);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("bundle", bundle).item("cache", cacheSize);
    }

    @Override
    public ExecNode<?> translateToExecNode() {
        return new StreamExecCachedGroupAggregate(
                ShortcutUtils.unwrapTableConfig(this),
                Aggregation.of(this),
                StateTtlHint.getStateTtlFromHintOnSingleRel(hints()),
                context.bundleShare(),
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }
}
