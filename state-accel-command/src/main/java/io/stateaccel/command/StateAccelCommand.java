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

import io.stateaccel.flink.JavaRequirement;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command {@code state-accel}, which is what the jar runs. Compiled for Java 8, so that an
 * older Java is told what is missing.
 */
@Command(
        name = "state-accel",
        mixinStandardHelpOptions = true,
        versionProvider = JarVersion.class,
        usageHelpAutoWidth = true,
        description = "Looks at what an accelerated Flink SQL job stands on.",
        subcommands = {DoctorCommand.class, InspectCommand.class, ExplainCommand.class},
        footer = {
            "",
            "Exit code: 0 good; 1 something is wrong with what was looked at; 2 wrong use.",
            "state-accel stands for: java -jar flink-sql-state-accel-<version>.jar"
        })
public final class StateAccelCommand implements Runnable {

    static final int GOOD = ExitCode.OK;
    static final int WRONG = ExitCode.SOFTWARE;

    @Spec private CommandSpec spec;

    /** Runs the command and ends the JVM with its exit code. */
    public static void main(String[] arguments) {
        if (!JavaRequirement.isMet()) {
            new CommandLine(CommandSpec.create()).getErr().println(JavaRequirement.describe());
            System.exit(WRONG);
        }
        System.exit(commandLine().execute(arguments));
    }

    /** The command with its way of telling errors; its streams may be set before it is executed. */
    static CommandLine commandLine() {
        return new CommandLine(new StateAccelCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(OneLineErrors::wrongUse)
                .setExecutionExceptionHandler(OneLineErrors::failed);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing command: say which");
    }
}
