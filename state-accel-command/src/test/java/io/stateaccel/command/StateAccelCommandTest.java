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
package io.stateaccel.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class StateAccelCommandTest {

    @Test
    void helpNamesEverySubCommand() {
        CommandRun run = CommandRun.of("--help");

        assertThat(run.exitCode()).isZero();
        assertThat(StateAccelCommand.commandLine().getSubcommands().keySet())
                .isNotEmpty()
                .allSatisfy(name -> assertThat(run.out()).contains("\n  " + name + " "));
    }

    @ParameterizedTest
    @MethodSource("subCommands")
    void everySubCommandHasHelp(String name) {
        CommandRun run = CommandRun.of(name, "--help");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).startsWith("Usage: state-accel " + name).contains("Exit code: 0");
    }

    static Stream<String> subCommands() {
        return StateAccelCommand.commandLine().getSubcommands().keySet().stream();
    }

    @Test
    void withoutASubCommandSaysHowToGoOn() {
        CommandRun run = CommandRun.of();

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).isEqualTo("Missing command: say which; see state-accel --help\n");
    }

    @Test
    void anUnknownSubCommandIsOneLine() {
        CommandRun run = CommandRun.of("docter");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .contains("'docter'")
                .endsWith("; see state-accel --help");
    }
}
