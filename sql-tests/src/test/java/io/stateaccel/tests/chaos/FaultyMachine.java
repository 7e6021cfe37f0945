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
package io.stateaccel.tests.chaos;

import io.stateaccel.tests.cluster.Command;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A task manager's machine, whose wall clock can jump and whose checkpoint storage can become slow,
 * by a library that is loaded before all others: {@code src/test/c/faulty_machine.c}. For one
 * thread.
 *
 * <p>It takes Linux with the GNU C library and a C compiler. Only task managers are on this
 * machine: a job manager whose clock is set back goes on showing what it has shown before, for as
 * long as that was ahead.
 */
final class FaultyMachine {

    private static final Duration DEADLINE = Duration.ofMinutes(1);

    /** As a JVM writes it. */
    private static final Pattern DATE = Pattern.compile("\\d{4}-\\S+[+-]\\d{4}");

    private static final DateTimeFormatter DATE_FORMAT =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSZ");

    private final Path library;
    private final Path faults;
    private final Path slowFolder;
    private final Optional<String> problem;

    private Duration ahead = Duration.ZERO;
    private Duration longer = Duration.ZERO;

    /**
     * Builds the library, if that is possible.
     *
     * @param folder where it is put
     * @param slowFolder where checkpoints go
     */
    FaultyMachine(Path folder, Path slowFolder) throws IOException, InterruptedException {
        Path home = Files.createDirectories(folder.toAbsolutePath());
        this.library = home.resolve("libfaulty_machine.so");
        this.faults = home.resolve("faults");
        this.slowFolder = slowFolder;
        this.problem = build();
        tell();
    }

    private Optional<String> build() throws InterruptedException {
        List<String> command =
                List.of(
                        "cc",
                        "-shared",
                        "-fPIC",
                        "-O1",
                        "-Wall",
                        "-Werror",
                        "-o",
                        library.toString(),
                        "src/test/c/faulty_machine.c",
                        "-ldl");
        try {
            Command.Result result = Command.run(command, Path.of("."), Map.of(), DEADLINE);
            return result.exitCode() == 0 ? Optional.empty() : Optional.of(result.output().strip());
        } catch (IOException e) {
            return Optional.of(e.getMessage());
        }
    }

    /** Why this machine is like any other, if so. */
    Optional<String> problem() {
        return problem;
    }

    /** What the processes have to find in their environment. */
    Map<String, String> variables() {
        return problem.isPresent()
                ? Map.of()
                : Map.of(
                        "LD_PRELOAD",
                        library.toString(),
                        "STATEACCEL_FAULTS",
                        faults.toString(),
                        "STATEACCEL_SLOW_FOLDER",
                        slowFolder.toString());
    }

    /** Sets the wall clock, as one by hand does: all at once. */
    void setClockAhead(Duration ahead) throws IOException {
        this.ahead = ahead;
        tell();
    }

    /** What a JVM on this machine takes for the time. */
    Instant clockOf(ProcessHandle process) throws IOException, InterruptedException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        Command.Result answer =
                Command.run(
                        List.of(
                                jcmd.toString(),
                                String.valueOf(process.pid()),
                                "VM.uptime",
                                "-date"),
                        Path.of("."),
                        Map.of(),
                        DEADLINE);
        Matcher date = DATE.matcher(answer.output());
        if (!date.find()) {
            throw new IOException("No clock: " + answer.output());
        }
        return OffsetDateTime.parse(date.group(), DATE_FORMAT).toInstant();
    }

    /** Has each write to the checkpoint storage take longer. */
    void slowWrites(Duration longer) throws IOException {
        this.longer = longer;
        tell();
    }

    private void tell() throws IOException {
        ByteBuffer numbers =
                ByteBuffer.allocate(2 * Long.BYTES)
                        .order(ByteOrder.nativeOrder())
                        .putLong(ahead.toNanos())
                        .putLong(longer.toNanos())
                        .flip();
        try (FileChannel file =
                FileChannel.open(faults, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            file.write(numbers, 0);
        }
    }
}
