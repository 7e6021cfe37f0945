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
package io.stateaccel.nexmark.bench.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.EnumSet;
import java.util.List;

/** What the runners do with files. */
public final class WorkFiles {

    private WorkFiles() {}

    /** Copies a directory with all files and their permissions; links become what they name. */
    static void copyRecursively(Path from, Path to) {
        try {
            Files.walkFileTree(
                    from,
                    EnumSet.of(FileVisitOption.FOLLOW_LINKS),
                    Integer.MAX_VALUE,
                    new SimpleFileVisitor<>() {
                        @Override
                        public FileVisitResult preVisitDirectory(
                                Path directory, BasicFileAttributes attributes) throws IOException {
                            Files.createDirectories(to.resolve(from.relativize(directory)));
                            return FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                                throws IOException {
                            Files.copy(
                                    file,
                                    to.resolve(from.relativize(file)),
                                    StandardCopyOption.COPY_ATTRIBUTES);
                            return FileVisitResult.CONTINUE;
                        }
                    });
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot copy " + from + " to " + to, e);
        }
    }

    /** Deletes a directory, if it is there, as far as possible: others may still be deleting. */
    public static void deleteRecursively(Path directory) {
        try {
            Files.walkFileTree(
                    directory,
                    new SimpleFileVisitor<>() {
                        @Override
                        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                                throws IOException {
                            Files.deleteIfExists(file);
                            return FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult visitFileFailed(Path file, IOException e) {
                            return FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult postVisitDirectory(Path visited, IOException e)
                                throws IOException {
                            Files.deleteIfExists(visited);
                            return FileVisitResult.CONTINUE;
                        }
                    });
        } catch (IOException e) {
            System.err.println("bench: cannot delete " + directory + ": " + e.getMessage());
        }
    }

    /** Returns the last line of a log that says something, for an error message. */
    static String tail(Path log) {
        try {
            List<String> lines =
                    Files.readAllLines(log, StandardCharsets.UTF_8).stream()
                            .filter(line -> !line.isBlank())
                            .toList();
            return lines.isEmpty() ? "its log is empty" : lines.get(lines.size() - 1);
        } catch (IOException e) {
            return "it left no log";
        }
    }
}
