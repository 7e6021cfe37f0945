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

/**
 * CPU time that threads outside the JVM's knowledge have taken, from Linux' procfs, to 10 ms each.
 */
final class ThreadCpu {

    private static final Path TASKS = Path.of("/proc/self/task");
    private static final double CLOCK_TICKS_PER_SECOND = 100;

    /** Those of user and system time among the fields that follow the name. */
    private static final int USER_TIME = 11;

    private static final int SYSTEM_TIME = 12;

    private ThreadCpu() {}

    /** Seconds of all living threads with names that begin like this, since they started. */
    static double secondsOf(String namePrefix) {
        List<Path> threads;
        try (Stream<Path> tasks = Files.list(TASKS)) {
            threads = tasks.toList();
        } catch (IOException e) {
            throw new UncheckedIOException("CPU time of threads is known on Linux only", e);
        }
        return threads.stream().mapToLong(thread -> ticks(thread, namePrefix)).sum()
                / CLOCK_TICKS_PER_SECOND;
    }

    private static long ticks(Path thread, String namePrefix) {
        String stat;
        try {
            stat = Files.readString(thread.resolve("stat"));
        } catch (IOException e) {
            // It has just ended.
            return 0;
        }
        int end = stat.lastIndexOf(')');
        if (!stat.startsWith(namePrefix, stat.indexOf('(') + 1)) {
            return 0;
        }
        String[] fields = stat.substring(end + 2).split(" ");
        return Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[SYSTEM_TIME]);
    }
}
