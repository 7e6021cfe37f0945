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
package io.stateaccel.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** CPU time that threads outside the JVM's knowledge have taken, from Linux' procfs. */
final class ThreadCpu {

    private static final Path TASKS = Path.of("/proc/self/task");
    private static final double NANOS_PER_SECOND = 1e9;

    private ThreadCpu() {}

    /** Seconds of all living threads with names that begin like this, since they started. */
    static double secondsOf(String namePrefix) {
        List<Path> threads;
        try (Stream<Path> tasks = Files.list(TASKS)) {
            threads = tasks.toList();
        } catch (IOException e) {
            throw new UncheckedIOException("CPU time of threads is known on Linux only", e);
        }
        return threads.stream().mapToLong(thread -> nanos(thread, namePrefix)).sum()
                / NANOS_PER_SECOND;
    }

    private static long nanos(Path thread, String namePrefix) {
        try {
            return Files.readString(thread.resolve("comm")).startsWith(namePrefix)
                    ? Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ")[0])
                    : 0;
        } catch (IOException e) {
            // It has just ended.
            return 0;
        }
    }
}
