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

import io.stateaccel.flink.planner.RankNode;
import io.stateaccel.views.join.InputChangelog;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.plan.hep.HepRelVertex;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Calc;
import org.apache.calcite.rel.core.Exchange;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalChangelogNormalize;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalDropUpdateBefore;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGroupAggregateBase;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalRank;
import org.apache.flink.table.planner.plan.schema.IntermediateRelTable;
import org.apache.flink.table.planner.plan.utils.RankProcessStrategy;

/**
 * The upsert keys by which the rows of a join's input may be told apart, change by change.
 *
 * <p>Flink's metadata has one key too many. Above a top-N of retractions that outputs its numbers
 * it still has the keys of the top-N's input, but when a row is taken out of Flink's, the one
 * behind it comes with its new number before it goes with the old one: by a key without the number
 * it has gone in the end. Such keys are left out here, with all that follows from them in joins
 * above. Ours tells all that goes first, but only some top-N are ours, and the state of a join is
 * the same above either.
 *
 * <p>Of keys of the same length Flink's join takes any, another one with each planning. Rows in
 * state are found by the key, so here the order is always the same.
 */
final class UpsertKeysOfInput {

    private static final Comparator<int[]> ORDER =
            Comparator.<int[]>comparingInt(key -> key.length).thenComparing(Arrays::compare);

    private UpsertKeysOfInput() {}

    /**
     * @param upsertKeys as Flink has them, by the columns of {@code input}
     * @param joinKey columns of {@code input}
     * @return in order, the shortest first
     */
    static List<int[]> of(
            RelNode input, List<int[]> upsertKeys, int[] joinKey, InputChangelog changelog) {
        final List<int[]> all = new ArrayList<>(upsertKeys);
        all.sort(ORDER);
        if (changelog == InputChangelog.INSERT_ONLY || all.isEmpty()) {
            return all;
        }
        final Optional<ImmutableBitSet> numbers = numbersOf(input);
        final List<int[]> certain =
                all.stream()
                        .filter(
                                key ->
                                        numbers.isPresent()
                                                && ImmutableBitSet.of(key).contains(numbers.get()))
                        .toList();
        if (changelog == InputChangelog.RETRACT) {
            return certain;
        }
        // Nobody takes back what an upsert replaces, so there has to be a key, one with all of the
        // join key in it, as Flink's planner has seen to.
        final List<int[]> withJoinKey =
                certain.stream()
                        .filter(
                                key ->
                                        ImmutableBitSet.of(key)
                                                .contains(ImmutableBitSet.of(joinKey)))
                        .toList();
        return withJoinKey.isEmpty() ? all : withJoinKey;
    }

    /**
     * The columns with numbers of a top-N of retractions, all of which a key has to have; nothing
     * where no key can have them, since some are not there any more.
     */
    private static Optional<ImmutableBitSet> numbersOf(RelNode node) {
        if (node instanceof HepRelVertex vertex) {
            return numbersOf(vertex.getCurrentRel());
        }
        if (node instanceof StreamPhysicalRank rank) {
            return numbersOf(rank);
        }
        if (node instanceof Calc calc) {
            return numbersOf(calc.getInput()).flatMap(numbers -> numbersOf(calc, numbers));
        }
        if (node instanceof Join join) {
            return numbersOf(join);
        }
        if (node instanceof Exchange || node instanceof StreamPhysicalDropUpdateBefore) {
            return numbersOf(node.getInput(0));
        }
        if (hasKeyOfItsOwn(node)) {
            return Optional.of(ImmutableBitSet.of());
        }
        final RelOptTable table = node.getTable();
        if (table instanceof IntermediateRelTable shared) {
            return numbersOf(shared.relNode());
        }
        // What becomes of columns in other nodes is not known here.
        return node.getInputs().stream()
                        .map(UpsertKeysOfInput::numbersOf)
                        .allMatch(numbers -> numbers.filter(ImmutableBitSet::isEmpty).isPresent())
                ? Optional.of(ImmutableBitSet.of())
                : Optional.empty();
    }

    private static Optional<ImmutableBitSet> numbersOf(StreamPhysicalRank rank) {
        if (RankNode.isDeduplication(rank)) {
            return Optional.of(ImmutableBitSet.of());
        }
        final boolean raises =
                rank.outputRankNumber()
                        && rank.rankStrategy() instanceof RankProcessStrategy.RetractStrategy;
        final ImmutableBitSet own =
                raises
                        ? ImmutableBitSet.of(rank.getRowType().getFieldCount() - 1)
                        : ImmutableBitSet.of();
        return numbersOf(rank.getInput()).map(own::union);
    }

    private static Optional<ImmutableBitSet> numbersOf(Calc calc, ImmutableBitSet numbers) {
        final List<RexNode> columns =
                calc.getProgram().getProjectList().stream()
                        .map(calc.getProgram()::expandLocalRef)
                        .toList();
        final ImmutableBitSet.Builder projected = ImmutableBitSet.builder();
        for (int number : numbers) {
            final int column =
                    IntStream.range(0, columns.size())
                            .filter(i -> isColumn(columns.get(i), number))
                            .findFirst()
                            .orElse(-1);
            if (column < 0) {
                return Optional.empty();
            }
            projected.set(column);
        }
        return Optional.of(projected.build());
    }

    private static boolean isColumn(RexNode expression, int column) {
        return expression instanceof RexInputRef ref && ref.getIndex() == column;
    }

    private static Optional<ImmutableBitSet> numbersOf(Join join) {
        final Optional<ImmutableBitSet> left = numbersOf(join.getLeft());
        if (!join.getJoinType().projectsRight()) {
            return left;
        }
        final int leftColumns = join.getLeft().getRowType().getFieldCount();
        return left.flatMap(
                numbers ->
                        numbersOf(join.getRight())
                                .map(others -> numbers.union(others.shift(leftColumns))));
    }

    /** Whether all changes of a key are made of one key of the node's state. */
    private static boolean hasKeyOfItsOwn(RelNode node) {
        return node instanceof StreamPhysicalGroupAggregateBase
                || node instanceof StreamPhysicalChangelogNormalize
                // A node of its own before Flink 2.0.
                || node.getRelTypeName().contains("Deduplicate");
    }
}
