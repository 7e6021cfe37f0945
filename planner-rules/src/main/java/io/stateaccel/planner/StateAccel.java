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

import io.stateaccel.flink.FlinkVersionCheck;
import java.util.Optional;
import org.apache.flink.table.api.PlannerConfig;
import org.apache.flink.table.api.TableConfig;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.ValidationException;

/**
 * Installs the acceleration into a table environment, where {@code table.exec.state-accel.enabled}
 * then turns it on and off per statement.
 *
 * <p>Programs call it when {@code flink-table-planner_2.12} is on their class path, as in an IDE or
 * a test. In a Flink distribution, with the jar in {@code lib/}, nobody has to.
 */
public final class StateAccel {

    private static final String PLANNER_CLASS =
            "org.apache.flink.table.planner.calcite.CalciteConfig";

    private StateAccel() {}

    /**
     * Installs into an environment with an embedded planner. Installing twice is harmless.
     *
     * @throws ValidationException when the planner's classes cannot be reached from here
     */
    public static void install(TableEnvironment environment) {
        if (!isPlannerReachable()) {
            throw new ValidationException(
                    "StateAccel.install needs flink-table-planner_2.12 on the class path, and it is"
                            + " not there. With flink-table-planner-loader no call is needed: put"
                            + " flink-sql-state-accel-<version>.jar into Flink's lib folder.");
        }
        install(environment.getConfig());
    }

    /**
     * Installs into the configuration that a planner is about to be created with, or is reading. A
     * planner configuration found there keeps its say; one that is set later replaces this one, and
     * the acceleration with it.
     *
     * <p>On a Flink of another version this succeeds, and the first statement planned with the
     * switch on fails with a message that says so.
     */
    public static void install(TableConfig tableConfig) {
        final PlannerConfig found = tableConfig.getPlannerConfig();
        if (found.unwrap(StateAccelCalciteConfig.class).isPresent()) {
            return;
        }
        final Optional<String> versionMismatch = FlinkVersionCheck.describeMismatch();
        if (versionMismatch.isEmpty()) {
            CompiledNodes.register();
        }
        tableConfig.setPlannerConfig(
                new StateAccelCalciteConfig(tableConfig, found, versionMismatch));
    }

    private static boolean isPlannerReachable() {
        try {
            Class.forName(PLANNER_CLASS, false, StateAccel.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
