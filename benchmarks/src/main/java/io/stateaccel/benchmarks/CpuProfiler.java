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

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * CPU microseconds per operation, {@code task} on the thread that runs the benchmark and {@code
 * background} on all others: RocksDB's flushes and compactions, the garbage collector, the JIT. On
 * a busy machine these are what can be compared. {@code -prof io.stateaccel.benchmarks.CpuProfiler}
 *
 * <p>Counts what a benchmark encloses in {@link #begin} and {@link #end}, which one thread calls.
 */
public class CpuProfiler implements InternalProfiler {

    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private static long taskNanos;
    private static long processNanos;

    static void begin() {
        processNanos -= PROCESS.getProcessCpuTime();
        taskNanos -= ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    static void end() {
        taskNanos += ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        processNanos += PROCESS.getProcessCpuTime();
    }

    @Override
    public String getDescription() {
        return "CPU time per operation of the benchmark's thread and of all others";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        taskNanos = 0;
        processNanos = 0;
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        double operations = Math.max(1, result.getMetadata().getAllOps());
        return List.of(
                micros("task", taskNanos / operations),
                micros("background", Math.max(0, processNanos - taskNanos) / operations));
    }

    private static ScalarResult micros(String name, double nanos) {
        return new ScalarResult(name, nanos / 1e3, "us/op", AggregationPolicy.AVG);
    }
}
