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
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What has to be mounted for faults of file systems: a disk that can get full, and a folder that
 * can become read-only, for root too. For one thread. {@link #close} unmounts all.
 *
 * <p>It takes Linux and the right to mount, which root has, unless a container keeps it away.
 */
final class Mounts implements AutoCloseable {

    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final int PAGE_BYTES = 4096;

    /** More than the state ever has; what is not used takes no memory. */
    private static final String ROOMY = "size=4g";

    private final Path disk;
    private final Optional<String> problem;
    private final List<Path> readOnly = new ArrayList<>();

    /**
     * Mounts the disk, in memory, if that is allowed.
     *
     * @param folder where; what an earlier run left mounted there is unmounted
     */
    Mounts(Path folder) throws IOException, InterruptedException {
        disk = Files.createDirectories(folder.toAbsolutePath());
        run("umount", "--lazy", disk.toString());
        Command.Result result =
                run("mount", "-t", "tmpfs", "-o", ROOMY, "stateaccel", disk.toString());
        problem = result.exitCode() == 0 ? Optional.empty() : Optional.of(result.output().strip());
    }

    /** Why nothing can be mounted here, if so; nothing but the disk, a plain folder, works then. */
    Optional<String> problem() {
        return problem;
    }

    /** The disk that can get full. */
    Path disk() {
        return disk;
    }

    /** Leaves hardly any room on the disk, as if somebody else had filled it. */
    void fillDisk() throws IOException, InterruptedException {
        FileStore store = Files.getFileStore(disk);
        long used = store.getTotalSpace() - store.getUnallocatedSpace();
        // Refused if more has been written meanwhile; the next call may succeed.
        run("mount", "-o", "remount,size=" + (used + PAGE_BYTES), disk.toString());
    }

    /** Gives the disk its room back. */
    void freeDisk() throws IOException, InterruptedException {
        mount("-o", "remount," + ROOMY, disk.toString());
    }

    /** Makes a folder, with all below, one that can be read only. */
    void makeReadOnly(Path folder) throws IOException, InterruptedException {
        mount("--bind", "-o", "ro", folder.toString(), folder.toString());
        readOnly.add(folder);
    }

    /** Undoes {@link #makeReadOnly}. Files that are open in there stay open. */
    void makeWritable(Path folder) throws IOException, InterruptedException {
        readOnly.remove(folder);
        run("umount", "--lazy", folder.toString());
    }

    private static void mount(String... arguments) throws IOException, InterruptedException {
        Command.Result result =
                run(Stream.concat(Stream.of("mount"), Stream.of(arguments)).toArray(String[]::new));
        if (result.exitCode() != 0) {
            throw new IOException(List.of(arguments) + ": " + result.output());
        }
    }

    private static Command.Result run(String... command) throws IOException, InterruptedException {
        return Command.run(List.of(command), Path.of("."), Map.of(), DEADLINE);
    }

    @Override
    public void close() throws IOException, InterruptedException {
        for (Path folder : List.copyOf(readOnly)) {
            makeWritable(folder);
        }
        run("umount", "--lazy", disk.toString());
    }
}
