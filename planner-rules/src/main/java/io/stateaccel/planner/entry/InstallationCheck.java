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
package io.stateaccel.planner.entry;

import io.stateaccel.flink.JarLocation;
import java.util.Arrays;
import java.util.Optional;
import org.slf4j.Logger;

/**
 * Finds out which planner Flink's class path offers and whether the acceleration gets into it.
 *
 * @param jar the jar of the acceleration
 * @param planner what was found
 * @param plannerJar where it was found, empty when it was not
 */
record InstallationCheck(String jar, FoundPlanner planner, String plannerJar) {

    private static final String NAME = "flink-sql-state-accel-<version>.jar";

    /** The class that the entry class of our jar stands in for. */
    private static final String PLANNER_FACTORY =
            "org.apache.flink.table.planner.loader.DelegatePlannerFactory";

    /** Its sibling, which only {@code flink-table-planner-loader} has. */
    private static final String LOADER_ONLY =
            "org.apache.flink.table.planner.loader.DelegateExecutorFactory";

    private static final String EMBEDDED_FACTORY =
            "org.apache.flink.table.planner.delegation.DefaultPlannerFactory";

    enum FoundPlanner {
        /** {@code flink-table-planner-loader}, entered through our class. */
        ACCELERATED,
        /** {@code flink-table-planner-loader}, entered through Flink's class. */
        STOCK,
        /** {@code flink-table-planner_2.12}, which programs accelerate by a call. */
        EMBEDDED,
        NONE
    }

    /** Looks around in the class loader of the given class, which is in the jar in question. */
    static InstallationCheck of(Class<?> ownClass) {
        final String jar = JarLocation.describe(ownClass);
        final ClassLoader classLoader = ownClass.getClassLoader();
        if (find(LOADER_ONLY, classLoader).isPresent()) {
            return find(PLANNER_FACTORY, classLoader)
                    .map(
                            factory ->
                                    new InstallationCheck(
                                            jar,
                                            isAccelerating(factory)
                                                    ? FoundPlanner.ACCELERATED
                                                    : FoundPlanner.STOCK,
                                            JarLocation.describe(factory)))
                    .orElseGet(() -> new InstallationCheck(jar, FoundPlanner.NONE, ""));
        }
        return find(EMBEDDED_FACTORY, classLoader)
                .map(
                        factory ->
                                new InstallationCheck(
                                        jar, FoundPlanner.EMBEDDED, JarLocation.describe(factory)))
                .orElseGet(() -> new InstallationCheck(jar, FoundPlanner.NONE, ""));
    }

    /** Tells the user what is wrong and the fix; says nothing when all is well. */
    void report(Logger log) {
        switch (planner) {
            case STOCK, NONE -> log.warn("[state-accel] {}", describe());
            case EMBEDDED -> log.info("[state-accel] {}", describe());
            case ACCELERATED -> log.debug("[state-accel] {}", describe());
        }
    }

    String describe() {
        return switch (planner) {
            case ACCELERATED -> jar + " is in use.";
            case STOCK ->
                    jar
                            + " is on the class path but not in use: Flink loaded its own planner"
                            + " factory from "
                            + plannerJar
                            + ", which comes first. "
                            + fix();
            case EMBEDDED ->
                    jar
                            + " does nothing by itself, because the planner is "
                            + plannerJar
                            + " and not flink-table-planner-loader. Programs call"
                            + " StateAccel.install(tableEnvironment); for the SQL client and"
                            + " gateway put flink-table-planner-loader-<version>.jar back into"
                            + " Flink's lib folder instead.";
            case NONE ->
                    jar
                            + " is on the class path but not in use: there is no planner. Put"
                            + " flink-table-planner-loader-<version>.jar back into Flink's lib"
                            + " folder.";
        };
    }

    private String fix() {
        return folder(jar).equals(folder(plannerJar))
                ? "Flink sorts lib by file name: rename the jar to " + NAME + "."
                : "Put the jar into Flink's lib folder, as " + NAME + ".";
    }

    private static String folder(String path) {
        return path.substring(0, path.lastIndexOf('/') + 1);
    }

    /** By name: another class loader may hold another copy of the marker. */
    private static boolean isAccelerating(Class<?> factory) {
        return Arrays.stream(factory.getInterfaces())
                .map(Class::getName)
                .anyMatch(AcceleratingPlannerFactory.class.getName()::equals);
    }

    private static Optional<Class<?>> find(String className, ClassLoader classLoader) {
        try {
            return Optional.of(Class.forName(className, false, classLoader));
        } catch (ClassNotFoundException | LinkageError e) {
            return Optional.empty();
        }
    }
}
