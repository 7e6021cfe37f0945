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
package io.stateaccel.planner.fused;

import io.stateaccel.planner.join.PlannedJoin;
import io.stateaccel.planner.join.StreamPhysicalMiniBatchJoin;
import io.stateaccel.planner.statement.NodeText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalCalc;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalExchange;
import org.apache.flink.table.types.logical.RowType;

/**
 * An accelerated join below an aggregate or a top-N, with what is between them: what is made one
 * with that node, or would be.
 *
 * @param exchange what would be between that and the calc; null for nothing
 * @param calc what is between that and the join; null for nothing
 */
public record JoinBelow(
        @Nullable StreamPhysicalExchange exchange,
        @Nullable StreamPhysicalCalc calc,
        StreamPhysicalMiniBatchJoin join) {

    private static final int COMPUTED = -1;

    /** The join below a node, if there is an accelerated one and nothing else in between. */
    public static Optional<JoinBelow> of(RelNode node) {
        RelNode next = node.getInput(0);
        StreamPhysicalExchange exchange = null;
        if (next instanceof StreamPhysicalExchange found) {
            exchange = found;
            next = found.getInput();
        }
        StreamPhysicalCalc calc = null;
        if (next instanceof StreamPhysicalCalc found) {
            calc = found;
            next = found.getInput();
        }
        return next instanceof StreamPhysicalMiniBatchJoin join
                ? Optional.of(new JoinBelow(exchange, calc, join))
                : Optional.empty();
    }

    /**
     * The columns of the join's results that columns of {@link #results} are.
     *
     * @return {@value #COMPUTED} among them if one is computed
     */
    public Set<Integer> joinColumns(int[] columns) {
        final Set<Integer> joinColumns = new HashSet<>();
        for (int column : columns) {
            if (calc == null) {
                joinColumns.add(column);
                continue;
            }
            final RexNode expression =
                    calc.getProgram()
                            .expandLocalRef(calc.getProgram().getProjectList().get(column));
            joinColumns.add(expression instanceof RexInputRef ref ? ref.getIndex() : COMPUTED);
        }
        return joinColumns;
    }

    /**
     * The nodes that would become one, each the input of the next.
     *
     * @param top what is above
     */
    public List<RelNode> upTo(RelNode top) {
        return Stream.of(join, calc, exchange, top).filter(Objects::nonNull).toList();
    }

    /** The node whose rows are what becomes of the join's results. */
    public RelNode results() {
        return calc == null ? join : calc;
    }

    /** Inputs of the joint node. */
    public List<RelNode> inputs() {
        return join.getInputs();
    }

    public JoinBelow copy(List<RelNode> inputs) {
        final StreamPhysicalMiniBatchJoin newJoin =
                (StreamPhysicalMiniBatchJoin)
                        ((RelNode) join).copy(join.getTraitSet(), new ArrayList<>(inputs));
        return new JoinBelow(
                exchange,
                calc == null
                        ? null
                        : (StreamPhysicalCalc) calc.copy(calc.getTraitSet(), List.of(newJoin)),
                newJoin);
    }

    public RelWriter explainTerms(RelWriter writer) {
        return writer.input("left", join.getLeft())
                .input("right", join.getRight())
                .item("join", NodeText.of(join, writer))
                .itemIf("joinHints", join.getHints(), !join.getHints().isEmpty())
                .itemIf("calc", calc == null ? null : NodeText.of(calc, writer), calc != null);
    }

    public PlannedJoin plannedJoin() {
        return join.planned();
    }

    /** What becomes of the join's results. */
    public JoinProjection projection() {
        return new JoinProjection(
                typeOf(join),
                calc == null ? null : CalcExpressions.of(calc.getProgram()),
                typeOf(results()));
    }

    private static RowType typeOf(RelNode node) {
        return FlinkTypeFactory.toLogicalRowType(node.getRowType());
    }
}
