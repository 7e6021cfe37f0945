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
package io.stateaccel.planner.program;

import io.stateaccel.config.StateAccelOptionsValidator;
import io.stateaccel.planner.reasons.ReasonLog;
import io.stateaccel.planner.rule.RuleContext;
import io.stateaccel.planner.statement.StatementPlans;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.RelNode;
import org.apache.flink.table.api.TableConfig;
import org.apache.flink.table.planner.plan.optimize.program.FlinkOptimizeProgram;
import org.apache.flink.table.planner.plan.optimize.program.StreamOptimizeContext;

/**
 * Goes through a plan from the sources up and puts for each node what becomes of it, while the
 * switch is on.
 *
 * <p>It walks the plan itself instead of going through a {@code HepPlanner}: subtrees in which
 * nothing is replaced come out as the same objects, and a node that several parents share is
 * decided about once and stays shared. So the topology of the job, from which operator ids are
 * generated, changes where a node does and nowhere else.
 */
abstract class PlanRewritingProgram implements FlinkOptimizeProgram<StreamOptimizeContext> {

    private final StatementPlans.Stage stage;
    private final StatementPlans plans;
    private final ReasonLog reasons;

    PlanRewritingProgram(StatementPlans.Stage stage, StatementPlans plans, ReasonLog reasons) {
        this.stage = stage;
        this.plans = plans;
        this.reasons = reasons;
    }

    @Override
    public final RelNode optimize(RelNode root, StreamOptimizeContext context) {
        // A user may have copied a program that contains this one, and turned the switch off since.
        if (!StateAccelOptionsValidator.isEnabled(context.getTableConfig())) {
            return root;
        }
        final TableConfig config = context.getTableConfig();
        return plans.rewrite(
                stage,
                root,
                config,
                (plan, statement) ->
                        rewrite(
                                plan,
                                new RuleContext(config, reasons, statement),
                                new IdentityHashMap<>()));
    }

    /**
     * @param node over inputs that this was asked about before
     * @return what becomes of the node; itself where it stays
     */
    abstract RelNode replace(RelNode node, RuleContext context);

    private RelNode rewrite(RelNode node, RuleContext context, Map<RelNode, RelNode> rewritten) {
        final RelNode known = rewritten.get(node);
        if (known != null) {
            return known;
        }
        final RelNode overNewInputs = rewriteInputs(node, context, rewritten);
        context.statement().readers().replaced(node, overNewInputs);
        final RelNode result = replace(overNewInputs, context);
        context.statement().readers().replaced(node, result);
        rewritten.put(node, result);
        return result;
    }

    private RelNode rewriteInputs(
            RelNode node, RuleContext context, Map<RelNode, RelNode> rewritten) {
        final List<RelNode> inputs = new ArrayList<>(node.getInputs().size());
        boolean changed = false;
        for (RelNode input : node.getInputs()) {
            final RelNode newInput = rewrite(input, context, rewritten);
            changed |= newInput != input;
            inputs.add(newInput);
        }
        return changed ? node.copy(node.getTraitSet(), inputs) : node;
    }
}
