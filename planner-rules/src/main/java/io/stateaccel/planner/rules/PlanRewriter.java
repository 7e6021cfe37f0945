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

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.calcite.rel.RelNode;

/**
 * Goes through a plan from the sources up and puts for each node what becomes of it.
 *
 * <p>Subtrees in which nothing is replaced come out as the same objects, and a node that several
 * parents share is asked about once and stays shared. So the topology of the job, from which
 * operator ids are generated, changes where a node does and nowhere else; a {@code HepPlanner} does
 * not promise that.
 */
final class PlanRewriter {

    private final UnaryOperator<RelNode> rule;
    private final Map<RelNode, RelNode> rewritten = new IdentityHashMap<>();

    /**
     * @param rule is given each node, over inputs that it was given before; returns the node itself
     *     where it stays
     */
    PlanRewriter(UnaryOperator<RelNode> rule) {
        this.rule = rule;
    }

    RelNode rewrite(RelNode node) {
        final RelNode known = rewritten.get(node);
        if (known != null) {
            return known;
        }
        final RelNode result = rule.apply(overRewrittenInputs(node));
        rewritten.put(node, result);
        return result;
    }

    private RelNode overRewrittenInputs(RelNode node) {
        final List<RelNode> inputs = new ArrayList<>(node.getInputs().size());
        boolean changed = false;
        for (RelNode input : node.getInputs()) {
            final RelNode newInput = rewrite(input);
            changed |= newInput != input;
            inputs.add(newInput);
        }
        return changed ? node.copy(node.getTraitSet(), inputs) : node;
    }
}
