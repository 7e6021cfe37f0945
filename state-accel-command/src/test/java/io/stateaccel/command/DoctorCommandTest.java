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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** On the disk of the temporary folder, whatever it is. */
class DoctorCommandTest {

    @TempDir private Path directory;

    @Test
    void measuresARealDirectoryAndLeavesNothing() {
        CommandRun run =
                doctor(
                        "--file-size",
                        "1MB",
                        "--seconds",
                        "1",
                        "--readers",
                        "2",
                        "--min-reads",
                        "0");

        assertThat(run.out())
                .contains("Directory    " + directory)
                .contains("on a file of 1.0 MB ")
                .contains("4 KiB reads, 1 reader ")
                .contains("4 KiB reads, 2 readers ")
                .contains("4 KiB write and sync ")
                .contains("Verdict: ");
        boolean fit = run.out().contains("Verdict: good") || run.out().contains("could not be");
        assertThat(run.exitCode()).isEqualTo(fit ? 0 : 1);
        assertThat(run.err()).startsWith("Measuring " + directory + " for 1 seconds");
        assertThat(directory).isEmptyDirectory();
    }

    /** No disk holds twice that much. */
    @Test
    void aJobThatDoesNotFitIsAnExitCode() {
        CommandRun run =
                doctor("--file-size", "1MB", "--seconds", "1", "--state-size", "900000 TB");

        assertThat(run.out()).contains("NOT ENOUGH");
        assertThat(run.exitCode()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--state-size | much | 'much' is not a size: write a number and kb, mb, gb or tb",
                "--state-size | 0 | '0' is no state: set at least 1kb",
                "--state-size | 99999999 tb | '99999999 tb' is not a size",
                "--memory | -1 | '-1' is not a size",
                "--rate | 5x | '5x' is not a number of rows: write 50000, 50k or 2m",
                "--rate | 50k | '50000' says nothing without the size of the state: add"
                        + " --state-size",
                "--file-size | 100kb | '102400' is too small: set at least 1MB",
                "--file-size | 4000000 TB | is more than half of the ",
                "--seconds | 0 | '0' is out of range: set 1 to 600",
                "--seconds | soon | 'soon' is not an int",
                "--readers | 257 | '257' is out of range: set 1 to 256",
                "--min-reads | -1 | '-1' is negative: set 0 or more",
                "--dir | /no/such/folder | '/no/such/folder' is no directory: name an existing one",
            })
    void tellsWrongUseInOneLine(String option, String value, String complaint) {
        List<String> arguments = new ArrayList<>(List.of("doctor", option, value));
        if (!option.equals("--dir")) {
            arguments.addAll(List.of("--dir", directory.toString()));
        }

        CommandRun run = CommandRun.of(arguments.toArray(String[]::new));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .contains("'" + option + "'")
                .contains(complaint)
                .endsWith("; see state-accel doctor --help");
    }

    @Test
    void aFileIsNoDirectory() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));

        CommandRun run = CommandRun.of("doctor", "--dir", file.toString());

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("'--dir'").contains("is no directory");
    }

    @Test
    void needsOneThingToLookAt() {
        CommandRun run = CommandRun.of("doctor");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .isEqualTo(
                        "Say what to look at: --dir or --rest, one of the two; see state-accel"
                                + " doctor --help");
        CommandRun both =
                CommandRun.of(
                        "doctor", "--dir", directory.toString(), "--rest", "http://localhost:1");
        assertThat(both.exitCode()).isEqualTo(2);
        assertThat(both.err()).isEqualTo(run.err());
    }

    @Test
    void needsAnAddressForAJob() {
        CommandRun noAddress = CommandRun.of("doctor", "--rest", "localhost:8081");
        assertThat(noAddress.exitCode()).isEqualTo(2);
        assertThat(noAddress.err()).contains("'localhost:8081' is no address: write it as http");

        CommandRun noCluster =
                CommandRun.of("doctor", "--dir", directory.toString(), "--job", "abc");
        assertThat(noCluster.exitCode()).isEqualTo(2);
        assertThat(noCluster.err()).contains("'abc' says nothing without --rest");
    }

    private CommandRun doctor(String... arguments) {
        List<String> all = new ArrayList<>(List.of("doctor", "--dir", directory.toString()));
        all.addAll(List.of(arguments));
        return CommandRun.of(all.toArray(String[]::new));
    }
}
