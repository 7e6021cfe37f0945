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
package io.stateaccel.planner.join.interval;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.planner.rule.RuleContext;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rex.RexNode;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.spec.IntervalJoinSpec;
import org.apache.flink.table.planner.plan.nodes.exec.spec.IntervalJoinSpec.WindowBounds;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalIntervalJoin;
import org.apache.flink.table.planner.utils.ShortcutUtils;

/**
 * {@link StreamPhysicalIntervalJoin} that runs as {@link
 * io.stateaccel.operators.join.interval.MiniBatchIntervalJoinOperator}. It stays a {@code
 * StreamPhysicalIntervalJoin} for everything the planner derives from one.
 */
public final class StreamPhysicalMiniBatchIntervalJoin extends StreamPhysicalIntervalJoin {

    private final WindowBounds windowBounds;
    private final RuleContext context;
    private final BundleSettings bundle;

    /**
     * @param join the join to stand in for
     * @param windowBounds those of the join
     * @param context holds the settings of the session
     */
    public StreamPhysicalMiniBatchIntervalJoin(
            StreamPhysicalIntervalJoin join, WindowBounds windowBounds, RuleContext context) {
        this(
                join,
                join.getTraitSet(),
                join.getCondition(),
                join.getLeft(),
                join.getRight(),
                join.getJoinType(),
                windowBounds,
                context,
                context.bundle());
    }

    private StreamPhysicalMiniBatchIntervalJoin(
            StreamPhysicalIntervalJoin join,
            RelTraitSet traitSet,
            RexNode condition,
            RelNode left,
            RelNode right,
            JoinRelType joinType,
            WindowBounds windowBounds,
            RuleContext context,
            BundleSettings bundle) {
        super(
                join.getCluster(),
                traitSet,
                left,
                right,
                joinType,
                join.originalCondition(),
                condition,
                windowBounds);
        this.windowBounds = windowBounds;
        this.context = context;
        this.bundle = bundle;
    }

    @Override
    public Join copy(
            RelTraitSet traitSet,
            RexNode condition,
            RelNode left,
            RelNode right,
            JoinRelType joinType,
            boolean semiJoinDone) {
        return new StreamPhysicalMiniBatchIntervalJoin(
                this, traitSet, condition, left, right, joinType, windowBounds, context, bundle);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("bundle", bundle);
    }

    @Override
    public ExecNode<?> translateToExecNode() {
        return new StreamExecMiniBatchIntervalJoin(
                ShortcutUtils.unwrapTableConfig(this),
                new IntervalJoinSpec(joinSpec(), windowBounds),
                context.bundleShare(),
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }
}
