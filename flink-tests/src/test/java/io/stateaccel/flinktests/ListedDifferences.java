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
import io.stateaccel.flinktests.Mode.Backend;
import io.stateaccel.flinktests.Mode.Bundles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The tests of Flink that are known not to hold, each with the reason, read from {@code
 * differences.txt}, which says how it is written. Held against what tests did, both ways: one that
 * fails must be listed, and one that is listed must fail.
 */
final class ListedDifferences {

    private static final String RESOURCE = "differences.txt";

    /** The line whose tests are all in the list. Older ones need not have all of them. */
    private static final String NEWEST_LINE = "2.3";

    private static final Pattern HEADER =
            Pattern.compile(
                    "== (?<sometimes>sometimes: )?(?<bundles>[a-z, ]+?)( on (?<backend>rocksdb))?"
                            + "( in (?<lines>[0-9., ]+))?");

    private static final Pattern ENTRY =
            Pattern.compile(" {4}(?<test>[\\w.]+)( \\[(?<parameters>.+)])?");

    private final List<Entry> entries;

    private final String flinkLine;

    private ListedDifferences(List<Entry> entries, String flinkLine) {
        this.entries = entries;
        this.flinkLine = flinkLine;
    }

    /**
     * The list as it is for the Flink line under test.
     *
     * @throws IllegalArgumentException naming the line that cannot be read
     */
    static ListedDifferences read() {
        try (InputStream in = ListedDifferences.class.getResourceAsStream("/" + RESOURCE);
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            return parse(lines.lines().toList(), FlinkLine.NAME);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * @param flinkLine such as {@code 2.3}: of others nothing is kept
     */
    static ListedDifferences parse(List<String> lines, String flinkLine) {
        final List<Entry> entries = new ArrayList<>();
        Section section = null;
        StringBuilder reason = new StringBuilder();
        for (String line : lines) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            if (line.startsWith("== ")) {
                section = Section.of(line);
                reason = new StringBuilder();
            } else if (line.startsWith(" ")) {
                final Matcher entry = ENTRY.matcher(line);
                if (!entry.matches() || section == null || reason.isEmpty()) {
                    throw unreadable(line);
                }
                entries.add(
                        new Entry(
                                section,
                                entry.group("test"),
                                pattern(entry.group("parameters")),
                                reason.toString(),
                                line.strip()));
            } else {
                reason.append(reason.isEmpty() ? "" : " ").append(line);
            }
        }
        return new ListedDifferences(
                entries.stream().filter(entry -> entry.section.isAbout(flinkLine)).toList(),
                flinkLine);
    }

    /**
     * What is wrong with what the tests of a class did, one line each; nothing if each failed or
     * held as the list has it.
     *
     * @param testClass short name of the class
     * @param methods the methods that were run
     * @param outcomes of all tests of these methods
     */
    List<String> contradictions(
            Mode mode, String testClass, Predicate<String> methods, Collection<Outcome> outcomes) {
        final List<Entry> due =
                entries.stream()
                        .filter(entry -> entry.section.isAbout(mode))
                        .filter(entry -> entry.isOf(testClass, methods))
                        .toList();
        final Stream<String> unlisted =
                outcomes.stream()
                        .filter(outcome -> !outcome.held())
                        .filter(outcome -> due.stream().noneMatch(entry -> entry.names(outcome)))
                        .map(
                                outcome ->
                                        outcome
                                                + " does not hold and is not listed: "
                                                + outcome.failure().orElseThrow());
        final Stream<String> holding =
                outcomes.stream()
                        .filter(Outcome::held)
                        .flatMap(
                                outcome ->
                                        due.stream()
                                                .filter(entry -> !entry.section.sometimes)
                                                .filter(entry -> entry.names(outcome))
                                                .map(
                                                        entry ->
                                                                outcome
                                                                        + " holds. "
                                                                        + entry.remove()));
        final Stream<String> idle =
                due.stream()
                        .filter(entry -> mustRun(entry.section))
                        .filter(entry -> outcomes.stream().noneMatch(entry::names))
                        .map(
                                entry ->
                                        "No test was run that is "
                                                + entry.line
                                                + ". "
                                                + entry.remove());
        return Stream.of(unlisted, holding, idle).flatMap(lines -> lines).toList();
    }

    /** Tests listed for no line are those of the newest. */
    private boolean mustRun(Section section) {
        return section.isOfSomeLines() || flinkLine.equals(NEWEST_LINE);
    }

    /** The methods of a class with tests that fail with stock Flink too, whenever they run. */
    Set<String> methodsThatFailWithStock(Backend backend, String testClass) {
        final Mode stock = new Mode(Bundles.STOCK, backend);
        return entries.stream()
                .filter(entry -> entry.section.isAbout(stock) && !entry.section.sometimes)
                .filter(entry -> entry.isOf(testClass, method -> true))
                .map(entry -> entry.test.substring(testClass.length() + 1))
                .collect(Collectors.toUnmodifiableSet());
    }

    private static Pattern pattern(String parameters) {
        return parameters == null
                ? Pattern.compile(".*", Pattern.DOTALL)
                : Pattern.compile(
                        Stream.of(parameters.split("\\*", -1))
                                .map(Pattern::quote)
                                .collect(Collectors.joining(".*")),
                        Pattern.DOTALL);
    }

    private static IllegalArgumentException unreadable(String line) {
        return new IllegalArgumentException(RESOURCE + " has a line that cannot be read: " + line);
    }

    /**
     * When the tests below a header do not hold.
     *
     * @param backend of jobs that choose none; empty if it does not matter
     * @param lines of Flink; none if all that have the test are meant
     * @param sometimes whether they hold at times
     */
    private record Section(
            Set<Bundles> bundles, Optional<Backend> backend, Set<String> lines, boolean sometimes) {

        static Section of(String line) {
            final Matcher header = HEADER.matcher(line);
            if (!header.matches()) {
                throw unreadable(line);
            }
            final Set<Bundles> bundles =
                    switch (header.group("bundles")) {
                        case "one row" -> EnumSet.of(Bundles.OF_ONE_ROW);
                        case "default" -> EnumSet.of(Bundles.DEFAULT);
                        case "one row, default" -> EnumSet.of(Bundles.OF_ONE_ROW, Bundles.DEFAULT);
                        case "one row, default, stock" -> EnumSet.allOf(Bundles.class);
                        default -> throw unreadable(line);
                    };
            return new Section(
                    bundles,
                    Optional.ofNullable(header.group("backend")).map(name -> Backend.ROCKSDB),
                    Optional.ofNullable(header.group("lines"))
                            .map(lines -> Set.of(lines.split(", ")))
                            .orElse(Set.of()),
                    header.group("sometimes") != null);
        }

        boolean isOfSomeLines() {
            return !lines.isEmpty();
        }

        boolean isAbout(String flinkLine) {
            return lines.isEmpty() || lines.contains(flinkLine);
        }

        boolean isAbout(Mode mode) {
            return bundles.contains(mode.bundles())
                    && backend.map(mode.backend()::equals).orElse(true);
        }
    }

    private record Entry(
            Section section, String test, Pattern parameters, String reason, String line) {

        boolean isOf(String testClass, Predicate<String> methods) {
            return test.startsWith(testClass + ".")
                    && methods.test(test.substring(testClass.length() + 1));
        }

        boolean names(Outcome outcome) {
            return outcome.test().equals(test)
                    && parameters.matcher(outcome.parameters()).matches();
        }

        String remove() {
            return "Remove or narrow \"" + line + "\" in " + RESOURCE + " (" + reason + ")";
        }
    }
}
