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
package org.apache.flink.table.planner.loader;

import io.stateaccel.flink.JavaRequirement;
import io.stateaccel.planner.entry.AcceleratingPlannerFactory;
import io.stateaccel.planner.entry.PlannerExtension;
import java.net.URL;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.api.SqlDialect;
import org.apache.flink.table.delegation.ParserFactory;
import org.apache.flink.table.delegation.Planner;
import org.apache.flink.table.delegation.PlannerFactory;
import org.apache.flink.table.factories.FactoryUtil;

/**
 * The entry into an unpatched Flink: makes the planner, and installs the acceleration in it.
 *
 * <p>It bears the name of a class of {@code flink-table-planner-loader}, because that jar's service
 * file is how Flink finds its planner, and two planner factories at once would be an error. Flink
 * sorts {@code lib/*.jar} by name, {@code flink-sql-state-accel} sorts before {@code
 * flink-table-planner-loader}, so this class is the one that is loaded; {@code
 * InstallationCheckFactory} tells the user when it is not. It does what Flink's class does, and one
 * call more. Compiled for Java 8, so that an older Java is told what is missing.
 */
public class DelegatePlannerFactory implements AcceleratingPlannerFactory {

    private final PlannerModule plannerModule = PlannerModule.getInstance();
    private final PlannerFactory planner = plannerModule.loadPlannerFactory();

    @Override
    public Planner create(Context context) {
        JavaRequirement.check();
        addDialect(context.getTableConfig().getSqlDialect());
        PlannerExtension.install(
                planner.getClass().getClassLoader(),
                plannerModule::addUrlToClassLoader,
                context.getTableConfig());
        return planner.create(context);
    }

    @Override
    public String factoryIdentifier() {
        return planner.factoryIdentifier();
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return planner.requiredOptions();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return planner.optionalOptions();
    }

    /** As Flink's class does: Hive's parser lives in the connector's jar and needs the planner. */
    private void addDialect(SqlDialect dialect) {
        if (dialect != SqlDialect.DEFAULT) {
            final ParserFactory parserFactory =
                    FactoryUtil.discoverFactory(
                            PlannerFactory.class.getClassLoader(),
                            ParserFactory.class,
                            dialect.name().toLowerCase());
            final URL jar =
                    parserFactory.getClass().getProtectionDomain().getCodeSource().getLocation();
            plannerModule.addUrlToClassLoader(jar);
        }
    }
}
