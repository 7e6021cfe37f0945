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
package io.stateaccel.rocksdb;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import javax.annotation.Nullable;

/**
 * The local directories that RocksDB instances are spread over, in turn and from a random start, as
 * {@code EmbeddedRocksDBStateBackend} does it. Not thread-safe: one per task.
 */
final class LocalDirectories {

    private final List<File> directories;
    private int last;

    private LocalDirectories(List<File> directories) {
        this.directories = directories;
        this.last = new Random().nextInt(directories.size());
    }

    /**
     * @param configured the directories of {@code state.backend.rocksdb.localdir}, or null
     * @param taskManagerDirectory used when none are configured
     * @throws IOException when none of the configured directories can be written to
     */
    static LocalDirectories of(@Nullable String[] configured, File taskManagerDirectory)
            throws IOException {
        if (configured == null) {
            return new LocalDirectories(List.of(taskManagerDirectory));
        }
        List<File> usable = new ArrayList<>();
        List<String> unusable = new ArrayList<>();
        for (String path : configured) {
            File probe = new File(path, UUID.randomUUID().toString());
            if (probe.mkdirs() && probe.delete()) {
                usable.add(new File(path));
            } else {
                unusable.add(path);
            }
        }
        if (usable.isEmpty()) {
            throw new IOException(
                    "None of the directories in state.backend.rocksdb.localdir can be created and"
                            + " written to: "
                            + String.join(", ", unusable));
        }
        return new LocalDirectories(usable);
    }

    File next() {
        last = (last + 1) % directories.size();
        return directories.get(last);
    }
}
