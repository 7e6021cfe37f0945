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
package io.stateaccel.planner.statement;

import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.hint.Hintable;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGroupAggregateBase;

/**
 * What a node and all that is below it do: two that are equal are the same to Flink's search for
 * sub-plans that can be shared, unless they differ in the kinds of changes that are asked of them.
 */
public final class PlanShape {

    private final String node;
    private final List<PlanShape> inputs;
    private final int hash;

    private PlanShape(String node, List<PlanShape> inputs) {
        this.node = node;
        this.inputs = inputs;
        this.hash = 31 * node.hashCode() + inputs.hashCode();
    }

    /**
     * @param inputs those of the node's inputs
     */
    static PlanShape of(RelNode node, List<PlanShape> inputs) {
        return new PlanShape(
                NodeText.digest(node) + hints(node) + node.getRowType().getFullTypeString(),
                inputs);
    }

    private static List<?> hints(RelNode node) {
        if (node instanceof StreamPhysicalGroupAggregateBase aggregate) {
            return aggregate.hints();
        }
        return node instanceof Hintable hintable ? hintable.getHints() : List.of();
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof PlanShape shape
                        && hash == shape.hash
                        && node.equals(shape.node)
                        && inputs.equals(shape.inputs);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return node + inputs;
    }
}
