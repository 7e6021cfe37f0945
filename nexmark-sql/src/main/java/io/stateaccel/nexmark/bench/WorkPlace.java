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
package io.stateaccel.nexmark.bench;

import io.stateaccel.nexmark.bench.common.UserError;
import io.stateaccel.nexmark.bench.run.WorkFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A directory for what runs write, and what has to be closed when they end. A signal ends the runs
 * too and leaves nothing behind.
 */
final class WorkPlace implements AutoCloseable {

    /** Whether the user stopped the command: what breaks then is no news. */
    private static volatile boolean stopping;

    private final Path directory;
    private final List<AutoCloseable> open = new ArrayList<>();
    private boolean ended;

    private WorkPlace(Path directory) {
        this.directory = directory;
    }

    /**
     * Makes a place.
     *
     * @param parent where its directory is made
     * @param keepsFigures whether the figures of runs that ended are in a file, to tell the user
     * @throws UserError if there cannot be one
     */
    static WorkPlace in(Path parent, boolean keepsFigures) {
        WorkPlace place;
        try {
            place =
                    new WorkPlace(
                            Files.createTempDirectory(Files.createDirectories(parent), "bench-"));
        } catch (IOException e) {
            throw new UserError("--state-dir: cannot write to " + parent);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> place.stop(keepsFigures)));
        return place;
    }

    static boolean isStopping() {
        return stopping;
    }

    Path directory() {
        return directory;
    }

    /** Takes something that is closed with this. */
    synchronized <T extends AutoCloseable> T keep(T closeable) {
        open.add(closeable);
        return closeable;
    }

    private void stop(boolean keepsFigures) {
        stopping = true;
        if (!cleanUp()) {
            System.err.println(
                    "bench: stopped" + (keepsFigures ? "; the runs that ended are written" : ""));
        }
    }

    @Override
    public void close() {
        cleanUp();
    }

    /** Returns whether there was nothing left to do. */
    private synchronized boolean cleanUp() {
        boolean before = ended;
        for (AutoCloseable closeable : open) {
            try {
                closeable.close();
            } catch (Exception e) {
                System.err.println("bench: while stopping: " + e.getMessage());
            }
        }
        open.clear();
        WorkFiles.deleteRecursively(directory);
        ended = true;
        return before;
    }
}
