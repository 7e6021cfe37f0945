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

import io.stateaccel.flink.FlinkLine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The classes of Flink's tests whose plans have accelerated nodes, and which, read from {@code
 * accelerated-nodes.txt}. A plan that stays stock without a word would hold in every test.
 */
final class AcceleratedClasses {

    private static final String RESOURCE = "accelerated-nodes.txt";

    private static final Pattern ENTRY =
            Pattern.compile("(?<class>[\\w.]+)( in (?<lines>[0-9., ]+))?: (?<nodes>[\\w, ]+)");

    private final Map<String, Set<String>> nodes;

    private AcceleratedClasses(Map<String, Set<String>> nodes) {
        this.nodes = nodes;
    }

    /**
     * The classes as they are in the Flink line under test.
     *
     * @throws IllegalArgumentException naming the line that cannot be read
     */
    static AcceleratedClasses read() {
        final Map<String, Set<String>> nodes = new TreeMap<>();
        try (InputStream in = AcceleratedClasses.class.getResourceAsStream("/" + RESOURCE);
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line : lines.lines().toList()) {
                if (line.isBlank() || line.startsWith("#")) {
                    continue;
                }
                final Matcher entry = ENTRY.matcher(line);
                if (!entry.matches()) {
                    throw new IllegalArgumentException(
                            RESOURCE + " has a line that cannot be read: " + line);
                }
                final String flinkLines = entry.group("lines");
                if (flinkLines == null
                        || List.of(flinkLines.split(", ")).contains(FlinkLine.NAME)) {
                    nodes.put(entry.group("class"), Set.of(entry.group("nodes").split(", ")));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new AcceleratedClasses(nodes);
    }

    /**
     * What is wrong with the nodes that the plans of a class had, nothing if all are there.
     *
     * @param testClass short name of the class
     * @param wholeClass whether all of its tests were run; of some, one of the nodes is enough
     */
    List<String> contradictions(String testClass, boolean wholeClass, Set<String> found) {
        final List<String> contradictions = new ArrayList<>();
        final Set<String> expected = nodes.getOrDefault(testClass, Set.of());
        final Set<String> missing = new TreeSet<>(expected);
        missing.removeAll(found);
        if (!missing.isEmpty() && (wholeClass || found.isEmpty())) {
            contradictions.add(testClass + " has stock nodes in place of " + missing);
        }
        final Set<String> unlisted = new TreeSet<>(found);
        unlisted.removeAll(expected);
        if (!unlisted.isEmpty()) {
            contradictions.add(
                    testClass + " has accelerated nodes that " + RESOURCE + " lacks: " + unlisted);
        }
        return contradictions;
    }
}
