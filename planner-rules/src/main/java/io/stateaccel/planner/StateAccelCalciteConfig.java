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
package io.stateaccel.planner;

import io.stateaccel.config.StateAccelOptionsValidator;
import io.stateaccel.planner.compiled.CompiledPlanUser;
import io.stateaccel.planner.program.JoinInputProjectionProgram;
import io.stateaccel.planner.program.LogicalStateAccelProgram;
import io.stateaccel.planner.program.StateAccelProgram;
import io.stateaccel.planner.reasons.ReasonLog;
import io.stateaccel.planner.statement.StatementPlans;
import java.util.Optional;
import org.apache.calcite.sql.SqlOperatorTable;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql2rel.SqlToRelConverter;
import org.apache.flink.table.api.PlannerConfig;
import org.apache.flink.table.api.TableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.planner.calcite.CalciteConfig;
import org.apache.flink.table.planner.calcite.CalciteConfig$;
import org.apache.flink.table.planner.plan.optimize.program.BatchOptimizeContext;
import org.apache.flink.table.planner.plan.optimize.program.FlinkChainedProgram;
import org.apache.flink.table.planner.plan.optimize.program.FlinkStreamProgram;
import org.apache.flink.table.planner.plan.optimize.program.StreamOptimizeContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.Some;

/**
 * Flink's {@link CalciteConfig}, the documented place for a custom optimiser program, with one
 * answer of its own: {@link #getStreamProgram()}. Flink asks it each time it optimises, so the
 * switch and every other option are read per statement. Everything else is what the user's own
 * planner configuration says.
 */
final class StateAccelCalciteConfig implements CalciteConfig, CompiledPlanUser {

    private static final Logger LOG = LoggerFactory.getLogger(StateAccelCalciteConfig.class);

    private final TableConfig tableConfig;
    private final PlannerConfig users;
    private final Optional<String> versionMismatch;
    private final StateBackendChoice stateBackend;
    private final ReasonLog reasons = new ReasonLog();
    private final StatementPlans statementPlans = new StatementPlans();

    /** What was last said about a key that no option has. */
    private String saidAboutUnknownKey = "";

    /**
     * @param tableConfig the session's configuration
     * @param users the planner configuration found there
     * @param versionMismatch what to tell whoever turns the switch on, when this Flink is not the
     *     one the acceleration was built for
     */
    StateAccelCalciteConfig(
            TableConfig tableConfig, PlannerConfig users, Optional<String> versionMismatch) {
        this.tableConfig = tableConfig;
        this.users = users;
        this.versionMismatch = versionMismatch;
        this.stateBackend = new StateBackendChoice(tableConfig);
    }

    /**
     * Flink's program, or the user's, with the acceleration behind it; exactly what the user's
     * configuration says while the switch is off.
     *
     * @throws ValidationException when an option of ours, or the version of Flink, is wrong
     */
    @Override
    public Option<FlinkChainedProgram<StreamOptimizeContext>> getStreamProgram() {
        final Option<FlinkChainedProgram<StreamOptimizeContext>> stock =
                usersCalciteConfig().getStreamProgram();
        if (!StateAccelOptionsValidator.isEnabled(tableConfig)) {
            warnOfUnknownKey();
            stateBackend.revert();
            return stock;
        }
        versionMismatch.ifPresent(
                message -> {
                    throw new ValidationException(message);
                });
        StateAccelOptionsValidator.validate(tableConfig);
        stateBackend.choose();
        return new Some<>(
                withAcceleration(
                        stock.isDefined()
                                ? stock.get()
                                : FlinkStreamProgram.buildProgram(tableConfig)));
    }

    /**
     * A plan that was compiled with the acceleration runs with it, also where the switch is off
     * now, and on its state backend. There it stays, until a statement is planned.
     */
    @Override
    public void translating() {
        stateBackend.choose();
    }

    /** Batch is left alone, also if a streaming statement was planned here before. */
    @Override
    public Option<FlinkChainedProgram<BatchOptimizeContext>> getBatchProgram() {
        stateBackend.revert();
        return usersCalciteConfig().getBatchProgram();
    }

    @Override
    public boolean replacesSqlOperatorTable() {
        return usersCalciteConfig().replacesSqlOperatorTable();
    }

    @Override
    public Option<SqlOperatorTable> getSqlOperatorTable() {
        return usersCalciteConfig().getSqlOperatorTable();
    }

    @Override
    public Option<SqlParser.Config> getSqlParserConfig() {
        return usersCalciteConfig().getSqlParserConfig();
    }

    @Override
    public Option<SqlToRelConverter.Config> getSqlToRelConverterConfig() {
        return usersCalciteConfig().getSqlToRelConverterConfig();
    }

    /** Planner configurations other than Calcite's are the user's business. */
    @Override
    public <T extends PlannerConfig> Optional<T> unwrap(Class<T> type) {
        return type.isInstance(this) ? Optional.of(type.cast(this)) : users.unwrap(type);
    }

    /**
     * Copies, because the user may hold on to the program and Flink's are mutable. Adding does
     * nothing where the user's program was copied from one of ours and has it already.
     */
    private FlinkChainedProgram<StreamOptimizeContext> withAcceleration(
            FlinkChainedProgram<StreamOptimizeContext> stock) {
        final FlinkChainedProgram<StreamOptimizeContext> program = new FlinkChainedProgram<>();
        for (String name : stock.getProgramNames()) {
            program.addLast(name, stock.get(name).get());
            if (name.equals(FlinkStreamProgram.LOGICAL())) {
                program.addLast(
                        LogicalStateAccelProgram.NAME,
                        new LogicalStateAccelProgram(statementPlans, reasons));
            }
            if (name.equals(FlinkStreamProgram.LOGICAL_REWRITE())) {
                program.addLast(
                        JoinInputProjectionProgram.NAME,
                        new JoinInputProjectionProgram(statementPlans));
            }
        }
        program.addLast(StateAccelProgram.NAME, new StateAccelProgram(statementPlans, reasons));
        return program;
    }

    private CalciteConfig usersCalciteConfig() {
        return users.unwrap(CalciteConfig.class).orElseGet(CalciteConfig$.MODULE$::DEFAULT);
    }

    private void warnOfUnknownKey() {
        final String message =
                StateAccelOptionsValidator.describeUnknownKey(tableConfig).orElse("");
        if (!message.equals(saidAboutUnknownKey)) {
            saidAboutUnknownKey = message;
            if (!message.isEmpty()) {
                LOG.warn("[state-accel] {}", message);
            }
        }
    }
}
