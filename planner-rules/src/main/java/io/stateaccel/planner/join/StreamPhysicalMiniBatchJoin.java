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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.annotation.Nullable;
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

    /** How inputs are normalised, null where they need not be. */
    @Nullable private final NormalizedSide leftNormalized;

    @Nullable private final NormalizedSide rightNormalized;

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
                context.bundle(),
                null,
                null);
    }

    private StreamPhysicalMiniBatchJoin(
            Join join,
            RelTraitSet traitSet,
            RexNode condition,
            RelNode left,
            RelNode right,
            JoinRelType joinType,
            RuleContext context,
            BundleSettings bundle,
            @Nullable NormalizedSide leftNormalized,
            @Nullable NormalizedSide rightNormalized) {
        super(join.getCluster(), traitSet, left, right, condition, joinType, join.getHints());
        this.context = context;
        this.bundle = bundle;
        this.leftNormalized = leftNormalized;
        this.rightNormalized = rightNormalized;
    }

    /** The join that has an input of its own input's, which it normalises itself. */
    StreamPhysicalMiniBatchJoin normalizing(boolean isLeft, NormalizedSide how, RelNode input) {
        return new StreamPhysicalMiniBatchJoin(
                this,
                getTraitSet(),
                getCondition(),
                isLeft ? input : left,
                isLeft ? right : input,
                getJoinType(),
                context,
                bundle,
                isLeft ? how : leftNormalized,
                isLeft ? rightNormalized : how);
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
                this,
                traitSet,
                condition,
                left,
                right,
                joinType,
                context,
                bundle,
                leftNormalized,
                rightNormalized);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer)
                .item("leftView", viewKind(left, joinSpec().getLeftKeys(), leftNormalized))
                .item("rightView", viewKind(right, joinSpec().getRightKeys(), rightNormalized))
                .itemIf("normalized", normalized(), !normalized().isEmpty())
                .itemIf("leftFilter", conditionOf(leftNormalized), has(leftNormalized))
                .itemIf("rightFilter", conditionOf(rightNormalized), has(rightNormalized))
                .item("bundle", bundle);
    }

    private String normalized() {
        return Stream.of(
                        leftNormalized == null ? "" : "left",
                        rightNormalized == null ? "" : "right")
                .filter(side -> !side.isEmpty())
                .collect(Collectors.joining(", "));
    }

    private static boolean has(@Nullable NormalizedSide side) {
        return side != null && side.condition() != null;
    }

    @Nullable
    private static RexNode conditionOf(@Nullable NormalizedSide side) {
        return side == null ? null : side.condition();
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
                        upsertKeys(left, joinSpec().getLeftKeys(), leftNormalized),
                        upsertKeys(right, joinSpec().getRightKeys(), rightNormalized),
                        new JoinChangelogs(
                                changelog(left, leftNormalized),
                                changelog(right, rightNormalized),
                                InputChangelogs.haveDeletes(this),
                                leftNormalized,
                                rightNormalized)),
                context.bundleShare(),
                StateTtlHint.getStateTtlFromHintOnBiRel(getHints()));
    }

    private MergedViewKind viewKind(
            RelNode input, int[] joinKey, @Nullable NormalizedSide normalized) {
        return MergedViewKind.of(
                JoinUtil.analyzeJoinInput(
                        ShortcutUtils.unwrapClassLoader(input),
                        InternalTypeInfo.of(FlinkTypeFactory.toLogicalRowType(input.getRowType())),
                        joinKey,
                        upsertKeys(input, joinKey, normalized)),
                changelog(input, normalized));
    }

    private List<int[]> upsertKeys(
            RelNode input, int[] joinKey, @Nullable NormalizedSide normalized) {
        if (normalized != null) {
            return List.of(joinKey);
        }
        return UpsertKeysOfInput.of(
                input,
                JavaScalaConversionUtil.toJava(getUpsertKeys(input, joinKey)),
                joinKey,
                InputChangelogs.of(input));
    }

    private static InputChangelog changelog(RelNode input, @Nullable NormalizedSide normalized) {
        if (normalized == null) {
            return InputChangelogs.of(input);
        }
        return normalized.updatesBefore() ? InputChangelog.RETRACT : InputChangelog.UPSERT;
    }
}
