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

import io.stateaccel.planner.fused.JoinBelow;
import io.stateaccel.planner.fused.aggregate.StreamExecMiniBatchJoinAggregate.Aggregation;
import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.reasons.ReasonLog;
import java.util.List;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.hint.StateTtlHint;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGroupAggregate;
import org.apache.flink.table.planner.plan.utils.AggregateUtil;
import org.apache.flink.table.planner.plan.utils.ChangelogPlanUtils;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import org.apache.flink.table.planner.utils.ShortcutUtils;

/**
 * A group aggregate and the join below it, with what is between them, in one node that has the
 * inputs of the join. For everything that the planner derives from an aggregate (unique keys,
 * upsert keys, changes) it is one.
 */
abstract class AggregateContainingJoin extends StreamPhysicalGroupAggregate {

    final StreamPhysicalGroupAggregate aggregate;
    final ReasonLog reasons;

    /** Null while the super class looks at what it aggregates. */
    final JoinBelow join;

    /**
     * @param aggregate the aggregate to stand in for
     * @param join what is below it
     * @param reasons told when this node is compiled into a stock plan
     */
    AggregateContainingJoin(
            StreamPhysicalGroupAggregate aggregate,
            RelTraitSet traitSet,
            JoinBelow join,
            ReasonLog reasons) {
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
        this.reasons = reasons;
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

    /**
     * A compiled plan holds the stock nodes: Flink reads plans through a closed list of nodes. As
     * this one has the inputs of the join, the aggregate brings with it what is between them.
     */
    @Override
    public final ExecNode<?> translateToExecNode(boolean isCompiled) {
        if (!isCompiled) {
            return super.translateToExecNode(false);
        }
        reasons.say(aggregate.getRelDetailedDescription(), Reason.COMPILED_PLAN);
        final StockGroupAggregateAboveJoin stock =
                new StockGroupAggregateAboveJoin(
                        ShortcutUtils.unwrapTableConfig(this),
                        aggregation(),
                        join.stockNodes(),
                        InputProperty.DEFAULT,
                        FlinkTypeFactory.toLogicalRowType(getRowType()),
                        aggregate.getRelDetailedDescription());
        stock.setCompiled(true);
        return stock;
    }

    final Aggregation aggregation() {
        return new Aggregation(
                grouping(),
                JavaScalaConversionUtil.toJava(aggCalls()).toArray(AggregateCall[]::new),
                needRetractions(),
                !ChangelogPlanUtils.inputInsertOnly(aggregate),
                ChangelogPlanUtils.generateUpdateBefore(this),
                StateTtlHint.getStateTtlFromHintOnSingleRel(hints()));
    }

    final boolean[] needRetractions() {
        return AggregateUtil.deriveAggCallNeedRetractions(aggregate, grouping().length, aggCalls());
    }
}
