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
package io.stateaccel.nexmark.bench.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The local files of a state backend at a moment. A file with several names, as a checkpoint that
 * is under way gives it, is one.
 *
 * @param count number of files, logs left out
 * @param bytes their size
 * @param logs RocksDB's logs, by what identifies the file
 */
record StateFiles(int count, long bytes, Map<Object, Path> logs) {

    /** Looks into directories, which need not exist, while files come and go. */
    static StateFiles in(Collection<Path> directories) {
        Visitor visitor = new Visitor();
        for (Path directory : directories) {
            try {
                Files.walkFileTree(directory, visitor);
            } catch (IOException e) {
                throw new UncheckedIOException("Cannot look into " + directory, e);
            }
        }
        return new StateFiles(visitor.count, visitor.bytes, visitor.logs);
    }

    private static final class Visitor extends SimpleFileVisitor<Path> {

        private final Set<Object> seen = new HashSet<>();
        private final Map<Object, Path> logs = new LinkedHashMap<>();
        private int count;
        private long bytes;

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            // Null where the file system has none.
            Object key = attributes.fileKey();
            if (isLog(file)) {
                if (key != null) {
                    logs.put(key, file);
                }
            } else if (attributes.isRegularFile() && (key == null || seen.add(key))) {
                count++;
                bytes += attributes.size();
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path visited, IOException e) {
            return FileVisitResult.CONTINUE;
        }

        private static boolean isLog(Path file) {
            String name = file.getFileName().toString();
            return name.endsWith("LOG") || name.contains("LOG.old.");
        }
    }
}
