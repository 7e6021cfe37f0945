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

import io.stateaccel.flink.FlinkLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What it says of arguments; that it shows what there is, the test of the finished jar says. */
class InspectCommandTest {

    private static final String DIST = "lib/flink-dist-" + FlinkLine.NAME + ".0.jar";

    @TempDir private Path directory;
    @TempDir private Path home;

    @BeforeEach
    void makeAHome() throws IOException {
        Files.createDirectories(home.resolve("lib"));
        Files.createFile(home.resolve(DIST));
    }

    @Test
    void needsADirectoryOfAKnownKind() throws IOException {
        Files.createDirectories(directory.resolve("chk-7"));

        assertWrongUse(
                inspect(directory, home),
                "Invalid value for DIR: '"
                        + directory
                        + "' holds neither _metadata nor CURRENT: name the folder of a checkpoint,"
                        + " a savepoint or a RocksDB, such as one of those in it: chk-7");
    }

    @Test
    void needsADirectoryThatExists() {
        assertWrongUse(inspect(directory.resolve("absent"), home), "absent' is no directory: ");
    }

    @Test
    void needsAFlink() throws IOException {
        Files.createFile(directory.resolve("_metadata"));

        assertWrongUse(
                inspect(directory, directory),
                "Invalid value for option '--flink-home': '"
                        + directory
                        + "' has no folder lib: name the folder of a Flink "
                        + FlinkLine.NAME
                        + " distribution");
        Files.delete(home.resolve(DIST));
        assertWrongUse(
                inspect(directory, home), "has no flink-dist-<version>.jar in its folder lib");
    }

    @Test
    void needsAFlinkOfItsLine() throws IOException {
        Files.createFile(directory.resolve("_metadata"));
        Files.move(home.resolve(DIST), home.resolve("lib/flink-dist-1.19.1.jar"));

        assertWrongUse(inspect(directory, home), "but this is Flink 1.19.1");
    }

    @Test
    void saysWhatTheJarsOfThatFlinkLack() throws IOException {
        Files.createFile(directory.resolve("_metadata"));

        CommandRun run = inspect(directory, home);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .contains("Missing with the jars of " + home.resolve("lib") + ": org/apache/flink");
    }

    private static CommandRun inspect(Path directory, Path home) {
        return CommandRun.of("inspect", directory.toString(), "--flink-home", home.toString());
    }

    private static void assertWrongUse(CommandRun run, String complaint) {
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .contains(complaint)
                .endsWith("; see state-accel inspect --help");
    }
}
