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

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows the plans of the queries in a file, and what of them is accelerated. */
@Command(
        name = "explain",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Plans each SELECT and INSERT of a file with the acceleration on, without running it, and"
                    + " says of each stateful node whether it is accelerated, or why not. The"
                    + " statements that define what is queried (CREATE, USE, SET and the like) are"
                    + " executed, also in catalogs outside of Flink."
        },
        footer = {
            "",
            "Exit code: 0 explained; 1 a statement could not be; 2 wrong use.",
            "Example: state-accel explain job.sql"
        })
final class ExplainCommand implements Callable<Integer> {

    private static final String EXPLAINER = "io.stateaccel.command.flink.ExplainSql";

    @Spec private CommandSpec spec;

    @Mixin private FlinkHomeOption flinkHome;

    @Parameters(paramLabel = "FILE", description = "Statements, as sql-client.sh -f takes them.")
    private Path file;

    @Override
    public Integer call() throws IOException {
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Invalid value for FILE: '" + file + "' is no file that can be read");
        }
        PrintWriter out = spec.commandLine().getOut();
        flinkHome.flinkHome().run(EXPLAINER, file, out);
        out.flush();
        return StateAccelCommand.GOOD;
    }
}
