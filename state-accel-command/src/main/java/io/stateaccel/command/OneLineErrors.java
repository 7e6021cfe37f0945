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

import java.nio.file.FileSystemException;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Tells an error in one line, and what to do next; picocli would print the whole usage. */
final class OneLineErrors {

    private OneLineErrors() {}

    static int wrongUse(ParameterException error, String[] arguments) {
        CommandLine command = error.getCommandLine();
        command.getErr()
                .println(
                        error.getMessage()
                                + "; see "
                                + command.getCommandSpec().qualifiedName()
                                + " --help");
        command.getErr().flush();
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }

    static int failed(Exception error, CommandLine command, ParseResult parsed) {
        command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + reason(error));
        command.getErr().flush();
        return StateAccelCommand.WRONG;
    }

    private static String reason(Exception error) {
        // These say no more than the name of a file.
        boolean saysLittle = error.getMessage() == null || error instanceof FileSystemException;
        return saysLittle ? error.toString() : error.getMessage();
    }
}
