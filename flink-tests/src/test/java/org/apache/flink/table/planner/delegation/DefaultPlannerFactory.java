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
package org.apache.flink.table.planner.delegation;

import io.stateaccel.flinktests.AcceleratingPlanner;
import io.stateaccel.flinktests.Mode;
import java.util.Set;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.table.delegation.Planner;
import org.apache.flink.table.delegation.PlannerFactory;

/**
 * Makes the planner of every table environment of Flink's tests, in the {@link Mode} of the run.
 *
 * <p>It bears the name of Flink's own factory and comes before it on the class path: the service
 * file of Flink's planner names that class, and two planner factories at once would be an error.
 */
public final class DefaultPlannerFactory implements PlannerFactory {

    @Override
    public String factoryIdentifier() {
        return PlannerFactory.DEFAULT_IDENTIFIER;
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of();
    }

    @Override
    public Planner create(Context context) {
        if (context.getTableConfig().get(ExecutionOptions.RUNTIME_MODE)
                == RuntimeExecutionMode.BATCH) {
            return new BatchPlanner(
                    context.getExecutor(),
                    context.getTableConfig(),
                    context.getModuleManager(),
                    context.getFunctionCatalog(),
                    context.getCatalogManager(),
                    context.getClassLoader());
        }
        Mode.current().apply(context.getTableConfig());
        return new AcceleratingPlanner(context);
    }
}
