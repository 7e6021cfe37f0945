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
package io.stateaccel.tests.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a program to its end, or kills it at a deadline. */
public final class Command {

    private Command() {}

    /**
     * What a program gave.
     *
     * @param output what it printed, errors included
     */
    public record Result(int exitCode, String output) {}

    /**
     * @param environment variables to set; a null value removes one
     * @throws IOException also when the deadline passed, with what the program had printed by then
     */
    public static Result run(
            List<String> command, Path folder, Map<String, String> environment, Duration deadline)
            throws IOException, InterruptedException {
        // A file, not a pipe: daemons that a script leaves behind would keep a pipe open.
        Path output = Files.createTempFile("stateaccel-command", ".out");
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command)
                            .directory(folder.toFile())
                            .redirectErrorStream(true)
                            .redirectInput(
                                    ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                            .redirectOutput(output.toFile());
            environment.forEach(
                    (name, value) -> {
                        if (value == null) {
                            builder.environment().remove(name);
                        } else {
                            builder.environment().put(name, value);
                        }
                    });
            Process process = builder.start();
            try {
                if (!process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
                    throw new IOException(
                            "%s did not end within %s; it printed:%n%s"
                                    .formatted(command, deadline, Files.readString(output)));
                }
            } finally {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
            return new Result(process.exitValue(), Files.readString(output));
        } finally {
            Files.delete(output);
        }
    }
}
