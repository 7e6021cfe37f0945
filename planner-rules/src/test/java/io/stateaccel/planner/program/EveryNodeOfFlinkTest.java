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

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.flink.testing.Lines;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecNode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalRel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every node of Flink's streaming plans is decided about by a rule, or known to have no state. */
class EveryNodeOfFlinkTest {

    private static final String IN_FLIGHT =
            "keeps no more than the rows that are asked about at the time";

    /** By the name behind {@code StreamPhysical} and {@code StreamExec}. */
    private static final Map<String, String> STATELESS =
            new TreeMap<>(
                    Map.ofEntries(
                            Map.entry("AsyncCalc", IN_FLIGHT),
                            Map.entry("AsyncCorrelate", IN_FLIGHT),
                            Map.entry("Calc", "computes each row by itself"),
                            Map.entry("Correlate", "computes each row by itself"),
                            Map.entry("DataStreamScan", "hands on what the user's program makes"),
                            Map.entry("DropUpdateBefore", "looks at the kind of each row"),
                            Map.entry("Exchange", "is a way and no operator"),
                            Map.entry("Expand", "computes each row by itself"),
                            Map.entry("IntermediateTableScan", "stands for another plan"),
                            Map.entry("LegacySink", "is the connector's, without a materializer"),
                            Map.entry("LegacyTableSourceScan", "is the connector's"),
                            Map.entry("LocalGroupAggregate", "is emptied before each snapshot"),
                            Map.entry("LocalWindowAggregate", "is emptied before each snapshot"),
                            Map.entry("MLPredictTableFunction", IN_FLIGHT),
                            Map.entry("MiniBatchAssigner", "marks the time"),
                            Map.entry("MultipleInput", "is of batch jobs, and holds other nodes"),
                            Map.entry("PythonAsyncCalc", IN_FLIGHT),
                            Map.entry("PythonCalc", "is emptied before each snapshot"),
                            Map.entry("PythonCorrelate", "is emptied before each snapshot"),
                            Map.entry("TableSourceScan", "is the connector's"),
                            Map.entry("Union", "is a way and no operator"),
                            Map.entry("Values", "is a few rows of the plan itself"),
                            Map.entry("VectorSearchTableFunction", IN_FLIGHT),
                            Map.entry("WatermarkAssigner", "has the last watermark, in memory")));

    static Stream<Class<?>> nodes() throws Exception {
        return Stream.concat(
                nodes(StreamExecNode.class, "StreamExec"),
                nodes(StreamPhysicalRel.class, "StreamPhysical"));
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void isDecidedAboutOrKnownToHaveNoState(Class<?> node) {
        final String name = DecidedNodes.nameOf(node.getName());
        assertThat(
                        DecidedNodes.rules()
                                .containsKey(DecidedNodes.PLANNED_AS.getOrDefault(name, name)))
                .as(
                        "%s: either a rule decides about it, and says so where it stays stock, or it"
                                + " is in the list of nodes without state",
                        node)
                .isNotEqualTo(STATELESS.containsKey(name));
    }

    @Test
    void theListsNameNoNodesThatFlinkDoesNotHave() throws Exception {
        final TreeSet<String> names = new TreeSet<>();
        nodes().forEach(node -> names.add(DecidedNodes.nameOf(node.getName())));
        final TreeSet<String> listed = new TreeSet<>(DecidedNodes.rules().keySet());
        listed.addAll(STATELESS.keySet());
        listed.addAll(DecidedNodes.PLANNED_AS.keySet());
        listed.removeIf(name -> !Lines.isAtLeast(DecidedNodes.since(name)));
        assertThat(names).hasSizeGreaterThan(40).containsAll(listed);
    }

    /** Those in the jar of Flink's planner that can be made. */
    private static Stream<Class<?>> nodes(Class<?> type, String prefix) throws Exception {
        final String folder = type.getPackageName().replace('.', '/') + "/" + prefix;
        final Path jar = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (JarFile planner = new JarFile(jar.toFile())) {
            final List<Class<?>> nodes = new ArrayList<>();
            for (JarEntry entry : Collections.list(planner.entries())) {
                final String name = entry.getName();
                if (name.startsWith(folder) && name.endsWith(".class") && !name.contains("$")) {
                    final Class<?> node =
                            Class.forName(
                                    name.replace(".class", "").replace('/', '.'),
                                    false,
                                    type.getClassLoader());
                    if (type.isAssignableFrom(node) && !Modifier.isAbstract(node.getModifiers())) {
                        nodes.add(node);
                    }
                }
            }
            return nodes.stream();
        }
    }
}
