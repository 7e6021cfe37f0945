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
package io.stateaccel.planner.join;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.planner.rule.RuleContext;
import io.stateaccel.views.join.InputChangelog;
import io.stateaccel.views.join.MergedViewKind;
import java.util.List;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rex.RexNode;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.hint.StateTtlHint;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalJoin;
import org.apache.flink.table.planner.plan.utils.JoinUtil;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import org.apache.flink.table.planner.utils.ShortcutUtils;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * {@link StreamPhysicalJoin} that runs as {@link
 * io.stateaccel.operators.join.MiniBatchJoinOperator}. It stays a {@code StreamPhysicalJoin} for
 * everything the planner derives from one: unique keys, upsert keys, checks on the finished plan.
 */
public final class StreamPhysicalMiniBatchJoin extends StreamPhysicalJoin {

    private final RuleContext context;
    private final BundleSettings bundle;

    /**
     * @param join the join to stand in for
     * @param context holds the settings of the session
     */
    public StreamPhysicalMiniBatchJoin(StreamPhysicalJoin join, RuleContext context) {
        this(
                join,
                join.getTraitSet(),
                join.getCondition(),
                join.getLeft(),
                join.getRight(),
                join.getJoinType(),
                context,
                context.bundle());
    }

    private StreamPhysicalMiniBatchJoin(
            Join join,
            RelTraitSet traitSet,
            RexNode condition,
            RelNode left,
            RelNode right,
            JoinRelType joinType,
            RuleContext context,
            BundleSettings bundle) {
        super(join.getCluster(), traitSet, left, right, condition, joinType, join.getHints());
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
        return new StreamPhysicalMiniBatchJoin(
                this, traitSet, condition, left, right, joinType, context, bundle);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer)
                .item("leftView", viewKind(left, joinSpec().getLeftKeys()))
                .item("rightView", viewKind(right, joinSpec().getRightKeys()))
                .item("bundle", bundle);
    }

    @Override
    public ExecNode<?> translateToExecNode() {
        return new StreamExecMiniBatchJoin(
                ShortcutUtils.unwrapTableConfig(this),
                planned(),
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }

    /** What an operator has to know, whatever it makes of the results. */
    public PlannedJoin planned() {
        return new PlannedJoin(
                new MiniBatchJoinInputs(
                        joinSpec(),
                        upsertKeys(left, joinSpec().getLeftKeys()),
                        upsertKeys(right, joinSpec().getRightKeys()),
                        new JoinChangelogs(
                                changelog(left),
                                changelog(right),
                                InputChangelogs.haveDeletes(this))),
                context.bundleShare(),
                StateTtlHint.getStateTtlFromHintOnBiRel(getHints()));
    }

    private MergedViewKind viewKind(RelNode input, int[] joinKey) {
        return MergedViewKind.of(
                JoinUtil.analyzeJoinInput(
                        ShortcutUtils.unwrapClassLoader(input),
                        InternalTypeInfo.of(FlinkTypeFactory.toLogicalRowType(input.getRowType())),
                        joinKey,
                        upsertKeys(input, joinKey)),
                changelog(input));
    }

    private List<int[]> upsertKeys(RelNode input, int[] joinKey) {
        return UpsertKeysOfInput.of(
                input,
                JavaScalaConversionUtil.toJava(getUpsertKeys(input, joinKey)),
                joinKey,
                changelog(input));
    }

    private static InputChangelog changelog(RelNode input) {
        return InputChangelogs.of(input);
    }
}
