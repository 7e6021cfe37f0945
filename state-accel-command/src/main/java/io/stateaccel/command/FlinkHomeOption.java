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

import io.stateaccel.command.FlinkHome.NotFlinkException;
import io.stateaccel.flink.FlinkLine;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The option of sub-commands that need Flink's classes. */
final class FlinkHomeOption {

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--flink-home",
            paramLabel = "DIR",
            defaultValue = "${env:FLINK_HOME}",
            description =
                    "The Flink "
                            + FlinkLine.NAME
                            + " distribution whose jars are used to read state and plans"
                            + " (default: the environment variable FLINK_HOME).")
    private Path folder;

    FlinkHome flinkHome() throws IOException {
        if (folder == null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Missing option '--flink-home': name a Flink "
                            + FlinkLine.NAME
                            + " distribution, or set the"
                            + " environment variable FLINK_HOME");
        }
        try {
            return FlinkHome.of(folder);
        } catch (NotFlinkException e) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Invalid value for option '--flink-home': '"
                            + folder
                            + "' "
                            + e.getMessage()
                            + ": name the folder of a Flink "
                            + FlinkLine.NAME
                            + " distribution");
        }
    }
}
