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
import io.stateaccel.config.StateAccelOptionsValidator;
import io.stateaccel.planner.beforejoin.JoinInputProjection;
import io.stateaccel.planner.statement.StatementPlans;
import org.apache.calcite.rel.RelNode;
import org.apache.flink.table.api.TableConfig;
import org.apache.flink.table.planner.plan.optimize.program.FlinkOptimizeProgram;
import org.apache.flink.table.planner.plan.optimize.program.StreamOptimizeContext;

/**
 * {@link JoinInputProjection} as a program of its own behind Flink's logical optimisation: what is
 * read of a join is only known from everything above it, so it is not a rewrite of single nodes.
 */
public final class JoinInputProjectionProgram
        implements FlinkOptimizeProgram<StreamOptimizeContext> {

    /** The name under which this program is found in a {@code FlinkChainedProgram}. */
    public static final String NAME = "state_accel_join_inputs";

    private final StatementPlans plans;

    public JoinInputProjectionProgram(StatementPlans plans) {
        this.plans = plans;
    }

    @Override
    public RelNode optimize(RelNode root, StreamOptimizeContext context) {
        final TableConfig config = context.getTableConfig();
        // As with PlanRewritingProgram, the switch may be off by now.
        return StateAccelOptionsValidator.isEnabled(config)
                        && config.get(StateAccelOptions.JOIN_INPUT_PROJECTION_ENABLED)
                ? plans.rewrite(
                        StatementPlans.Stage.JOIN_INPUTS,
                        root,
                        config,
                        (plan, statement) ->
                                statement.isSettled()
                                        ? JoinInputProjection.rewrite(plan, statement.readers())
                                        : plan)
                : root;
    }
}
