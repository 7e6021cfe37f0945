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

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.command.StateAccelCommand;
import io.stateaccel.nexmark.bench.Bench;
import io.stateaccel.nexmark.bench.queries.Query;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/**
 * Checks commands without running them. Programs whose options are described by classes get the
 * words as arguments; of others it has to exist what they name.
 */
final class CommandCheck {

    private static final Set<String> PHASES =
            Set.of("compile", "test-compile", "test", "package", "verify", "clean");

    /** Properties that Maven and its plugins know. */
    private static final Set<String> MAVEN_PROPERTIES =
            Set.of(
                    "skipTests",
                    "surefire.failIfNoSpecifiedTests",
                    "failsafe.failIfNoSpecifiedTests");

    private static final Set<String> FLINK_SCRIPTS =
            Set.of("start-cluster.sh", "stop-cluster.sh", "sql-client.sh", "flink");

    /** Programs whose arguments name nothing that could be missing. */
    private static final Set<String> NAMING_NOTHING =
            Set.of("export", "printf", "sha256sum", "cut");

    private static final String FLINK_BIN = "$FLINK_HOME/bin/";

    private static final Pattern JAR_OF_OURS =
            Pattern.compile("flink-sql-state-accel-2\\.3-0\\.1\\.0\\.jar");

    private static final String BENCHMARKS = "benchmarks";

    private final SourceTree sources;
    private final Set<String> benchWords;

    CommandCheck(SourceTree sources) {
        this.sources = sources;
        StringWriter list = new StringWriter();
        bench().setOut(new PrintWriter(list)).execute("list");
        this.benchWords =
                list.toString()
                        .lines()
                        .map(line -> line.strip().split(" ")[0])
                        .collect(Collectors.toSet());
    }

    private static CommandLine bench() {
        return new CommandLine(new Bench());
    }

    /** Fails where the command could not do what it says. */
    void check(List<String> command) {
        String program = command.get(0);
        List<String> arguments = command.subList(1, command.size());
        if (program.equals("./bench")) {
            checkBench(arguments);
        } else if (program.equals("mvn") || program.equals("./mvnw")) {
            checkMaven(MavenCall.parse(arguments));
        } else if (program.equals("java")) {
            checkJava(arguments);
        } else if (program.startsWith(FLINK_BIN)) {
            assertThat(FLINK_SCRIPTS).contains(program.substring(FLINK_BIN.length()));
            checkFiles(arguments);
            checkClasses(arguments);
        } else if (program.startsWith("tools/")) {
            assertThat(Page.REPOSITORY.resolve(program)).isExecutable();
        } else if (program.equals("cp")) {
            checkFiles(arguments);
        } else {
            assertThat(program).as("a program that is known here").isIn(NAMING_NOTHING);
        }
    }

    private void checkBench(List<String> arguments) {
        ParseResult parsed = bench().parseArgs(arguments.toArray(String[]::new));
        if (parsed.hasSubcommand()) {
            return;
        }
        List<String> queries = parsed.matchedPositionalValue(0, List.of());
        List<String> variants = parsed.matchedOptionValue("--variants", List.of());
        assertThat(benchWords).containsAll(variants);
        assertThat(queries).isNotEmpty();
        assertThat(queries).allMatch(query -> Query.group(query).isPresent() || isListed(query));
    }

    private boolean isListed(String query) {
        return benchWords.contains(query);
    }

    private static void checkJava(List<String> arguments) {
        assertThat(arguments.get(0)).isEqualTo("-jar");
        assertThat(arguments.get(1)).matches(JAR_OF_OURS);
        new CommandLine(new StateAccelCommand())
                .parseArgs(arguments.subList(2, arguments.size()).toArray(String[]::new));
    }

    private void checkMaven(MavenCall call) {
        assertThat(sources.modules()).containsAll(call.modules());
        assertThat(call.goals()).isNotEmpty();
        String builds = sources.builds();
        for (String goal : call.goals()) {
            String plugin = goal.split(":")[0];
            assertThat(PHASES.contains(goal) || builds.contains(plugin + "-maven-plugin"))
                    .as(goal)
                    .isTrue();
        }
        for (String profile : call.profiles()) {
            assertThat(builds).contains("<id>" + profile + "</id>");
        }
        call.properties().forEach((name, value) -> checkProperty(name, value, call, builds));
    }

    private void checkProperty(String name, String value, MavenCall call, String builds) {
        if (name.equals("test") || name.equals("it.test")) {
            for (String pattern : value.split(",")) {
                assertThat(pattern.equals("none") ? List.of(pattern) : tests(pattern, call))
                        .as(pattern)
                        .isNotEmpty();
            }
        } else if (name.equals("jmh.args")) {
            checkBenchmark(ShellScript.commands(value).get(0));
        } else if (name.startsWith("stateaccel.")) {
            assertThat(sources.mentions('"' + name + '"') || builds.contains('<' + name + '>'))
                    .as(name)
                    .isTrue();
        } else if (!MAVEN_PROPERTIES.contains(name)) {
            assertThat(builds).contains("${" + name + "}");
        }
    }

    private List<String> tests(String pattern, MavenCall call) {
        return sources.tests(pattern, call.modules());
    }

    /** Arguments of JMH: a pattern of benchmarks, parameters that they have, a profiler. */
    private void checkBenchmark(List<String> arguments) {
        Pattern which = Pattern.compile(arguments.get(0));
        List<String> chosen =
                sources.classesOf(BENCHMARKS).stream()
                        .filter(name -> which.matcher(name).find())
                        .toList();
        assertThat(chosen).as(which.pattern()).hasSize(1);
        String source = sources.source(chosen.get(0));
        for (Map.Entry<String, String> option : options(arguments)) {
            if (option.getKey().equals("-p")) {
                assertThat(source).contains(" " + option.getValue().split("=")[0] + ";");
            } else if (option.getKey().equals("-prof")) {
                assertThat(sources.hasClass(option.getValue())).as(option.getValue()).isTrue();
            }
        }
    }

    /** Files of this repository that are named, or that a build leaves there. */
    private void checkFiles(List<String> arguments) {
        for (String argument : arguments) {
            Path file = Path.of(argument);
            boolean ours = sources.modules().contains(file.getName(0).toString());
            boolean built = file.getNameCount() > 1 && file.getName(1).toString().equals("target");
            if (ours && built) {
                String jar = file.getFileName().toString();
                assertThat(sources.builds())
                        .contains(jar.replaceFirst("-(\\*|0\\.1\\.0)\\.jar", "") + "</artifactId>");
            } else if (ours) {
                assertThat(Files.exists(Page.REPOSITORY.resolve(file))).as(argument).isTrue();
            }
        }
    }

    private void checkClasses(List<String> arguments) {
        options(arguments).stream()
                .filter(option -> option.getKey().equals("-c"))
                .forEach(
                        option ->
                                assertThat(sources.hasClass(option.getValue()))
                                        .as(option.getValue())
                                        .isTrue());
    }

    /** Words that begin with a dash, with the word behind each. */
    private static List<Map.Entry<String, String>> options(List<String> arguments) {
        List<Map.Entry<String, String>> options = new ArrayList<>();
        for (Iterator<String> rest = arguments.iterator(); rest.hasNext(); ) {
            String word = rest.next();
            if (word.startsWith("-") && rest.hasNext()) {
                options.add(Map.entry(word, rest.next()));
            }
        }
        return options;
    }
}
