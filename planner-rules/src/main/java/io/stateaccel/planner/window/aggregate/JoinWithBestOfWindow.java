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
package io.stateaccel.planner.window.aggregate;

import io.stateaccel.planner.rule.RuleContext;
import io.stateaccel.planner.statement.Readers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import javax.annotation.Nullable;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.logical.SessionWindowSpec;
import org.apache.flink.table.planner.plan.logical.WindowAttachedWindowingStrategy;
import org.apache.flink.table.planner.plan.logical.WindowingStrategy;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalCalc;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalExchange;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGlobalWindowAggregate;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalLocalWindowAggregate;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalWindowAggregate;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalWindowAggregateBase;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalWindowJoin;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;

/**
 * Where a window aggregate is joined with its own maximum, to find the row that has it, leaves out
 * below the join what is less than another result of the same window.
 *
 * <pre>
 *   HeapWindowJoin(num >= most)                          HeapWindowJoin(num >= most)
 *   :- Exchange                                          :- Exchange
 *   :  +- HeapWindowAggregate(COUNT(*) AS num)      to   :  +- HeapWindowAggregate(..., results=[highest num])
 *   +- Exchange                                          +- Exchange
 *      +- HeapWindowAggregate(MAX(num) AS most)             +- HeapWindowAggregate(MAX(num) AS most)
 *         +- HeapWindowAggregate(COUNT(*) AS num)              +- HeapWindowAggregate(..., results=[highest num])
 * </pre>
 *
 * <p>Why that gives the same: a result that is less than another of its window and group is less
 * than their maximum, and no pair of the join has it. That other one is not left out, or there is a
 * higher one still, so the maximum stays what it is. Flink plans both inputs' aggregate once, so
 * that it is the results of one operator that are compared; where it does not, each has late rows
 * of its own, and nothing is left out. Nor is it where anything else reads the aggregate. A
 * sub-task looks at its own results only, and needs no more state for that.
 *
 * <p>The same for the minimum. Not for floating point numbers, of which NaN is neither less nor
 * more than others.
 */
public final class JoinWithBestOfWindow {

    private static final int COMPUTED = -1;

    private final StreamPhysicalWindowJoin join;
    private final boolean rowsAreLeft;

    private JoinWithBestOfWindow(StreamPhysicalWindowJoin join, boolean rowsAreLeft) {
        this.join = join;
        this.rowsAreLeft = rowsAreLeft;
    }

    /**
     * @param join over inputs that are accelerated already
     * @return the join, over inputs of which results are left out where that may be
     */
    public static StreamPhysicalWindowJoin rewrite(
            StreamPhysicalWindowJoin join, RuleContext context) {
        return new JoinWithBestOfWindow(join, true)
                .rewrite(context)
                .or(() -> new JoinWithBestOfWindow(join, false).rewrite(context))
                .orElse(join);
    }

    private Optional<StreamPhysicalWindowJoin> rewrite(RuleContext context) {
        final Way rows = Way.to(rowsAreLeft ? join.getLeft() : join.getRight());
        final Way maximum = Way.to(rowsAreLeft ? join.getRight() : join.getLeft());
        if (!leavesOutUnmatchedRows()
                || rowsWindow().getWindow() instanceof SessionWindowSpec
                || !(rows.from instanceof KeepsBestOfWindow)
                || !(maximum.from instanceof StreamPhysicalWindowAggregateBase aggregate)) {
            return Optional.empty();
        }
        final Way aggregated = Way.to(ofRows(aggregate).getInput());
        final Optional<BestOfWindow> best =
                best(rows, maximum, aggregated, aggregate)
                        .filter(found -> isComparable(rows, found));
        if (best.isEmpty() || !areOneAndReadByNothingElse(rows, maximum, aggregated, context)) {
            return Optional.empty();
        }
        final RelNode kept = ((KeepsBestOfWindow) rows.from).keeping(best.get());
        final RelNode newRows = rows.over(kept);
        final RelNode newMaximum = maximum.over(over(aggregate, aggregated.over(kept)));
        return Optional.of(
                (StreamPhysicalWindowJoin)
                        join.copy(
                                join.getTraitSet(),
                                rowsAreLeft
                                        ? List.of(newRows, newMaximum)
                                        : List.of(newMaximum, newRows)));
    }

    /** Rows without a match, of the side that is compared with the maximum. */
    private boolean leavesOutUnmatchedRows() {
        final JoinRelType type = join.getJoinType();
        return type == JoinRelType.INNER
                || type == (rowsAreLeft ? JoinRelType.RIGHT : JoinRelType.LEFT);
    }

    /** The aggregate that takes rows, where there is another one of its results. */
    private static StreamPhysicalWindowAggregateBase ofRows(
            StreamPhysicalWindowAggregateBase aggregate) {
        return aggregate instanceof StreamPhysicalGlobalWindowAggregate
                        && Way.to(aggregate.getInput()).from
                                instanceof StreamPhysicalLocalWindowAggregate local
                ? local
                : aggregate;
    }

    private static RelNode over(StreamPhysicalWindowAggregateBase aggregate, RelNode input) {
        final StreamPhysicalWindowAggregateBase ofRows = ofRows(aggregate);
        final RelNode newOfRows = ofRows.copy(ofRows.getTraitSet(), List.of(input));
        return ofRows == aggregate
                ? newOfRows
                : aggregate.copy(
                        aggregate.getTraitSet(),
                        List.of(Way.to(aggregate.getInput()).over(newOfRows)));
    }

    private Optional<BestOfWindow> best(
            Way rows, Way maximum, Way aggregated, StreamPhysicalWindowAggregateBase aggregate) {
        final StreamPhysicalWindowAggregateBase ofRows = ofRows(aggregate);
        final List<AggregateCall> calls = JavaScalaConversionUtil.toJava(ofRows.aggCalls());
        if (calls.size() != 1
                || aggregated.filters
                || !(windowing(ofRows) instanceof WindowAttachedWindowingStrategy window)) {
            return Optional.empty();
        }
        final AggregateCall call = calls.get(0);
        final boolean isHighest = call.getAggregation().getKind() == SqlKind.MAX;
        if ((!isHighest && call.getAggregation().getKind() != SqlKind.MIN) || call.hasFilter()) {
            return Optional.empty();
        }
        final int[] grouping = ofRows.grouping();
        final int column = aggregated.column(call.getArgList().get(0));
        final int windowEnd = aggregated.column(window.getWindowEnd());
        final int[] groups =
                IntStream.concat(
                                IntStream.of(windowEnd),
                                Arrays.stream(grouping).map(aggregated::column))
                        .toArray();
        if (column == COMPUTED
                || Arrays.stream(groups).anyMatch(group -> group == COMPUTED)
                || rows.column(rowsWindow().getWindowEnd()) != windowEnd
                || !isCompared(rows, column, maximum, grouping.length, isHighest)) {
            return Optional.empty();
        }
        for (int i = 0; i < grouping.length; i++) {
            if (!hasCondition(rows, groups[i + 1], maximum, i, SqlKind.EQUALS)) {
                return Optional.empty();
            }
        }
        return Optional.of(new BestOfWindow(groups, column, isHighest));
    }

    private WindowAttachedWindowingStrategy rowsWindow() {
        return (WindowAttachedWindowingStrategy)
                (rowsAreLeft ? join.leftWindowing() : join.rightWindowing());
    }

    @Nullable
    private static WindowingStrategy windowing(StreamPhysicalWindowAggregateBase aggregate) {
        if (aggregate instanceof StreamPhysicalLocalWindowAggregate local) {
            return local.windowing();
        }
        return aggregate instanceof StreamPhysicalWindowAggregate whole ? whole.windowing() : null;
    }

    private boolean isCompared(
            Way rows, int column, Way maximum, int ofMaximum, boolean isHighest) {
        return hasCondition(rows, column, maximum, ofMaximum, SqlKind.EQUALS)
                || hasCondition(
                        rows,
                        column,
                        maximum,
                        ofMaximum,
                        isHighest ? SqlKind.GREATER_THAN_OR_EQUAL : SqlKind.LESS_THAN_OR_EQUAL);
    }

    /**
     * Whether the join asks for that, among other things.
     *
     * @param column of what is below the rows
     * @param ofMaximum column of the aggregate that has the maximum
     * @param comparison of the row with the maximum
     */
    private boolean hasCondition(
            Way rows, int column, Way maximum, int ofMaximum, SqlKind comparison) {
        final int leftColumns = join.getLeft().getRowType().getFieldCount();
        final int rowsFrom = rowsAreLeft ? 0 : leftColumns;
        final int maximumFrom = rowsAreLeft ? leftColumns : 0;
        for (RexNode condition : RelOptUtil.conjunctions(join.getCondition())) {
            if (condition instanceof RexCall call
                    && call.getOperands().size() == 2
                    && call.getOperands().get(0) instanceof RexInputRef first
                    && call.getOperands().get(1) instanceof RexInputRef second) {
                if (call.getKind() == comparison
                                && rows.column(first.getIndex() - rowsFrom) == column
                                && maximum.column(second.getIndex() - maximumFrom) == ofMaximum
                        || call.getKind() == comparison.reverse()
                                && rows.column(second.getIndex() - rowsFrom) == column
                                && maximum.column(first.getIndex() - maximumFrom) == ofMaximum) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isComparable(Way rows, BestOfWindow best) {
        final LogicalType type =
                FlinkTypeFactory.toLogicalRowType(rows.from.getRowType()).getTypeAt(best.column());
        return type.is(LogicalTypeFamily.EXACT_NUMERIC)
                || type.is(LogicalTypeFamily.DATETIME)
                || type.is(LogicalTypeFamily.CHARACTER_STRING);
    }

    private boolean areOneAndReadByNothingElse(
            Way rows, Way maximum, Way aggregated, RuleContext context) {
        final Readers readers = context.statement().readers();
        if (!readers.shapeOf(rows.from).equals(readers.shapeOf(aggregated.from))) {
            return false;
        }
        final StreamPhysicalWindowAggregateBase aggregate =
                (StreamPhysicalWindowAggregateBase) maximum.from;
        final List<RelNode> below = new ArrayList<>(List.of(rows.from, aggregate));
        below.addAll(rows.nodes);
        below.addAll(aggregated.nodes);
        below.addAll(maximum.nodes);
        if (ofRows(aggregate) != aggregate) {
            below.add(ofRows(aggregate));
            below.addAll(Way.to(aggregate.getInput()).nodes);
        }
        return context.statement().isAllFor(join, below);
    }

    /**
     * From a node to another one that takes its rows, by exchanges and calculations.
     *
     * @param from where it begins
     * @param nodes in between, from the first one
     * @param columns of the node at the beginning that those of its end are
     * @param filters whether rows are left out on the way
     */
    private record Way(RelNode from, List<RelNode> nodes, int[] columns, boolean filters) {

        static Way to(RelNode end) {
            final List<RelNode> nodes = new ArrayList<>();
            int[] columns = IntStream.range(0, end.getRowType().getFieldCount()).toArray();
            boolean filters = false;
            RelNode from = end;
            while (from instanceof StreamPhysicalExchange || from instanceof StreamPhysicalCalc) {
                nodes.add(0, from);
                if (from instanceof StreamPhysicalCalc calc) {
                    filters |= calc.getProgram().getCondition() != null;
                    columns =
                            Arrays.stream(columns)
                                    .map(column -> columnBelow(calc, column))
                                    .toArray();
                }
                from = from.getInput(0);
            }
            return new Way(from, nodes, columns, filters);
        }

        private static int columnBelow(StreamPhysicalCalc calc, int column) {
            return column != COMPUTED
                            && calc.getProgram()
                                            .expandLocalRef(
                                                    calc.getProgram().getProjectList().get(column))
                                    instanceof RexInputRef ref
                    ? ref.getIndex()
                    : COMPUTED;
        }

        /** The column that it is at the beginning, if it is one and has not been computed. */
        int column(int atEnd) {
            return atEnd >= 0 && atEnd < columns.length ? columns[atEnd] : COMPUTED;
        }

        /**
         * @return the end of the same way from another node
         */
        RelNode over(RelNode newFrom) {
            RelNode end = newFrom;
            for (RelNode node : nodes) {
                end = node.copy(node.getTraitSet(), List.of(end));
            }
            return end;
        }
    }
}
