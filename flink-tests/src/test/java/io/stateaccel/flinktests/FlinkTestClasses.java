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
package io.stateaccel.flinktests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import org.apache.flink.table.planner.plan.nodes.exec.testutils.RestoreTestBase;

/** The classes in Flink's jar of tests that run streaming SQL. */
final class FlinkTestClasses {

    private static final String PACKAGE = "org.apache.flink.table.planner.";

    private static final String ITCASES = PACKAGE + "runtime.stream.";

    private static final String SEMANTICS = PACKAGE + "plan.nodes.exec.stream.";

    private static final Pattern RUNNING =
            Pattern.compile(
                    Pattern.quote(ITCASES)
                            + "(sql|table|jsonplan|module)\\.(join\\.)?\\w+ITCase|"
                            + Pattern.quote(SEMANTICS)
                            + "\\w+(SemanticTests?|RestoreTests?)");

    private FlinkTestClasses() {}

    /** All of them that can run, in the order of their names. */
    static List<Class<?>> all() {
        final Path jar =
                Path.of(
                        RestoreTestBase.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .getPath());
        final List<Class<?>> found = new ArrayList<>();
        try (JarFile file = new JarFile(jar.toFile())) {
            file.stream()
                    .map(JarEntry::getName)
                    .filter(name -> name.endsWith(".class"))
                    .map(name -> name.substring(0, name.length() - 6).replace('/', '.'))
                    .filter(name -> RUNNING.matcher(name).matches())
                    .sorted()
                    .map(FlinkTestClasses::load)
                    .filter(type -> !Modifier.isAbstract(type.getModifiers()))
                    .forEach(found::add);
        } catch (IOException e) {
            throw new UncheckedIOException("Flink's tests cannot be read from " + jar, e);
        }
        return found;
    }

    /** {@code sql.JoinITCase}, {@code JoinSemanticTests}. */
    static String shortNameOf(Class<?> testClass) {
        final String name = testClass.getName();
        return name.startsWith(ITCASES)
                ? name.substring(ITCASES.length())
                : testClass.getSimpleName();
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, FlinkTestClasses.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException("No test of Flink is named " + name, e);
        }
    }
}
