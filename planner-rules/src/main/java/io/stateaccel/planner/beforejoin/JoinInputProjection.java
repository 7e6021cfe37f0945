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

import io.stateaccel.planner.statement.PlanShape;
import io.stateaccel.planner.statement.Readers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import javax.annotation.Nullable;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexProgram;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.flink.table.planner.plan.metadata.FlinkRelMetadataQuery;
import org.apache.flink.table.planner.plan.nodes.logical.FlinkLogicalCalc;
import org.apache.flink.table.planner.plan.nodes.logical.FlinkLogicalJoin;

/**
 * Takes from the inputs of regular joins the columns that nobody reads, so that the joins do not
 * keep them.
 *
 * <pre>
 *   Calc(select=[a, x])                         Calc(select=[a, x])
 *   +- Join(a = b)                       to     +- Join(a = b)
 *      +- left(a, x)                               +- left(a, x)
 *      +- right(b, y)                              +- Calc(select=[b])
 *                                                     +- right(b, y)
 * </pre>
 *
 * <p>Flink does most of this itself ({@code FlinkProjectJoinTransposeRule}), but leaves a
 * projection above the join where its cost model finds one below dearer, and that model knows the
 * number of columns and not what it costs to keep them.
 *
 * <p>Why the result is the same: a join pairs rows by its condition, whose columns stay, and above
 * it only columns are read that stay. Rows that differed in nothing else become equal rows, as many
 * as they were: a join without a unique key of its input keeps equal rows as often as they came,
 * and of equal rows it does not matter which one a deletion takes. The columns of every unique and
 * every upsert key of an input stay, so what is known of its rows and changes does too. A change of
 * columns that are gone becomes a row taken back and put there again.
 *
 * <p>Flink plans once what is there twice, in one sink's plan or in those of several. So a node
 * loses only what none of its readers wants, and an input that several joins have by the same key,
 * and thereby its exchange, what none of these joins wants.
 */
public final class JoinInputProjection {

    private final Readers readers;

    /** The columns that are read of a node's rows. */
    private final Map<PlanShape, ImmutableBitSet> read = new HashMap<>();

    /** The columns that joins want of a node's rows. */
    private final Map<Exchanged, ImmutableBitSet> wanted = new HashMap<>();

    private final Set<RelNode> noted = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Map<RelNode, Projected> projected = new IdentityHashMap<>();

    private record Exchanged(PlanShape node, List<Integer> keys) {}

    private JoinInputProjection(Readers readers) {
        this.readers = readers;
    }

    /**
     * @param root of a logical plan
     * @param readers in the whole statement
     * @return the plan to go on with; the same object if there is nothing to take away
     */
    public static RelNode rewrite(RelNode root, Readers readers) {
        final JoinInputProjection projection = new JoinInputProjection(readers);
        projection.noteRead(root, all(root));
        readers.plans().forEach(plan -> projection.noteRead(plan, all(plan)));
        return projection.project(root).node;
    }

    // ---- what is read -------------------------------------------------------------------------

    private void noteRead(RelNode node, ImmutableBitSet columns) {
        final ImmutableBitSet known = readOf(node);
        final ImmutableBitSet both = known == null ? columns : known.union(columns);
        // Not the digest alone: Flink's node for a join of many inputs leaves them out of it.
        if (!noted.add(node) && both.equals(known)) {
            return;
        }
        read.put(readers.shapeOf(node), both);
        if (node instanceof FlinkLogicalCalc calc) {
            noteRead(calc.getInput(), readOfInput(calc, both));
        } else if (isProjected(node)) {
            final FlinkLogicalJoin join = (FlinkLogicalJoin) node;
            noteWanted(join, both, false);
            noteWanted(join, both, true);
        } else {
            for (RelNode input : readers.inputsOf(node)) {
                noteRead(input, all(input));
            }
        }
    }

    private void noteWanted(FlinkLogicalJoin join, ImmutableBitSet columns, boolean right) {
        final RelNode side = right ? join.getRight() : join.getLeft();
        final ImmutableBitSet ofSide = readOfSide(join, columns, right);
        wanted.merge(exchanged(join, right), ofSide, ImmutableBitSet::union);
        noteRead(side, ofSide);
    }

    private Exchanged exchanged(FlinkLogicalJoin join, boolean right) {
        return new Exchanged(
                readers.shapeOf(right ? join.getRight() : join.getLeft()),
                JoinSides.keys(join, right ? 1 : 0));
    }

    private ImmutableBitSet readOf(RelNode node) {
        return read.get(readers.shapeOf(node));
    }

    private static ImmutableBitSet readOfInput(FlinkLogicalCalc calc, ImmutableBitSet columns) {
        final List<RexNode> expressions = expressions(calc, columns);
        if (calc.getProgram().getCondition() != null) {
            expressions.add(condition(calc));
        }
        return RelOptUtil.InputFinder.bits(expressions, null);
    }

    /** At least one column: a row without columns would be new to everything above. */
    private static ImmutableBitSet readOfSide(
            FlinkLogicalJoin join, ImmutableBitSet columns, boolean right) {
        final RelNode side = right ? join.getRight() : join.getLeft();
        final int offset = right ? join.getLeft().getRowType().getFieldCount() : 0;
        final ImmutableBitSet.Builder ofSide = ImmutableBitSet.builder();
        columns.union(RelOptUtil.InputFinder.bits(join.getCondition()))
                .intersect(all(side).shift(offset))
                .shift(-offset)
                .forEach(ofSide::set);
        final FlinkRelMetadataQuery metadata =
                FlinkRelMetadataQuery.reuseOrCreate(join.getCluster().getMetadataQuery());
        addAll(ofSide, metadata.getUniqueKeys(side));
        addAll(ofSide, metadata.getUpsertKeys(side));
        final ImmutableBitSet some = ofSide.build();
        return some.isEmpty() ? ImmutableBitSet.of(0) : some;
    }

    private static void addAll(
            ImmutableBitSet.Builder columns, @Nullable Set<ImmutableBitSet> keys) {
        if (keys != null) {
            keys.forEach(columns::addAll);
        }
    }

    private static boolean isProjected(RelNode node) {
        return node instanceof FlinkLogicalJoin join && !JoinsByTime.isByTime(join);
    }

    // ---- what becomes of it -------------------------------------------------------------------

    private Projected project(RelNode node) {
        final Projected known = projected.get(node);
        if (known != null) {
            return known;
        }
        final Projected result;
        if (node instanceof FlinkLogicalCalc calc) {
            result = project(calc);
        } else if (isProjected(node)) {
            result = project((FlinkLogicalJoin) node);
        } else {
            result = new Projected(withProjectedInputs(node), all(node));
        }
        projected.put(node, result);
        return result;
    }

    /** All columns are read of the inputs of these nodes, so only what is below them may change. */
    private RelNode withProjectedInputs(RelNode node) {
        final List<RelNode> inputs = new ArrayList<>();
        for (RelNode input : node.getInputs()) {
            inputs.add(project(input).node);
        }
        return inputs.equals(node.getInputs()) ? node : node.copy(node.getTraitSet(), inputs);
    }

    private Projected project(FlinkLogicalCalc calc) {
        final ImmutableBitSet columns = readOf(calc);
        final Projected input = project(calc.getInput());
        if (input.node == calc.getInput() && columns.equals(all(calc))) {
            return new Projected(calc, columns);
        }
        final RexShuttle toNewInput = moveTo(calc.getCluster().getRexBuilder(), input::newColumn);
        return new Projected(
                calc(
                        input.node,
                        toNewInput.visitList(expressions(calc, columns)),
                        calc.getProgram().getCondition() == null
                                ? null
                                : condition(calc).accept(toNewInput),
                        names(calc, columns)),
                columns);
    }

    private Projected project(FlinkLogicalJoin join) {
        final Projected left = side(join, false);
        final Projected right = side(join, true);
        final int leftColumns = join.getLeft().getRowType().getFieldCount();
        final ImmutableBitSet columns =
                join.getJoinType().projectsRight()
                        ? left.columns.union(right.columns.shift(leftColumns))
                        : left.columns;
        if (left.node == join.getLeft() && right.node == join.getRight()) {
            return new Projected(join, columns);
        }
        final int newLeftColumns = left.columns.cardinality();
        final RexShuttle toNewSides =
                moveTo(
                        join.getCluster().getRexBuilder(),
                        column ->
                                column < leftColumns
                                        ? left.newColumn(column)
                                        : newLeftColumns + right.newColumn(column - leftColumns));
        return new Projected(
                FlinkLogicalJoin.create(
                        left.node,
                        right.node,
                        join.getCondition().accept(toNewSides),
                        join.getHints(),
                        join.getJoinType()),
                columns);
    }

    /** An input of a join, with the columns that it wants and no others. */
    private Projected side(FlinkLogicalJoin join, boolean right) {
        final RelNode input = right ? join.getRight() : join.getLeft();
        final Projected side = project(input);
        final List<Integer> keys = JoinSides.keys(join, right ? 1 : 0);
        final boolean sharedWithOthers =
                readers.of(input).stream()
                        .filter(reader -> !isProjected(reader.node()))
                        .anyMatch(reader -> JoinSides.mayExchangeBy(reader, keys));
        final ImmutableBitSet columns =
                sharedWithOthers ? readOf(input) : wanted.get(exchanged(join, right));
        if (side.columns.equals(columns)) {
            return side;
        }
        final ImmutableBitSet kept =
                ImmutableBitSet.of(columns.asList().stream().map(side::newColumn).toList());
        final List<RexNode> expressions = new ArrayList<>();
        for (int column : kept) {
            expressions.add(RexInputRef.of(column, side.node.getRowType()));
        }
        return new Projected(calc(side.node, expressions, null, names(side.node, kept)), columns);
    }

    // ---- expressions --------------------------------------------------------------------------

    private static RelNode calc(
            RelNode input, List<RexNode> columns, @Nullable RexNode condition, List<String> names) {
        return FlinkLogicalCalc.create(
                input,
                RexProgram.create(
                        input.getRowType(),
                        columns,
                        condition,
                        names,
                        input.getCluster().getRexBuilder()));
    }

    private static List<RexNode> expressions(FlinkLogicalCalc calc, ImmutableBitSet columns) {
        final RexProgram program = calc.getProgram();
        final List<RexNode> expressions = new ArrayList<>();
        for (int column : columns) {
            expressions.add(program.expandLocalRef(program.getProjectList().get(column)));
        }
        return expressions;
    }

    private static RexNode condition(FlinkLogicalCalc calc) {
        return calc.getProgram().expandLocalRef(calc.getProgram().getCondition());
    }

    private static RexShuttle moveTo(RexBuilder rexBuilder, IntUnaryOperator newColumn) {
        return new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef ref) {
                return rexBuilder.makeInputRef(ref.getType(), newColumn.applyAsInt(ref.getIndex()));
            }
        };
    }

    private static List<String> names(RelNode node, ImmutableBitSet columns) {
        final List<String> names = new ArrayList<>();
        for (int column : columns) {
            names.add(node.getRowType().getFieldNames().get(column));
        }
        return names;
    }

    private static ImmutableBitSet all(RelNode node) {
        return ImmutableBitSet.range(node.getRowType().getFieldCount());
    }

    /**
     * @param columns of the node before that are there still, in the order in which they were
     */
    private record Projected(RelNode node, ImmutableBitSet columns) {

        int newColumn(int column) {
            return columns.indexOf(column);
        }
    }
}
