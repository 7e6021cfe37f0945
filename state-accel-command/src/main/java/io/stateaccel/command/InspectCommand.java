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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows what is in a checkpoint, a savepoint or a local RocksDB, and changes nothing. */
@Command(
        name = "inspect",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Shows what a checkpoint or savepoint holds: operators, their states with kind and"
                    + " serializers, files and sizes; or a local RocksDB directory: column"
                    + " families, files per level, keys and value lengths. Reads only."
        },
        footer = {
            "",
            "Exit code: 0 shown; 1 it could not be read; 2 wrong use.",
            "Example: state-accel inspect /checkpoints/5f3c/chk-42"
        })
final class InspectCommand implements Callable<Integer> {

    private static final String SNAPSHOT = "io.stateaccel.command.flink.InspectSnapshot";
    private static final String ROCKSDB = "io.stateaccel.command.flink.InspectRocksDB";

    private static final int NAMED_AT_MOST = 5;

    @Spec private CommandSpec spec;

    @Mixin private FlinkHomeOption flinkHome;

    @Parameters(
            paramLabel = "DIR",
            description =
                    "A folder on this machine: of a checkpoint or savepoint (it holds _metadata),"
                            + " or of a RocksDB of Flink (it, or its folder db, holds CURRENT).")
    private Path directory;

    @Override
    public Integer call() throws IOException {
        Target target = target();
        PrintWriter out = spec.commandLine().getOut();
        flinkHome.flinkHome().run(target.className(), target.folder(), out);
        out.flush();
        return StateAccelCommand.GOOD;
    }

    private record Target(String className, Path folder) {}

    private Target target() throws IOException {
        if (Files.isRegularFile(directory.resolve("_metadata"))) {
            return new Target(SNAPSHOT, directory);
        }
        for (Path folder : new Path[] {directory, directory.resolve("db")}) {
            if (Files.isRegularFile(folder.resolve("CURRENT"))) {
                return new Target(ROCKSDB, folder);
            }
        }
        throw new ParameterException(
                spec.commandLine(),
                "Invalid value for DIR: '"
                        + directory
                        + (Files.isDirectory(directory)
                                ? "' holds neither _metadata nor CURRENT: name the folder of a"
                                        + " checkpoint, a savepoint or a RocksDB"
                                        + foldersWithin()
                                : "' is no directory: name an existing one"));
    }

    private String foldersWithin() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            String folders =
                    files.filter(Files::isDirectory)
                            .map(folder -> folder.getFileName().toString())
                            .sorted()
                            .limit(NAMED_AT_MOST)
                            .collect(Collectors.joining(", "));
            return folders.isEmpty() ? "" : ", such as one of those in it: " + folders;
        }
    }
}
