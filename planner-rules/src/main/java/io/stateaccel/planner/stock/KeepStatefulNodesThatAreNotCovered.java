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
package io.stateaccel.planner.stock;

import io.stateaccel.planner.rule.AccelerationRule;
import io.stateaccel.planner.rule.Decision;
import io.stateaccel.planner.rule.NodePattern;
import io.stateaccel.planner.rule.RuleContext;
import org.apache.calcite.rel.RelNode;
import org.apache.flink.table.api.config.OptimizerConfigOptions;
import org.apache.flink.table.api.config.OptimizerConfigOptions.NonDeterministicUpdateStrategy;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalLookupJoin;
import org.apache.flink.table.planner.plan.utils.ChangelogPlanUtils;

/**
 * Leaves the other stateful nodes as they are, so that the user is told about each of them. That is
 * also nodes that have state at times only.
 */
public final class KeepStatefulNodesThatAreNotCovered implements AccelerationRule<RelNode> {

    private static final NodePattern<RelNode> PATTERN =
            NodePattern.named(StatefulNodes.classNames());

    @Override
    public NodePattern<RelNode> pattern() {
        return PATTERN;
    }

    @Override
    public Decision decide(RelNode node, RuleContext context) {
        return hasState(node, context)
                ? Decision.stays(StatefulNodes.reasonOf(node))
                : Decision.hasNoState();
    }

    private static boolean hasState(RelNode node, RuleContext context) {
        if (node instanceof StreamPhysicalLookupJoin join) {
            // Flink decides that when all is planned; before, no more can be known.
            return !ChangelogPlanUtils.inputInsertOnly(join)
                    && context.tableConfig()
                                    .get(
                                            OptimizerConfigOptions
                                                    .TABLE_OPTIMIZER_NONDETERMINISTIC_UPDATE_STRATEGY)
                            == NonDeterministicUpdateStrategy.TRY_RESOLVE;
        }
        return true;
    }
}
