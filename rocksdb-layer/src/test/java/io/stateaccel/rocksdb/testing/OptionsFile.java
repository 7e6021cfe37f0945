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
package io.stateaccel.rocksdb.testing;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/** The newest OPTIONS file of a database: what RocksDB itself says is in effect, by section. */
public final class OptionsFile {

    private final Map<String, Map<String, String>> sections = new HashMap<>();

    private OptionsFile() {}

    /** Reads the file of the only database below a directory. */
    public static OptionsFile below(Path directory) throws IOException {
        File newest = newest(directory);
        OptionsFile options = new OptionsFile();
        String section = "";
        for (String line : Files.readAllLines(newest.toPath())) {
            String trimmed = line.trim();
            if (trimmed.startsWith("[")) {
                section = trimmed;
            } else if (trimmed.contains("=")) {
                String[] pair = trimmed.split("=", 2);
                options.sections
                        .computeIfAbsent(section, name -> new HashMap<>())
                        .put(pair[0], pair[1]);
            }
        }
        return options;
    }

    private static File newest(Path directory) {
        return files(directory.toFile())
                .filter(file -> file.getName().matches("OPTIONS-\\d+"))
                .max(Comparator.comparing(File::getName))
                .orElseThrow();
    }

    /** The number of the file: another one whenever RocksDB has written its options. */
    public static long newestNumber(Path directory) {
        return Long.parseLong(newest(directory).getName().substring("OPTIONS-".length()));
    }

    /** As {@code Files.walk}, which fails when a compaction deletes a file that it just listed. */
    private static Stream<File> files(File file) {
        File[] children = file.listFiles();
        return children == null
                ? Stream.of(file)
                : Arrays.stream(children).flatMap(OptionsFile::files);
    }

    /** An option of the database. */
    public String database(String option) {
        return sections.get("[DBOptions]").get(option);
    }

    /** An option of a column family. */
    public String columnFamily(String state, String option) {
        return sections.get("[CFOptions \"" + state + "\"]").get(option);
    }

    /** An option of a column family's block-based table. */
    public String table(String state, String option) {
        return sections.get("[TableOptions/BlockBasedTable \"" + state + "\"]").get(option);
    }
}
