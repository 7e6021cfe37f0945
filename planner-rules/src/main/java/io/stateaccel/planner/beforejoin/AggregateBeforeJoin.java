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
package io.stateaccel.planner.beforejoin;

import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.rule.RuleContext;
import io.stateaccel.planner.statement.PlanShape;
import io.stateaccel.planner.statement.Readers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import javax.annotation.Nullable;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.JoinInfo;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexProgram;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.flink.table.planner.plan.metadata.FlinkRelMetadataQuery;
import org.apache.flink.table.planner.plan.nodes.logical.FlinkLogicalAggregate;
import org.apache.flink.table.planner.plan.nodes.logical.FlinkLogicalCalc;
import org.apache.flink.table.planner.plan.nodes.logical.FlinkLogicalJoin;

/**
 * Aggregates the rows of one side of a join before they are joined, where nothing else is done with
 * them: the join then keeps one row per key of that side instead of all of them.
 *
 * <pre>
 *   Aggregate(group=[a, c], SUM(x))             Calc(select=[a, c, s])
 *   +- Join(a = b)                       to     +- Join(a = b)
 *      +- one(a, c), unique in (a, c)              +- one(a, c)
 *      +- many(b, x)                               +- Aggregate(group=[b], SUM(x) AS s)
 *                                                     +- many(b, x)
 * </pre>
 *
 * <p>Why the result is the same: the grouping columns are columns of {@code one}, or of the join
 * key, and a unique key of {@code one} is among them, so a group is one row of {@code one}. The
 * join is an inner one and has no condition but the equality of the keys, so the rows of {@code
 * many} in that group are all that have its join key, each once. The arguments and filters of the
 * functions are of {@code many} only, so the functions see the same values. And the group is in the
 * result if there is at least one such row, which is when the aggregate below the join has a row
 * for the key.
 *
 * <p>Changes of {@code one} that leave the join key alone reach no accumulator any more.
 */
public final class AggregateBeforeJoin {

    private final FlinkLogicalAggregate aggregate;
    @Nullable private final FlinkLogicalCalc calc;
    private final FlinkLogicalJoin join;
    private final JoinInfo keys;
    private final int leftColumns;

    private AggregateBeforeJoin(
            FlinkLogicalAggregate aggregate,
            @Nullable FlinkLogicalCalc calc,
            FlinkLogicalJoin join) {
        this.aggregate = aggregate;
        this.calc = calc;
        this.join = join;
        this.keys = join.analyzeCondition();
        this.leftColumns = join.getLeft().getRowType().getFieldCount();
    }

    /**
     * @return what the aggregate becomes; itself where no join is below, or, which is then said in
     *     the log, where the rows have to be joined first
     */
    public static RelNode rewrite(FlinkLogicalAggregate aggregate, RuleContext context) {
        final FlinkLogicalCalc calc =
                aggregate.getInput() instanceof FlinkLogicalCalc found ? found : null;
        final RelNode below = calc == null ? aggregate.getInput() : calc.getInput();
        return below instanceof FlinkLogicalJoin join
                ? new AggregateBeforeJoin(aggregate, calc, join).rewrite(context)
                : aggregate;
    }

    private RelNode rewrite(RuleContext context) {
        Optional<Reason> obstacle = obstacle(context);
        if (obstacle.isEmpty()) {
            obstacle = whyNotAggregated(true, context);
            if (obstacle.isEmpty()) {
                return aggregated(true);
            }
            final Optional<Reason> obstacleOnLeft = whyNotAggregated(false, context);
            if (obstacleOnLeft.isEmpty()) {
                return aggregated(false);
            }
            // Of two the one that says more.
            obstacle =
                    obstacle.filter(reason -> reason != Reason.BOTH_SIDES).or(() -> obstacleOnLeft);
        }
        context.reasons().say(aggregate.getRelDetailedDescription(), obstacle.get());
        return aggregate;
    }

    // ---- whether ------------------------------------------------------------------------------

    private Optional<Reason> obstacle(RuleContext context) {
        if (join.getJoinType() != JoinRelType.INNER) {
            return Optional.of(Reason.NOT_INNER);
        }
        if (keys.leftKeys.isEmpty()) {
            return Optional.of(Reason.NO_JOIN_KEY);
        }
        if (!keys.isEqui() || (calc != null && calc.getProgram().getCondition() != null)) {
            return Optional.of(Reason.CONDITION_BESIDE_KEY);
        }
        if (aggregate.getGroupType() != Aggregate.Group.SIMPLE || aggregate.getGroupCount() == 0) {
            return Optional.of(Reason.SEVERAL_GROUPINGS);
        }
        if (context.stateTtlMillis() > 0
                || !join.getHints().isEmpty()
                || !aggregate.getHints().isEmpty()) {
            return Optional.of(Reason.HINT_ABOUT_OTHER_STATES);
        }
        if (!context.isOneWay(
                calc == null ? List.of(join, aggregate) : List.of(join, calc, aggregate))) {
            return Optional.of(Reason.JOINED_FIRST_AS_SHARED);
        }
        return JoinsByTime.isByTime(join) ? Optional.of(Reason.JOIN_BY_TIME) : Optional.empty();
    }

    private Optional<Reason> whyNotAggregated(boolean right, RuleContext context) {
        final ImmutableBitSet groupedOfOther = groupedOfOther(right);
        if (groupedOfOther == null) {
            return Optional.of(Reason.BOTH_SIDES);
        }
        for (int argument : arguments()) {
            final RexNode expression = expression(argument);
            if (!RexUtil.isDeterministic(expression)) {
                return Optional.of(Reason.NOT_DETERMINISTIC);
            }
            if (!RelOptUtil.InputFinder.bits(expression).asList().stream().allMatch(isOf(right))) {
                return Optional.of(Reason.BOTH_SIDES);
            }
        }
        final RelNode other = right ? join.getLeft() : join.getRight();
        if (!Boolean.TRUE.equals(metadata().areColumnsUnique(other, groupedOfOther))) {
            return Optional.of(Reason.NOT_UNIQUE);
        }
        return context.statement().sharesPlans() && isExchangeShared(right, context)
                ? Optional.of(Reason.JOINED_FIRST_AS_SHARED)
                : Optional.empty();
    }

    /** Whether the rows of a side may go through one exchange to the join and to others. */
    private boolean isExchangeShared(boolean right, RuleContext context) {
        final Readers readers = context.statement().readers();
        final PlanShape thisJoin = readers.shapeOf(join);
        return readers.of(right ? join.getRight() : join.getLeft()).stream()
                .filter(
                        reader ->
                                reader.input() != (right ? 1 : 0)
                                        || !readers.shapeOf(reader.node()).equals(thisJoin))
                .anyMatch(reader -> JoinSides.mayExchangeBy(reader, keysOf(right)));
    }

    /**
     * The columns of the side that is not aggregated that determine the group; null if something
     * else does too.
     */
    @Nullable
    private ImmutableBitSet groupedOfOther(boolean right) {
        final ImmutableBitSet.Builder columns = ImmutableBitSet.builder();
        for (int grouped : aggregate.getGroupSet()) {
            if (!(expression(grouped) instanceof RexInputRef ref)) {
                return null;
            }
            int column = ref.getIndex();
            if (isOf(right).test(column)) {
                final int pair = keysOf(right).indexOf(right ? column - leftColumns : column);
                if (pair < 0) {
                    return null;
                }
                columns.set(keysOf(!right).get(pair));
            } else {
                columns.set(right ? column : column - leftColumns);
            }
        }
        return columns.build();
    }

    // ---- how ----------------------------------------------------------------------------------

    private RelNode aggregated(boolean right) {
        final RexBuilder rexBuilder = aggregate.getCluster().getRexBuilder();
        final RelNode many = right ? join.getRight() : join.getLeft();
        final ImmutableBitSet manyKeys = ImmutableBitSet.of(keysOf(right));
        final Map<Integer, Integer> newArguments = new HashMap<>();
        final RelNode input =
                keysAndArguments(many, right ? leftColumns : 0, manyKeys, newArguments);

        final ImmutableBitSet newGroup = ImmutableBitSet.range(manyKeys.cardinality());
        final List<AggregateCall> newCalls = new ArrayList<>();
        for (AggregateCall call : aggregate.getAggCallList()) {
            newCalls.add(
                    call.withArgList(call.getArgList().stream().map(newArguments::get).toList())
                            .withFilter(call.hasFilter() ? newArguments.get(call.filterArg) : -1));
        }
        final RelNode newAggregate =
                FlinkLogicalAggregate.create(
                        input, newGroup, List.of(newGroup), newCalls, List.of());

        // Where columns of the old join are in the new one.
        final int manyOffset = right ? leftColumns : 0;
        final int oneOffset = right ? 0 : newAggregate.getRowType().getFieldCount();
        final RelNode newLeft = right ? join.getLeft() : newAggregate;
        final RelNode newRight = right ? newAggregate : join.getRight();
        final RexShuttle toNewJoin =
                new RexShuttle() {
                    @Override
                    public RexNode visitInputRef(RexInputRef ref) {
                        final int column = ref.getIndex();
                        final int newColumn =
                                isOf(right).test(column)
                                        ? manyOffset + manyKeys.indexOf(column - manyOffset)
                                        : oneOffset + (right ? column : column - leftColumns);
                        return rexBuilder.makeInputRef(ref.getType(), newColumn);
                    }
                };
        final RelNode newJoin =
                FlinkLogicalJoin.create(
                        newLeft,
                        newRight,
                        join.getCondition().accept(toNewJoin),
                        List.of(),
                        JoinRelType.INNER);

        final List<RexNode> results = new ArrayList<>();
        for (int grouped : aggregate.getGroupSet()) {
            results.add(expression(grouped).accept(toNewJoin));
        }
        for (int call = 0; call < newCalls.size(); call++) {
            results.add(
                    rexBuilder.makeInputRef(newJoin, manyOffset + newGroup.cardinality() + call));
        }
        return FlinkLogicalCalc.create(
                newJoin,
                RexProgram.create(
                        newJoin.getRowType(), results, null, aggregate.getRowType(), rexBuilder));
    }

    /**
     * The side that is aggregated, of each row its join key and behind it what the functions want.
     *
     * @param offset of the side's columns in the join's rows
     * @param newArguments told which column of the aggregate's old input is which of the new one
     */
    private RelNode keysAndArguments(
            RelNode many,
            int offset,
            ImmutableBitSet manyKeys,
            Map<Integer, Integer> newArguments) {
        final RexBuilder rexBuilder = aggregate.getCluster().getRexBuilder();
        final List<RexNode> columns = new ArrayList<>();
        final List<String> names = new ArrayList<>();
        for (int key : manyKeys) {
            columns.add(rexBuilder.makeInputRef(many, key));
            names.add(many.getRowType().getFieldNames().get(key));
        }
        for (int argument : arguments()) {
            newArguments.put(argument, columns.size());
            columns.add(RexUtil.shift(expression(argument), -offset));
            names.add(aggregate.getInput().getRowType().getFieldNames().get(argument));
        }
        return FlinkLogicalCalc.create(
                many,
                RexProgram.create(
                        many.getRowType(),
                        columns,
                        null,
                        SqlValidatorUtil.uniquify(names, true),
                        rexBuilder));
    }

    // ---- columns ------------------------------------------------------------------------------

    /** The columns of the aggregate's input that functions and their filters read. */
    private ImmutableBitSet arguments() {
        final ImmutableBitSet.Builder arguments = ImmutableBitSet.builder();
        for (AggregateCall call : aggregate.getAggCallList()) {
            arguments.addAll(call.getArgList());
            if (call.hasFilter()) {
                arguments.set(call.filterArg);
            }
        }
        return arguments.build();
    }

    /** A column of the aggregate's input, in terms of the join's columns. */
    private RexNode expression(int column) {
        return calc == null
                ? RexInputRef.of(column, join.getRowType())
                : calc.getProgram().expandLocalRef(calc.getProgram().getProjectList().get(column));
    }

    private Predicate<Integer> isOf(boolean right) {
        return column -> (column >= leftColumns) == right;
    }

    private List<Integer> keysOf(boolean right) {
        return right ? keys.rightKeys : keys.leftKeys;
    }

    private FlinkRelMetadataQuery metadata() {
        return FlinkRelMetadataQuery.reuseOrCreate(join.getCluster().getMetadataQuery());
    }
}
