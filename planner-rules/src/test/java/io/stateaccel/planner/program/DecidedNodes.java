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

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.planner.rule.AccelerationRule;
import java.util.Map;
import java.util.TreeMap;

/**
 * The nodes of Flink that a rule decides about, by the name behind {@code StreamPhysical} and
 * {@code StreamExec}.
 */
public final class DecidedNodes {

    /** Exec nodes that are planned by a node of another name. */
    static final Map<String, String> PLANNED_AS =
            Lines.isAtLeast("2.0") ? Map.of("Deduplicate", "Rank") : Map.of();

    /** The lines from which on Flink has a node, where that is not 1.20. */
    private static final Map<String, String> SINCE =
            Map.of(
                    "AsyncCorrelate", "2.2",
                    "DeltaJoin", "2.1",
                    "MLPredictTableFunction", "2.1",
                    "MultiJoin", "2.1",
                    "ProcessTableFunction", "2.1",
                    "PythonAsyncCalc", "2.3",
                    "VectorSearchTableFunction", "2.2");

    private DecidedNodes() {}

    /** Which rule decides about each of them, those that this Flink does not have included. */
    public static Map<String, AccelerationRule<?>> rules() {
        final Map<String, AccelerationRule<?>> rules = new TreeMap<>();
        for (AccelerationRule<?> rule : StateAccelProgram.RULES) {
            rule.pattern().classNames().forEach(node -> rules.put(nameOf(node), rule));
        }
        return rules;
    }

    /** The line from which on Flink has a node. */
    public static String since(String node) {
        return SINCE.getOrDefault(node, "1.20");
    }

    static String nameOf(String className) {
        return className.replaceFirst("^.*\\.Stream(Exec|Physical)", "");
    }
}
