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
 * What one thread has read from files, as the kernel counts it ({@code /proc/[pid]/task/[tid]/io},
 * see {@code proc(5)}). Of a thread that uses RocksDB these are the blocks that the block cache had
 * not got, and of those the bytes that the page cache had not got either. It costs that thread
 * nothing. Thread-safe.
 *
 * <p>The library OSHI (6.6.5) has no reads of single threads.
 */
public final class ThreadFileReads {

    private final Path statistics;

    private ThreadFileReads(Path statistics) {
        this.statistics = statistics;
    }

    /** Those of the thread that calls; empty where the kernel does not tell. */
    public static Optional<ThreadFileReads> ofCurrentThread() {
        return of(Path.of("/proc"));
    }

    /** As {@link #ofCurrentThread}, with another folder for {@code /proc}. */
    static Optional<ThreadFileReads> of(Path proc) {
        try {
            Path thread = proc.resolve(Files.readSymbolicLink(proc.resolve("thread-self")));
            Path statistics = thread.resolve("io");
            return Files.isReadable(statistics)
                    ? Optional.of(new ThreadFileReads(statistics))
                    : Optional.empty();
        } catch (IOException | UnsupportedOperationException e) {
            // Other systems than Linux.
            return Optional.empty();
        }
    }

    /**
     * Reads the counters.
     *
     * @throws IOException when the thread has ended
     */
    public Counters read() throws IOException {
        long reads = 0;
        long deviceBytes = 0;
        for (String line : Files.readAllLines(statistics)) {
            if (line.startsWith("syscr:")) {
                reads = value(line);
            } else if (line.startsWith("read_bytes:")) {
                deviceBytes = value(line);
            }
        }
        return new Counters(reads, deviceBytes);
    }

    private static long value(String line) {
        return Long.parseLong(line.substring(line.indexOf(':') + 1).strip());
    }

    /**
     * Counters since the thread was started.
     *
     * @param reads calls of the operating system that read
     * @param deviceBytes that had to come from a device
     */
    public record Counters(long reads, long deviceBytes) {

        /** Of a thread that has read nothing. */
        public static final Counters NONE = new Counters(0, 0);
    }
}
