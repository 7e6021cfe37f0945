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
package io.stateaccel.rocksdb.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What the kernel counts of the block device below a directory, by all who use it: {@code stat} in
 * the device's folder below {@code /sys} (see {@code Documentation/block/stat.rst} of Linux).
 * Thread-safe.
 *
 * <p>Of these the library OSHI (6.6.5) has the numbers of reads and writes and the busy time: not
 * how long reads and writes waited and took, from which mean latency and queue are.
 */
public final class DiskActivity {

    private final String device;
    private final Path statistics;

    private DiskActivity(String device, Path statistics) {
        this.device = device;
        this.statistics = statistics;
    }

    /**
     * The device of a directory; empty where none is known, as with file systems in memory, over
     * the network or on several devices, and on other systems than Linux.
     */
    public static Optional<DiskActivity> of(Path directory) {
        return of(directory, Path.of("/"));
    }

    /** As {@link #of(Path)}, with another folder for {@code /}. */
    static Optional<DiskActivity> of(Path directory, Path systemRoot) {
        try {
            return LocalDisk.mountPoint(
                            directory.toRealPath(), systemRoot.resolve("proc/self/mountinfo"))
                    .map(MountPoint::device)
                    .map(systemRoot.resolve("sys/dev/block")::resolve)
                    .filter(folder -> Files.isReadable(folder.resolve("stat")))
                    .flatMap(DiskActivity::ofFolder);
        } catch (IOException e) {
            // Metrics are no reason to fail.
            return Optional.empty();
        }
    }

    private static Optional<DiskActivity> ofFolder(Path folder) {
        try {
            return Optional.of(
                    new DiskActivity(
                            folder.toRealPath().getFileName().toString(), folder.resolve("stat")));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** The device's name, such as {@code nvme0n1p1}. */
    public String device() {
        return device;
    }

    /** Reads the counters. */
    public Counters read() throws IOException {
        return Counters.parse(Files.readString(statistics));
    }

    /**
     * Counters since the machine was started.
     *
     * @param reads completed
     * @param readMillis that these waited and took, together
     * @param writes completed
     * @param writeMillis that these waited and took, together
     * @param busyMillis in which the device had something to do
     * @param queueMillis that requests waited and took: over a span of time, divided by it, the
     *     mean length of the queue
     */
    public record Counters(
            long reads,
            long readMillis,
            long writes,
            long writeMillis,
            long busyMillis,
            long queueMillis) {

        /** Of a device that has done nothing. */
        public static final Counters NONE = new Counters(0, 0, 0, 0, 0, 0);

        private static final int FIELDS = 11;

        static Counters parse(String line) throws IOException {
            String[] fields = line.strip().split("\\s+");
            if (fields.length < FIELDS) {
                throw new IOException("Not the statistics of a block device: " + line);
            }
            return new Counters(
                    Long.parseLong(fields[0]),
                    Long.parseLong(fields[3]),
                    Long.parseLong(fields[4]),
                    Long.parseLong(fields[7]),
                    Long.parseLong(fields[9]),
                    Long.parseLong(fields[10]));
        }
    }
}
