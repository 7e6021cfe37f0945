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

import java.util.Arrays;
import java.util.Optional;

/**
 * Finds out which planner factory Flink's class path offers and whether it is the one that installs
 * the acceleration.
 *
 * @param jar the jar of the acceleration
 * @param factory what was found of a planner factory
 * @param factoryJar where it was found, empty when it was not
 */
record InstallationCheck(String jar, FoundFactory factory, String factoryJar) {

    private static final String NAME = "flink-sql-state-accel-<version>.jar";

    private static final String LOADER_FACTORY =
            "org.apache.flink.table.planner.loader.DelegatePlannerFactory";

    private static final String EMBEDDED_FACTORY =
            "org.apache.flink.table.planner.delegation.DefaultPlannerFactory";

    enum FoundFactory {
        /** Ours. */
        ACCELERATING,
        /** The one of {@code flink-table-planner-loader}. */
        STOCK,
        /** The planner itself, on the class path: programs then call {@code StateAccel}. */
        EMBEDDED,
        NONE
    }

    /** Looks around in the class loader of the given class, which is in the jar in question. */
    static InstallationCheck of(Class<?> ownClass) {
        final String jar = JarLocation.describe(ownClass);
        final Optional<Class<?>> loader = find(LOADER_FACTORY, ownClass.getClassLoader());
        if (loader.isPresent()) {
            return new InstallationCheck(
                    jar,
                    isAccelerating(loader.get()) ? FoundFactory.ACCELERATING : FoundFactory.STOCK,
                    JarLocation.describe(loader.get()));
        }
        return find(EMBEDDED_FACTORY, ownClass.getClassLoader())
                .map(
                        embedded ->
                                new InstallationCheck(
                                        jar, FoundFactory.EMBEDDED, JarLocation.describe(embedded)))
                .orElseGet(() -> new InstallationCheck(jar, FoundFactory.NONE, ""));
    }

    /** What to tell the user, naming the jars and the fix; empty when there is nothing to fix. */
    Optional<String> describeProblem() {
        return switch (factory) {
            case ACCELERATING, EMBEDDED -> Optional.empty();
            case STOCK ->
                    Optional.of(
                            jar
                                    + " is on the class path but not in use: Flink loaded its own"
                                    + " planner factory from "
                                    + factoryJar
                                    + ", which comes first. "
                                    + fix());
            case NONE ->
                    Optional.of(
                            jar
                                    + " is on the class path but not in use: there is no planner."
                                    + " Put flink-table-planner-loader-<version>.jar back into"
                                    + " Flink's lib folder.");
        };
    }

    private String fix() {
        return isBesideFactoryJar()
                ? "Flink sorts lib by file name: rename the jar to " + NAME + "."
                : "Put the jar into Flink's lib folder, as " + NAME + ".";
    }

    private boolean isBesideFactoryJar() {
        return folder(jar).equals(folder(factoryJar));
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
