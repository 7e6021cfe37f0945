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
package io.stateaccel.tests.docs;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a call of Maven asks for.
 *
 * @param modules of {@code -pl}; all if empty
 * @param profiles of {@code -P}
 * @param properties of {@code -D}; {@code true} where there is no value
 * @param goals phases and goals
 */
record MavenCall(
        List<String> modules,
        List<String> profiles,
        Map<String, String> properties,
        List<String> goals) {

    /** Options that this repository's documentation uses without their meaning for a check. */
    private static final List<String> FLAGS =
            List.of("-q", "-B", "-ntp", "-o", "-e", "-am", "--batch-mode");

    /**
     * @param arguments those behind {@code mvn}
     * @throws IllegalArgumentException for an option that is not known here
     */
    static MavenCall parse(List<String> arguments) {
        MavenCall call =
                new MavenCall(
                        new ArrayList<>(),
                        new ArrayList<>(),
                        new LinkedHashMap<>(),
                        new ArrayList<>());
        for (Iterator<String> rest = arguments.iterator(); rest.hasNext(); ) {
            String argument = rest.next();
            if (argument.equals("-pl")) {
                call.modules.addAll(List.of(rest.next().split(",")));
            } else if (argument.startsWith("-P")) {
                call.profiles.addAll(List.of(argument.substring(2).split(",")));
            } else if (argument.startsWith("-D")) {
                String[] property = argument.substring(2).split("=", 2);
                call.properties.put(property[0], property.length == 1 ? "true" : property[1]);
            } else if (!argument.startsWith("-")) {
                call.goals.add(argument);
            } else if (!FLAGS.contains(argument)) {
                throw new IllegalArgumentException("Which option of mvn is " + argument + "?");
            }
        }
        return call;
    }
}
