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

import java.io.IOException;
import java.net.URL;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Looks for further copies of our jar on the class path, of which the first is the one in use. */
final class JarCopies {

    private static final String OWN_CLASS = JarCopies.class.getName().replace('.', '/') + ".class";

    private JarCopies() {}

    /**
     * @param classLoader the one that our jar is loaded by
     * @return what to tell the user, naming the jars and the fix; empty if there is one
     */
    static Optional<String> describe(ClassLoader classLoader) {
        final List<String> jars;
        try {
            jars =
                    Collections.list(classLoader.getResources(OWN_CLASS)).stream()
                            .map(JarCopies::jarOf)
                            .distinct()
                            .toList();
        } catch (IOException e) {
            // Only a warning would depend on it.
            return Optional.empty();
        }
        if (jars.size() < 2) {
            return Optional.empty();
        }
        return Optional.of(
                "flink-sql-state-accel is on the class path more than once: "
                        + String.join(", ", jars)
                        + ". Only the first is in use. Keep the one that you want, remove the"
                        + " others and restart.");
    }

    private static String jarOf(URL resource) {
        return resource.toString()
                .replaceAll("^jar:|^file:|!?/" + Pattern.quote(OWN_CLASS) + "$", "")
                .replaceAll("^file:", "");
    }
}
