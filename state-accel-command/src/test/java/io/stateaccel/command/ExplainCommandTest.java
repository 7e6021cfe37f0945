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

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What it says of arguments; that it explains, the test of the finished jar says. */
class ExplainCommandTest {

    @TempDir private Path directory;

    @Test
    void needsAFile() {
        for (Path path : new Path[] {directory, directory.resolve("absent.sql")}) {
            CommandRun run = CommandRun.of("explain", path.toString());

            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err())
                    .isEqualTo(
                            "Invalid value for FILE: '"
                                    + path
                                    + "' is no file that can be read; see state-accel explain"
                                    + " --help\n");
        }
    }
}
