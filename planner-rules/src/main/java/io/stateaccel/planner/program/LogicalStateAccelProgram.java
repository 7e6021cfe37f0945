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

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.planner.beforejoin.AggregateBeforeJoin;
import io.stateaccel.planner.reasons.ReasonLog;
import io.stateaccel.planner.rule.RuleContext;
import io.stateaccel.planner.statement.StatementPlans;
import org.apache.calcite.rel.RelNode;
import org.apache.flink.table.planner.plan.nodes.logical.FlinkLogicalAggregate;

/**
 * Rewrites what can be said better in SQL's own terms: behind Flink's logical optimisation, so that
 * changelog modes, upsert keys and operators are found for the rewritten plan as for any other.
 */
public final class LogicalStateAccelProgram extends PlanRewritingProgram {

    /** The name under which this program is found in a {@code FlinkChainedProgram}. */
    public static final String NAME = "state_accel_logical";

    public LogicalStateAccelProgram(StatementPlans plans, ReasonLog reasons) {
        super(StatementPlans.Stage.LOGICAL, plans, reasons);
    }

    @Override
    RelNode replace(RelNode node, RuleContext context) {
        return context.tableConfig().get(StateAccelOptions.AGGREGATE_BEFORE_JOIN_ENABLED)
                        && node instanceof FlinkLogicalAggregate aggregate
                ? AggregateBeforeJoin.rewrite(aggregate, context)
                : node;
    }
}
