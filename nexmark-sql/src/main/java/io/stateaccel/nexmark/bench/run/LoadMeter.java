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

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CompletableFuture;

/** Measures this process and its source between two moments. Samples are given by one thread. */
final class LoadMeter implements AutoCloseable {

    /** How many rows were read at a moment, in seconds since the epoch. */
    private record RowsRead(double seconds, long rows) {}

    private final double fromSeconds;
    private final double untilSeconds;
    private final Timer timer = new Timer("load meter", true);
    private final List<RowsRead> samples = new ArrayList<>();

    private final CompletableFuture<Long> cpuNanosBefore = new CompletableFuture<>();
    private final CompletableFuture<Long> cpuNanosAfter = new CompletableFuture<>();

    /** Measures from one moment, which is ahead, to the next. */
    LoadMeter(Instant from, Instant until) {
        fromSeconds = seconds(from);
        untilSeconds = seconds(until);
        at(from, cpuNanosBefore);
        at(until, cpuNanosAfter);
    }

    private void at(Instant moment, CompletableFuture<Long> nanos) {
        timer.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        nanos.complete(cpuNanos());
                    }
                },
                Date.from(moment));
    }

    /** Notes how many rows were read at a moment; to be called once a second or more often. */
    void sample(Instant now, long rows) {
        samples.add(new RowsRead(seconds(now), rows));
    }

    /** Rows per second between the first and the last sample of the measured time; null if few. */
    Double rowsPerSecond() {
        List<RowsRead> measured =
                samples.stream()
                        .filter(s -> s.seconds >= fromSeconds && s.seconds <= untilSeconds)
                        .toList();
        if (measured.size() < 2) {
            return null;
        }
        RowsRead first = measured.get(0);
        RowsRead last = measured.get(measured.size() - 1);
        return (last.rows - first.rows) / (last.seconds - first.seconds);
    }

    /** CPU seconds of this process in the measured time, whose end it waits for. */
    double cpuSeconds() {
        return (cpuNanosAfter.join() - cpuNanosBefore.join()) / 1e9;
    }

    @Override
    public void close() {
        timer.cancel();
    }

    private static double seconds(Instant instant) {
        return instant.getEpochSecond() + instant.getNano() / 1e9;
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }
}
