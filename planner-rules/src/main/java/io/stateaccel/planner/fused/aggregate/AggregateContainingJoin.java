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

import io.stateaccel.planner.aggregate.Aggregation;
import io.stateaccel.planner.fused.JoinBelow;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.flink.table.planner.hint.StateTtlHint;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGroupAggregate;
import org.apache.flink.table.planner.plan.utils.AggregateUtil;
import org.apache.flink.table.planner.plan.utils.ChangelogPlanUtils;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;

/**
 * A group aggregate and the join below it, with what is between them, in one node that has the
 * inputs of the join. For everything that the planner derives from an aggregate (unique keys,
 * upsert keys, changes) it is one.
 */
abstract class AggregateContainingJoin extends StreamPhysicalGroupAggregate {

    final StreamPhysicalGroupAggregate aggregate;

    /** Null while the super class looks at what it aggregates. */
    final JoinBelow join;

    /**
     * @param aggregate the aggregate to stand in for
     * @param join what is below it
     */
    AggregateContainingJoin(
            StreamPhysicalGroupAggregate aggregate, RelTraitSet traitSet, JoinBelow join) {
        super(
                aggregate.getCluster(),
                traitSet,
                join.results(),
                aggregate.getRowType(),
                aggregate.grouping(),
                aggregate.aggCalls(),
                aggregate.partialFinalType(),
                aggregate.hints());
        this.aggregate = aggregate;
        this.join = join;
    }

    @Override
    public final List<RelNode> getInputs() {
        return join == null ? super.getInputs() : join.inputs();
    }

    @Override
    public final void replaceInput(int ordinal, RelNode input) {
        join.join().replaceInput(ordinal, input);
        recomputeDigest();
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return join == null
                ? super.explainTerms(writer)
                : join.explainTerms(writer)
                        .item("aggregate", aggregate.getRelDetailedDescription());
    }

    final Aggregation aggregation() {
        return new Aggregation(
                grouping(),
                JavaScalaConversionUtil.toJava(aggCalls()).toArray(AggregateCall[]::new),
                needRetractions(),
                !ChangelogPlanUtils.inputInsertOnly(aggregate),
                ChangelogPlanUtils.generateUpdateBefore(this));
    }

    /** Milliseconds, null without a hint. */
    @Nullable
    final Long stateTtlFromHint() {
        return StateTtlHint.getStateTtlFromHintOnSingleRel(hints());
    }

    final boolean[] needRetractions() {
        return AggregateUtil.deriveAggCallNeedRetractions(aggregate, grouping().length, aggCalls());
    }
}
