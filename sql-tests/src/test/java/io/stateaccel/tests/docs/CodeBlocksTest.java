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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.config.BackendOptionsValidator;
import io.stateaccel.config.StateAccelOptionsValidator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every code block of the documentation is of a kind that a test checks, or says above it why it is
 * not. {@code docs/contributing.md} says what is checked of which kind; SQL is left to {@link
 * SqlBlocksTest}.
 */
class CodeBlocksTest {

    private static final Set<String> CHECKED = Set.of("sql", "sh", "yaml");

    /** Plans, logs and what commands print. */
    private static final String OUTPUT = "text";

    @TempDir private Path directory;

    static Stream<CodeBlock> blocks() {
        return Page.written().stream().flatMap(page -> page.blocks().stream());
    }

    private static Stream<CodeBlock> checked(String language) {
        return blocks().filter(block -> block.language().equals(language))
                .filter(block -> !block.isExempt());
    }

    static Stream<CodeBlock> shell() {
        return checked("sh");
    }

    static Stream<CodeBlock> yaml() {
        return checked("yaml");
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void isOfAKindThatIsCheckedOrSaysWhyNot(CodeBlock block) {
        assertThat(
                        CHECKED.contains(block.language())
                                || block.language().equals(OUTPUT)
                                || block.isExempt())
                .as("%s: '%s'", block, block.language())
                .isTrue();
    }

    @ParameterizedTest
    @MethodSource("shell")
    void commandsAreSoundAndNameWhatThereIs(CodeBlock block) throws IOException {
        CommandCheck check = new CommandCheck(SourceTree.read());
        List<List<String>> commands = ShellScript.commands(block.text());
        assertThat(commands).isNotEmpty();
        commands.forEach(check::check);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "./bench q4 --event 5M",
                "./bench q4 --variants stock,fast",
                "./bench q99",
                "mvn -pl sql-test -am test",
                "mvn -pl sql-tests -am test -Dtest=NoSuchTest",
                "mvn -pl state-views -am test -Dtest=DifferentialTest",
                "mvn verify -Pfuz",
                "mvn verify -Dstateaccel.no-such-property=1",
                "mvn verify -Dno.such.property=1",
                "mvn spotted:apply",
                "mvn -pl benchmarks -am test-compile -Pjmh -Djmh.args='NoSuchBenchmark -f 1'",
                "mvn -pl benchmarks test-compile -Djmh.args='EvictionBenchmark -p no=1'",
                "java -jar flink-sql-state-accel-2.3-0.1.0.jar doctor --directory /data",
                "java -jar flink-sql-state-accel-2.3-0.1.0.jar docter",
                "java -jar state-accel.jar doctor --dir /data",
                "tools/no-such-tool",
                "$FLINK_HOME/bin/start.sh",
                "$FLINK_HOME/bin/sql-client.sh -i nexmark-sql/src/main/resources/no.sql",
                "cp distribution/target/flink-state-*.jar $FLINK_HOME/lib/",
                "curl http://localhost:8081"
            })
    void unsoundCommandsAreFound(String command) throws IOException {
        CommandCheck check = new CommandCheck(SourceTree.read());
        assertThatThrownBy(() -> ShellScript.commands(command).forEach(check::check))
                .as(command)
                .isNotNull();
    }

    @Test
    void commandsAreReadAsTheShellReadsThem() {
        assertThat(
                        ShellScript.commands(
                                """
                                # a comment
                                a -b "c d" \\
                                    e   # and another

                                export X=$PWD/y; f 'g "h"' & i
                                """))
                .containsExactly(
                        List.of("a", "-b", "c d", "e"),
                        List.of("export", "X=$PWD/y"),
                        List.of("f", "g \"h\""),
                        List.of("i"));
    }

    @ParameterizedTest
    @MethodSource("yaml")
    void configurationHasOptionsThatThereAre(CodeBlock block) throws IOException {
        Files.writeString(directory.resolve("config.yaml"), block.text());
        Configuration configuration = GlobalConfiguration.loadConfiguration(directory.toString());

        assertThat(configuration.keySet()).isNotEmpty();
        StateAccelOptionsValidator.validate(configuration);
        BackendOptionsValidator.validate(configuration);
    }

    @Test
    void aBlockIsExemptWithAReasonOnly() {
        assertThat(exempt("sh title=\"Not run by a test: needs a cluster\"")).isTrue();
        assertThat(exempt("sh title=\"Not run by a test: \"")).isFalse();
        assertThat(exempt("sh")).isFalse();
        assertThatThrownBy(() -> exempt("sh not tested")).hasMessageContaining("sh not tested");
    }

    private static boolean exempt(String info) {
        return CodeBlock.of("here:1", info, "").isExempt();
    }
}
