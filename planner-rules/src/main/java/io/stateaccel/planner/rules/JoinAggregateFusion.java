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
package io.stateaccel.planner.rules;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.planner.nodes.physical.StreamPhysicalMiniBatchJoin;
import io.stateaccel.planner.nodes.physical.StreamPhysicalMiniBatchJoinAggregate;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import javax.annotation.Nullable;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalCalc;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalExchange;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGroupAggregate;
import org.apache.flink.table.planner.plan.utils.AggregateInfoList;
import org.apache.flink.table.planner.plan.utils.AggregateUtil;
import org.apache.flink.table.planner.plan.utils.ChangelogPlanUtils;
import org.apache.flink.table.planner.utils.ShortcutUtils;

/**
 * Makes one node of a group aggregate and the accelerated join below it.
 *
 * <pre>
 *   GroupAggregate(groupBy=[a, c])            MiniBatchJoinAggregate(join=[a = b], groupBy=[a, c])
 *   +- Exchange(hash[a, c])             to    +- Exchange(hash[a])
 *      +- Calc(select=[a, c, x])              |  +- left
 *         +- MiniBatchJoin(a = b)             +- Exchange(hash[b])
 *            +- Exchange(hash[a])                +- right
 *            |  +- left
 *            +- Exchange(hash[b])
 *               +- right
 * </pre>
 *
 * <p>Why the result is the same: each pair of equal join columns has one of its two among the
 * grouping columns, taken over unchanged by the calc, from a side that is not padded with NULL. So
 * two results of the join that agree in the grouping columns agree in the join key, and are made by
 * the same sub-task with the same current key. The aggregate sees the changes that it would see
 * behind the exchange, in an order that an exchange could have given them.
 */
final class JoinAggregateFusion {

    private final StreamPhysicalGroupAggregate aggregate;
    private final @Nullable StreamPhysicalCalc calc;
    private final StreamPhysicalMiniBatchJoin join;
    private final @Nullable StreamPhysicalExchange exchange;

    private JoinAggregateFusion(
            StreamPhysicalGroupAggregate aggregate,
            @Nullable StreamPhysicalExchange exchange,
            @Nullable StreamPhysicalCalc calc,
            StreamPhysicalMiniBatchJoin join) {
        this.aggregate = aggregate;
        this.exchange = exchange;
        this.calc = calc;
        this.join = join;
    }

    /**
     * @return the one node; empty where no accelerated join is below, or, which is then said in the
     *     log, where groups span join keys
     */
    static Optional<RelNode> fuse(StreamPhysicalGroupAggregate aggregate, RuleContext context) {
        return find(aggregate).flatMap(found -> found.fuse(context));
    }

    private static Optional<JoinAggregateFusion> find(StreamPhysicalGroupAggregate aggregate) {
        RelNode node = aggregate.getInput();
        StreamPhysicalExchange exchange = null;
        if (node instanceof StreamPhysicalExchange found) {
            exchange = found;
            node = found.getInput();
        }
        StreamPhysicalCalc calc = null;
        if (node instanceof StreamPhysicalCalc found) {
            calc = found;
            node = found.getInput();
        }
        return node instanceof StreamPhysicalMiniBatchJoin join
                ? Optional.of(new JoinAggregateFusion(aggregate, exchange, calc, join))
                : Optional.empty();
    }

    private Optional<RelNode> fuse(RuleContext context) {
        final Optional<UnfusedReason> obstacle = obstacle(context);
        if (obstacle.isPresent()) {
            context.stockReasons()
                    .sayUnfused(aggregate.getRelDetailedDescription(), obstacle.get());
            return Optional.empty();
        }
        return Optional.of(
                new StreamPhysicalMiniBatchJoinAggregate(
                        aggregate, exchange, calc, join, context.stockReasons()));
    }

    private Optional<UnfusedReason> obstacle(RuleContext context) {
        if (!context.tableConfig().get(StateAccelOptions.JOIN_AGGREGATE_FUSION_ENABLED)) {
            return Optional.of(UnfusedReason.SWITCHED_OFF);
        }
        if (join.joinSpec().getLeftKeys().length == 0) {
            return Optional.of(UnfusedReason.NO_JOIN_KEY);
        }
        final Set<Integer> groupedColumns = groupedColumnsOfJoin();
        if (!hasEachPair(groupedColumns, true, true)) {
            return Optional.of(UnfusedReason.GROUP_SPANS_JOIN_KEYS);
        }
        final JoinRelType type = join.getJoinType();
        if (!hasEachPair(
                groupedColumns, !type.generatesNullsOnLeft(), !type.generatesNullsOnRight())) {
            return Optional.of(UnfusedReason.PADDED_JOIN_KEY);
        }
        if (!isDeterminedByJoinKey(groupedColumns) && hasDataViews()) {
            return Optional.of(UnfusedReason.VIEWS_OF_SEVERAL_GROUPS);
        }
        return Optional.empty();
    }

    /** The columns of the join's results that are grouped by as they are. */
    private Set<Integer> groupedColumnsOfJoin() {
        final Set<Integer> columns = new HashSet<>();
        for (int grouped : aggregate.grouping()) {
            if (calc == null) {
                columns.add(grouped);
                continue;
            }
            final RexNode expression =
                    calc.getProgram()
                            .expandLocalRef(calc.getProgram().getProjectList().get(grouped));
            columns.add(expression instanceof RexInputRef column ? column.getIndex() : -1);
        }
        return columns;
    }

    private boolean hasEachPair(Set<Integer> columns, boolean fromLeft, boolean fromRight) {
        final int[] left = join.joinSpec().getLeftKeys();
        final int[] right = join.joinSpec().getRightKeys();
        return IntStream.range(0, left.length)
                .allMatch(
                        pair ->
                                (fromLeft && columns.contains(left[pair]))
                                        || (fromRight && columns.contains(ofRight(right[pair]))));
    }

    /** A side that is padded has its columns or NULL, and so two groups per join key. */
    private boolean isDeterminedByJoinKey(Set<Integer> columns) {
        final Set<Integer> joinKey = new HashSet<>();
        if (!join.getJoinType().generatesNullsOnLeft()) {
            for (int column : join.joinSpec().getLeftKeys()) {
                joinKey.add(column);
            }
        }
        if (!join.getJoinType().generatesNullsOnRight()) {
            for (int column : join.joinSpec().getRightKeys()) {
                joinKey.add(ofRight(column));
            }
        }
        return joinKey.containsAll(columns);
    }

    private int ofRight(int column) {
        return join.getJoinType().projectsRight()
                ? join.getLeft().getRowType().getFieldCount() + column
                // The result has no column of the right side.
                : Integer.MAX_VALUE;
    }

    private boolean hasDataViews() {
        final AggregateInfoList aggregates =
                AggregateUtil.transformToStreamAggregateInfoList(
                        ShortcutUtils.unwrapTypeFactory(aggregate),
                        FlinkTypeFactory.toLogicalRowType(aggregate.getInput().getRowType()),
                        aggregate.aggCalls(),
                        AggregateUtil.deriveAggCallNeedRetractions(
                                aggregate, aggregate.grouping().length, aggregate.aggCalls()),
                        !ChangelogPlanUtils.inputInsertOnly(aggregate),
                        true,
                        true);
        if (aggregates.distinctInfos().length > 0) {
            return true;
        }
        for (var info : aggregates.aggInfos()) {
            if (info.viewSpecs().length > 0) {
                return true;
            }
        }
        return false;
    }
}
